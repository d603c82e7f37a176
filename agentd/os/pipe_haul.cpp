#include "agentd/os/pipe_haul.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <utility>

namespace trellis {

PipeHaul::PipeHaul(std::shared_ptr<DescriptorPair> place, std::size_t size)
    : place_(std::move(place)), pipe_(std::exchange(*place_, {})), size_(size), left_(size) {}

PipeHaul::~PipeHaul() {
    if (left_ == 0) *place_ = std::move(pipe_);
}

Result<void> PipeHaul::put(OpenFile& file, std::uint64_t offset) {
    const int to = file.descriptor();
    if (to < 0) return put_by_hand(file, offset);
    while (left_ > 0) {
        auto at = static_cast<off_t>(offset);
        const ssize_t moved = ::splice(pipe_.first.get(), nullptr, to, &at, left_, SPLICE_F_MOVE);
        if (moved < 0 && errno == EINTR) continue;
        if (moved < 0 && errno == EINVAL) return put_by_hand(file, offset);
        if (moved <= 0) return unavailable(std::string("write a file: ") + std::strerror(errno));
        offset += static_cast<std::uint64_t>(moved);
        left_ -= static_cast<std::size_t>(moved);
    }
    return {};
}

// Into a file that the system cannot fill from a pipe.
Result<void> PipeHaul::put_by_hand(OpenFile& file, std::uint64_t offset) {
    std::string bytes(std::size_t{1} << 16, '\0');
    while (left_ > 0) {
        const ssize_t got = ::read(pipe_.first.get(), bytes.data(), std::min(bytes.size(), left_));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return unavailable(std::string("read a pipe: ") + std::strerror(errno));
        const auto size = static_cast<std::size_t>(got);
        Result<void> written = file.write(offset, std::string_view(bytes).substr(0, size));
        if (!written) return written;
        offset += size;
        left_ -= size;
    }
    return {};
}

}  // namespace trellis
