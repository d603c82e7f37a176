#include "agentd/os/os_file_store.hpp"

#include "agentd/os/file_descriptor.hpp"
#include "agentd/os/pool_work.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/post.hpp>
#include <climits>

namespace trellis {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr int background_nice = 10;  // a tenth of the weight of another thread

Failure failure(const std::string& path) {
    const int error = errno;
    const bool forbidden = error == EACCES || error == EPERM || error == EROFS;
    return {forbidden ? FailureKind::refused : FailureKind::unavailable, "", "",
            path + ": " + std::strerror(error)};
}

Result<void> checked(int outcome, const std::string& path) {
    if (outcome == 0) return {};
    return failure(path);
}

FileType type_of(mode_t mode) {
    if (S_ISREG(mode)) return FileType::file;
    if (S_ISDIR(mode)) return FileType::directory;
    return S_ISLNK(mode) ? FileType::link : FileType::other;
}

Result<FileStatus> status_of(const std::string& path, int flags) {
    struct stat found {};
    if (::fstatat(AT_FDCWD, path.c_str(), &found, flags) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) return FileStatus{};
        return failure(path);
    }
    FileStatus status;
    status.type = type_of(found.st_mode);
    status.mode = found.st_mode & 07777;
    status.modified = found.st_mtim.tv_sec * second + found.st_mtim.tv_nsec;
    if (status.type == FileType::file) status.size = static_cast<std::uint64_t>(found.st_size);
    return status;
}

class OsFile final : public OpenFile {
  public:
    OsFile(FileDescriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

    Result<std::string> read(std::uint64_t offset, std::size_t size) override {
        std::string bytes(size, '\0');
        const Result<std::size_t> got = read_into(offset, bytes);
        if (!got) return got.error();
        bytes.resize(*got);
        return bytes;
    }
    Result<std::size_t> read_into(std::uint64_t offset, std::span<char> space) override {
        std::size_t got = 0;
        while (got < space.size()) {
            const ssize_t more = ::pread(file_.get(), space.data() + got, space.size() - got,
                                         static_cast<off_t>(offset + got));
            if (more < 0 && errno == EINTR) continue;
            if (more < 0) return failure(path_);
            if (more == 0) break;
            got += static_cast<std::size_t>(more);
        }
        return got;
    }
    Result<void> write(std::uint64_t offset, std::string_view bytes) override {
        while (!bytes.empty()) {
            const ssize_t done =
                ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
            if (done < 0 && errno == EINTR) continue;
            if (done < 0) return failure(path_);
            bytes.remove_prefix(static_cast<std::size_t>(done));
            offset += static_cast<std::uint64_t>(done);
        }
        return {};
    }
    Result<void> resize(std::uint64_t size) override {
        return checked(::ftruncate(file_.get(), static_cast<off_t>(size)), path_);
    }
    // Closing any descriptor of it makes the system say what it has not said yet.
    Result<void> flush() override {
        FileDescriptor another(::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));
        if (!another.open()) return failure(path_);
        const bool taken = ::close(another.release()) == 0 || errno == EINTR;
        return checked(taken ? 0 : -1, path_);
    }
    // Where files cannot be locked nobody can be asked.
    bool claim() override { return ::flock(file_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }
    [[nodiscard]] int descriptor() const override { return file_.get(); }

  private:
    FileDescriptor file_;
    std::string path_;
};

Result<std::unique_ptr<OpenFile>> open_file(const std::string& path, int flags) {
    FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (!file.open()) return failure(path);
    return std::make_unique<OsFile>(std::move(file), path);
}

}  // namespace

OsFileStore::~OsFileStore() {
    if (apart_) apart_->join();
    if (background_) background_->join();
}

Result<FileStatus> OsFileStore::status(const std::string& path) {
    return status_of(path, 0);
}

Result<FileStatus> OsFileStore::link_status(const std::string& path) {
    Result<FileStatus> status = status_of(path, AT_SYMLINK_NOFOLLOW);
    if (!status || status->type != FileType::link) return status;
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
    if (size < 0) return failure(path);
    status->target.assign(target.data(), static_cast<std::size_t>(size));
    return status;
}

Result<Footprint> OsFileStore::footprint(const std::string& path) {
    constexpr std::uint64_t block = 512;
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) return failure(path);
    Footprint footprint{static_cast<std::uint64_t>(found.st_blocks) * block, found.st_uid == ::geteuid()};
    if (S_ISREG(found.st_mode) && found.st_nlink > 1) footprint.shared = {found.st_dev, found.st_ino};
    return footprint;
}

Result<std::vector<std::string>> OsFileStore::list(const std::string& directory) {
    const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), &::closedir);
    if (!open) return failure(directory);
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(open.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
    }
    if (errno != 0) return failure(directory);
    std::sort(names.begin(), names.end());
    return names;
}

Result<std::unique_ptr<OpenFile>> OsFileStore::open(const std::string& path) {
    return open_file(path, O_RDONLY);
}

Result<std::unique_ptr<OpenFile>> OsFileStore::create(const std::string& path) {
    return open_file(path, O_RDWR | O_CREAT | O_EXCL);
}

Result<std::unique_ptr<OpenFile>> OsFileStore::open_to_write(const std::string& path) {
    return open_file(path, O_RDWR);
}

Result<void> OsFileStore::make_directory(const std::string& path, std::uint32_t mode) {
    return checked(::mkdir(path.c_str(), mode), path);
}

Result<void> OsFileStore::make_link(const std::string& path, const std::string& target) {
    return checked(::symlink(target.c_str(), path.c_str()), path);
}

Result<void> OsFileStore::make_hard_link(const std::string& path, const std::string& file) {
    return checked(::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, path.c_str(), 0), path);
}

Result<void> OsFileStore::set_metadata(const std::string& path, const FileStatus& status) {
    if (status.type != FileType::link && ::chmod(path.c_str(), status.mode & 07777) != 0)
        return failure(path);
    std::int64_t seconds = status.modified / second;
    std::int64_t rest = status.modified % second;
    if (rest < 0) {
        rest += second;
        --seconds;
    }
    const timespec now{0, UTIME_OMIT};
    const std::array<timespec, 2> times{now, timespec{static_cast<time_t>(seconds), static_cast<long>(rest)}};
    return checked(::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW), path);
}

Result<void> OsFileStore::rename(const std::string& from, const std::string& to) {
    return checked(::rename(from.c_str(), to.c_str()), to);
}

Result<void> OsFileStore::remove(const std::string& path) {
    return checked(std::remove(path.c_str()), path);
}

Result<std::uint64_t> OsFileStore::free_space(const std::string& directory) {
    struct statvfs found {};
    if (::statvfs(directory.c_str(), &found) != 0) return failure(directory);
    return static_cast<std::uint64_t>(found.f_bavail) * found.f_frsize;
}

// A thread of its own for each processor would take them from forwarding.
Task<void> OsFileStore::apart(std::function<void()> work) {
    if (!apart_) apart_ = std::make_unique<asio::thread_pool>(1);
    co_await on_thread(*apart_, std::move(work));
}

Task<void> OsFileStore::in_background(std::function<void()> work) {
    if (!background_) {
        background_ = std::make_unique<asio::thread_pool>(1);
        asio::post(*background_, [] { (void)::setpriority(PRIO_PROCESS, 0, background_nice); });
    }
    co_await on_thread(*background_, std::move(work));
}

Task<void> OsFileStore::on_thread(asio::thread_pool& thread, std::function<void()> work) {
    ++*works_;
    co_await done_on(thread, std::move(work));
    --*works_;
}

std::shared_ptr<FileStore> OsFileStore::another() {
    auto another = std::make_shared<OsFileStore>();
    another->works_ = works_;
    return another;
}

}  // namespace trellis
