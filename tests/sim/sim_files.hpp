// SimFiles: the files of one simulated machine, in memory; a FileStore with a disk that can be full and
// directories that can be read-only. Owned by the simulated world: they outlive the processes. Work apart
// and in the background takes no time.
#pragma once

#include "trellis/file_store.hpp"

#include "tests/sim/sim_content.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trellis::sim {

class SimFiles final : public FileStore {
  public:
    SimFiles();

    // What a test sees and does. A path that does not begin with / is in /home.
    void put(const std::string& path, std::string_view content, std::uint32_t mode = 0644);
    void put_directory(const std::string& path);
    [[nodiscard]] bool has(const std::string& path) const { return nodes_.contains(whole(path)); }
    [[nodiscard]] std::string content(const std::string& path) const;
    // The file is there, with these bytes.
    [[nodiscard]] bool holds(const std::string& path, std::string_view content) const;
    // All that is there, below the root.
    [[nodiscard]] std::vector<std::string> paths() const;
    void set_capacity(std::uint64_t bytes) { capacity_ = bytes; }
    // What free_space() says, whatever is left.
    void claim_free(std::uint64_t bytes) { claimed_ = bytes; }
    // A server that says only when a file is closed that it was too much for set_capacity().
    void refuse_late() { late_ = true; }
    // Just before something gets another name the next time.
    void meanwhile(std::function<void()> what) { meanwhile_ = std::move(what); }
    // As those of /proc: it says that it is empty.
    void hide_size(const std::string& path) { nodes_.at(whole(path))->status.size = 0; }
    // It belongs to somebody else.
    void give_away(const std::string& path) { foreign_.insert(whole(path)); }
    // The process that has claimed files is no more.
    void release_claims();
    // What is done apart waits until thaw(), whoever is cancelled.
    void hang() { hangs_ = true; }
    void thaw();
    void make_read_only(const std::string& directory) { read_only_.insert(whole(directory)); }

    Result<FileStatus> status(const std::string& path) override;
    Result<FileStatus> link_status(const std::string& path) override;
    Result<Footprint> footprint(const std::string& path) override;
    Result<std::vector<std::string>> list(const std::string& directory) override;
    Result<std::unique_ptr<OpenFile>> open(const std::string& path) override;
    Result<std::unique_ptr<OpenFile>> create(const std::string& path) override;
    Result<std::unique_ptr<OpenFile>> open_to_write(const std::string& path) override;
    Result<void> make_directory(const std::string& path, std::uint32_t mode) override;
    Result<void> make_link(const std::string& path, const std::string& target) override;
    Result<void> make_hard_link(const std::string& path, const std::string& file) override;
    Result<void> set_metadata(const std::string& path, const FileStatus& status) override;
    Result<void> rename(const std::string& from, const std::string& to) override;
    Result<void> remove(const std::string& path) override;
    Result<std::uint64_t> free_space(const std::string& directory) override;
    Task<void> apart(std::function<void()> work) override;
    Task<void> in_background(std::function<void()> work) override { return apart(std::move(work)); }
    [[nodiscard]] std::shared_ptr<FileStore> another() override { return {std::shared_ptr<void>(), this}; }
    [[nodiscard]] bool busy() const override { return !hanging_.empty(); }

  private:
    friend class SimFile;
    struct Node {
        FileStatus status;
        SimContent content;
        bool claimed = false;
        int names = 1;
    };
    [[nodiscard]] static std::string whole(const std::string& path);
    [[nodiscard]] Result<void> may_change(const std::string& path) const;
    Result<std::shared_ptr<Node>> add(const std::string& path, FileType type);
    [[nodiscard]] std::uint64_t used() const { return used_; }

    std::map<std::string, std::shared_ptr<Node>> nodes_;  // by absolute path
    std::set<std::string> read_only_;
    std::set<std::string> foreign_;
    std::uint64_t used_ = 0;
    std::uint64_t capacity_ = std::uint64_t{1} << 40;
    std::uint64_t claimed_ = 0;
    bool late_ = false;
    std::function<void()> meanwhile_;
    bool hangs_ = false;
    std::vector<std::function<void()>> hanging_;
};

}  // namespace trellis::sim
