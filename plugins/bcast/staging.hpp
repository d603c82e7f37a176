// Staging: the files of one broadcast on one host, under a temporary name beside the final one until all of
// them are complete. Owned by the recipient; its functions block. What has not been given its final name is
// removed when it is destroyed, unless it is to be kept.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/file_store.hpp"

#include "plugins/bcast/manifest.hpp"
#include "plugins/bcast/object.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace trellis::plugins::bcast {

class Staging {
  public:
    // `token` tells its temporary names from those of others.
    Staging(FileStore& files, std::string final_path, const std::string& token);
    ~Staging();
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    // Whether there is room for so many bytes; whether they can be put there, too.
    Result<void> check_room(std::uint64_t bytes);
    Result<void> check(std::uint64_t bytes);
    // Makes what the manifest says, without contents.
    Result<void> begin(Manifest manifest);
    // What an earlier one of the same names may have made, to be read or discarded. Failure: of another user.
    Result<void> know(Manifest manifest);
    // Makes what of that is not there. So many bytes of the contents are right; what lies behind them is
    // given up.
    Result<void> complete(std::uint64_t right);
    // Of the contents.
    Result<void> write(std::uint64_t offset, std::string_view bytes);
    Result<std::string> read(std::uint64_t offset, std::size_t size);
    // Whether a part of the contents lies within one file.
    [[nodiscard]] bool in_one_file(std::uint64_t offset, std::size_t size) const;
    // Writes so many bytes of such a part, what the haul brings or, if it is null, zeros: where they lie.
    Result<FilePlace> put(std::uint64_t offset, std::size_t size, Haul* haul);
    // Sets modes and times, then the final names, each at once in the place of what stood there.
    Result<void> commit();
    // Removes what is there under the temporary name. What cannot be removed stays; there is nobody to tell.
    void discard();
    // Leaves it there for a later one.
    void keep() { kept_ = true; }

    [[nodiscard]] const std::string& temporary() const { return temporary_; }
    [[nodiscard]] bool committed() const { return committed_; }
    [[nodiscard]] const std::string& path() const { return final_; }

  private:
    struct Opened {
        std::size_t entry = 0;
        std::shared_ptr<OpenFile> file;
    };
    Result<void> end_writing();
    Result<std::shared_ptr<OpenFile>> open(std::optional<Opened>& opened, std::size_t entry, bool to_write);
    [[nodiscard]] std::uint64_t size_with_hole(std::size_t entry, std::uint64_t offset) const;
    Result<void> make(const Entry& entry);
    Result<void> make_mine(const std::string& path, FileStatus there);
    Result<void> cut(const std::string& path, std::uint64_t size);
    Result<void> set_metadata(const std::string& root, bool of_directories);
    Result<void> check_merge();
    Result<void> merge();
    Result<void> enter(const std::string& directory);
    void open_up();

    FileStore& files_;
    std::string final_;
    std::string temporary_;
    Manifest manifest_;
    ContentMap map_;
    std::optional<Opened> writing_, reading_;
    std::size_t made_ = 0;         // of the entries
    std::uint64_t put_until_ = 0;  // of the contents: what lies before need not be right, or zero
    bool committed_ = false;
    bool kept_ = false;
};

}  // namespace trellis::plugins::bcast
