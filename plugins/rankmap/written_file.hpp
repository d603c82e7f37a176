// WrittenFile: a text written to a file in one step, so that a reader finds the old one or the whole new one.
// Owned by the command that writes it.
#pragma once

#include "trellis/file_store.hpp"

#include <string>
#include <string_view>

namespace trellis::plugins::rankmap {

// Readable by everyone, unless there was one with another mode. A symbolic link is replaced, not followed.
// Refused: what is there and is no file.
[[nodiscard]] Result<void> write_file(FileStore& files, const std::string& path, std::string_view text);

// For a while: of a name that nobody else has, in the directory for such files; removed when it is destroyed.
class PassingFile {
  public:
    static Result<PassingFile> write(FileStore& files, std::string_view text);
    PassingFile(PassingFile&& other) noexcept;
    PassingFile& operator=(PassingFile&&) = delete;
    ~PassingFile();
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    PassingFile(FileStore& files, std::string path) : files_(files), path_(std::move(path)) {}
    FileStore& files_;
    std::string path_;
};

}  // namespace trellis::plugins::rankmap
