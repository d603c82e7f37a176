// OsFileStore: the FileStore over the system's calls. Owned by main.cpp, others of it by who asked for them;
// what is still running apart is waited for when it is destroyed. It may be used from several threads,
// except apart(), in_background(), another() and busy().
#pragma once

#include "trellis/file_store.hpp"

#include <cstddef>
#include <memory>

#include <boost/asio/thread_pool.hpp>

namespace trellis {

class OsFileStore final : public FileStore {
  public:
    OsFileStore() = default;
    ~OsFileStore() override;
    OsFileStore(const OsFileStore&) = delete;
    OsFileStore& operator=(const OsFileStore&) = delete;

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
    Task<void> in_background(std::function<void()> work) override;
    [[nodiscard]] std::shared_ptr<FileStore> another() override;
    [[nodiscard]] bool busy() const override { return *works_ > 0; }

  private:
    Task<void> on_thread(asio::thread_pool& thread, std::function<void()> work);

    std::unique_ptr<asio::thread_pool> apart_, background_;  // of one thread, from the first use on
    std::shared_ptr<std::size_t> works_ = std::make_shared<std::size_t>(0);  // under way, of all others too
};

}  // namespace trellis
