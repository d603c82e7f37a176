// FileStore: the seam to the files of the machine where this process runs. Owned by main.cpp or by the
// simulated world. Its functions block for as long as the disk does: what may take longer than an instant is
// given to apart() or in_background(). It never follows a symbolic link that it is asked about, but in
// status().
#pragma once

#include "trellis/result.hpp"
#include "trellis/task.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {

enum class FileType : std::uint8_t { absent, file, directory, link, other };

struct FileStatus {
    FileType type = FileType::absent;
    std::uint32_t mode = 0;     // permission bits, 07777
    std::int64_t modified = 0;  // nanoseconds since 1970
    std::uint64_t size = 0;     // of a file, in bytes
    std::string target;         // of a link; empty from status()
    friend bool operator==(const FileStatus&, const FileStatus&) = default;
};

// By what one file can be told from all others of this machine: its device, and its number there.
using FileIdentity = std::pair<std::uint64_t, std::uint64_t>;

// What a file has besides what it says of itself.
struct Footprint {
    std::uint64_t bytes = 0;               // on the disk: fewer than its size if it has holes
    bool own = true;                       // it belongs to the user who asks
    std::optional<FileIdentity> shared{};  // by several names (hard links); nothing: it has only this one
};

// Owned by who opened it; closed when it is destroyed.
class OpenFile {
  public:
    virtual ~OpenFile() = default;
    // Fewer bytes only at the end of the file.
    virtual Result<std::string> read(std::uint64_t offset, std::size_t size) = 0;
    // The same to a place that is there: how many.
    virtual Result<std::size_t> read_into(std::uint64_t offset, std::span<char> space) {
        const Result<std::string> bytes = read(offset, space.size());
        if (!bytes) return bytes.error();
        return bytes->copy(space.data(), space.size());
    }
    virtual Result<void> write(std::uint64_t offset, std::string_view bytes) = 0;
    // Cuts it, or adds a hole.
    virtual Result<void> resize(std::uint64_t size) = 0;
    // What a server of files still holds back of it: taken, or a Failure, as on closing it. Does not wait for
    // a disk.
    virtual Result<void> flush() = 0;
    // Claims it until it is closed, whatever ends the process; false: another one that is open has claimed
    // it.
    virtual bool claim() = 0;
    // By which the system knows it, for calls that move bytes past the process; -1: it does not.
    [[nodiscard]] virtual int descriptor() const { return -1; }
};

// Failures are `unavailable` (no space, no such directory ...) or `refused` (permission, read-only), with
// what the system says as the cause. Paths that do not begin with / start in the home directory of an agent,
// and where the user stands in the shell.
class FileStore {
  public:
    virtual ~FileStore() = default;
    // Of what a path leads to; `absent` is no failure.
    virtual Result<FileStatus> status(const std::string& path) = 0;
    virtual Result<FileStatus> link_status(const std::string& path) = 0;
    // Of a path that exists.
    virtual Result<Footprint> footprint(const std::string& path) = 0;
    // Names, sorted, without . and ..
    virtual Result<std::vector<std::string>> list(const std::string& directory) = 0;
    virtual Result<std::unique_ptr<OpenFile>> open(const std::string& path) = 0;  // to read
    // To read and write. A new one is the user's alone, and there was nothing of that name.
    virtual Result<std::unique_ptr<OpenFile>> create(const std::string& path) = 0;
    virtual Result<std::unique_ptr<OpenFile>> open_to_write(const std::string& path) = 0;
    // Of what the umask leaves of this mode.
    virtual Result<void> make_directory(const std::string& path, std::uint32_t mode) = 0;
    virtual Result<void> make_link(const std::string& path, const std::string& target) = 0;
    // Another name of a file that is there.
    virtual Result<void> make_hard_link(const std::string& path, const std::string& file) = 0;
    // The mode (not of a link) and the time.
    virtual Result<void> set_metadata(const std::string& path, const FileStatus& status) = 0;
    virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
    // A file, a link or an empty directory.
    virtual Result<void> remove(const std::string& path) = 0;
    // Bytes that this user may still write there.
    virtual Result<std::uint64_t> free_space(const std::string& directory) = 0;

    // Runs work that blocks or computes, beside everything else; returns when it is done, also when it is
    // cancelled meanwhile. The work may call the functions above.
    virtual Task<void> apart(std::function<void()> work) = 0;
    // The same for work that others need not wait for: it yields the processor to all else. It runs beside
    // what is apart.
    virtual Task<void> in_background(std::function<void()> work) = 0;
    // The same files for whoever may have to wait for them long, so that the others' work does not wait
    // behind his.
    [[nodiscard]] virtual std::shared_ptr<FileStore> another() = 0;
    // Whether such work goes on, that of others too.
    [[nodiscard]] virtual bool busy() const = 0;

    // Said by work as its steps are done, from any thread: files that answer are told from those that hang.
    void step() { ++steps_; }
    [[nodiscard]] std::uint64_t steps() const { return steps_; }

  private:
    std::atomic<std::uint64_t> steps_ = 0;
};

}  // namespace trellis
