#include "plugins/rankmap/written_file.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <utility>

namespace trellis::plugins::rankmap {
namespace {

std::string unused_suffix() {
    std::random_device device;
    char text[32];
    std::snprintf(text, sizeof text, "%08x%08x", device(), device());
    return text;
}

Result<void> create(FileStore& files, const std::string& path, std::string_view text) {
    auto file = files.create(path);
    if (!file) return file.error();
    Result<void> written = (*file)->write(0, text);
    if (!written) (void)files.remove(path);
    return written;
}

}  // namespace

Result<void> write_file(FileStore& files, const std::string& path, std::string_view text) {
    Result<FileStatus> status = files.link_status(path);
    if (!status) return status.error();
    if (status->type == FileType::directory || status->type == FileType::other)
        return invalid(path + ": it is there and is no file");
    const std::string passing = path + "." + unused_suffix();
    if (auto created = create(files, passing, text); !created) return created;
    FileStatus mode;
    mode.type = FileType::file;
    mode.mode = status->type == FileType::file ? status->mode : 0644;
    Result<FileStatus> own = files.link_status(passing);
    if (own) mode.modified = own->modified;
    Result<void> done = files.set_metadata(passing, mode);
    if (done) done = files.rename(passing, path);
    if (!done) (void)files.remove(passing);
    return done;
}

Result<PassingFile> PassingFile::write(FileStore& files, std::string_view text) {
    std::error_code ignored;
    const auto directory = std::filesystem::temp_directory_path(ignored);
    std::string path = (directory / ("trellis-ranks-" + unused_suffix())).string();
    if (auto created = create(files, path, text); !created) return created.error();
    return PassingFile(files, std::move(path));
}

PassingFile::PassingFile(PassingFile&& other) noexcept
    : files_(other.files_), path_(std::exchange(other.path_, "")) {}

PassingFile::~PassingFile() {
    if (!path_.empty()) (void)files_.remove(path_);
}

}  // namespace trellis::plugins::rankmap
