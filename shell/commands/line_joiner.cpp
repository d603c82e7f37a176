#include "shell/commands/line_joiner.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace trellis {
namespace {

constexpr std::size_t most_in_memory = std::size_t{64} << 10;

Failure cannot_keep() {
    return unavailable(std::string("cannot keep a long line in a temporary file: ") + std::strerror(errno));
}

// A file without a name; null if there can be none.
std::FILE* open_nameless_file() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "trellis-line-XXXXXX").string();
    const int fd = ::mkostemp(path.data(), O_CLOEXEC);
    if (fd < 0) return nullptr;
    ::unlink(path.c_str());
    return ::fdopen(fd, "w+");
}

}  // namespace

Task<Result<void>> LineJoiner::add(const std::string& host, std::string bytes, Sink& out) {
    const std::size_t last = bytes.rfind('\n');
    if (last == std::string::npos) co_return keep(unfinished_[host], bytes);
    Unfinished begun = std::exchange(unfinished_[host], Unfinished{});
    const Result<void> kept = keep(unfinished_[host], std::string_view(bytes).substr(last + 1));
    if (!kept) co_return kept;
    if (begun.file) {
        const Result<void> written = co_await write_file(begun.file.get(), out);
        if (!written) co_return written;
    }
    bytes.resize(last + 1);
    begun.text += bytes;
    co_return co_await out.write(std::move(begun.text));
}

Task<Result<void>> LineJoiner::finish(const std::string& host, Sink& out) {
    const auto line = unfinished_.find(host);
    if (line == unfinished_.end()) co_return Result<void>{};
    const bool nothing = !line->second.file && line->second.text.empty();
    if (!nothing) {
        std::string end = "\n";
        const Result<void> written = co_await add(host, std::move(end), out);
        if (!written) co_return written;
    }
    drop(host);
    co_return Result<void>{};
}

Result<void> LineJoiner::keep(Unfinished& line, std::string_view bytes) {
    line.text += bytes;
    if (line.text.size() <= most_in_memory) return {};
    if (!line.file) line.file.reset(open_nameless_file());
    if (!line.file || std::fwrite(line.text.data(), 1, line.text.size(), line.file.get()) != line.text.size())
        return cannot_keep();
    line.text.clear();
    return {};
}

Task<Result<void>> LineJoiner::write_file(std::FILE* file, Sink& out) {
    if (std::fflush(file) != 0) co_return cannot_keep();
    std::rewind(file);
    for (;;) {
        std::string bytes(most_in_memory, '\0');
        bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
        if (bytes.empty()) co_return Result<void>{};
        const Result<void> written = co_await out.write(std::move(bytes));
        if (!written) co_return written;
    }
}

}  // namespace trellis
