#include "tests/sim/sim_content.hpp"

#include <algorithm>

namespace trellis::sim {
namespace {

constexpr std::uint64_t page_size = 16 << 10;
constexpr std::size_t block_size = 4096;

bool is_zero(std::string_view bytes) {
    return bytes.find_first_not_of('\0') == std::string_view::npos;
}

}  // namespace

std::string_view SimContent::page(std::uint64_t number) const {
    const auto found = pages_.find(number);
    return found == pages_.end() ? std::string_view() : found->second;
}

void SimContent::resize(std::uint64_t size) {
    pages_.erase(pages_.lower_bound((size + page_size - 1) / page_size), pages_.end());
    if (const auto last = pages_.find(size / page_size); last != pages_.end())
        last->second.resize(std::min<std::size_t>(last->second.size(), size % page_size));
    size_ = size;
}

void SimContent::write(std::uint64_t offset, std::string_view bytes) {
    size_ = std::max(size_, offset + bytes.size());
    while (!bytes.empty()) {
        const std::uint64_t begin = offset % page_size;
        const std::string_view part = bytes.substr(0, page_size - begin);
        std::string& written = pages_[offset / page_size];
        if (written.size() < begin) written.resize(begin);
        written.replace(begin, part.size(), part);
        offset += part.size();
        bytes.remove_prefix(part.size());
    }
}

std::string SimContent::read(std::uint64_t offset, std::uint64_t size) const {
    const std::uint64_t end = std::min(size_, offset + std::min(size, size_));
    std::string bytes;
    bytes.reserve(end - std::min(offset, end));
    while (offset < end) {
        const std::uint64_t begin = offset % page_size;
        const std::uint64_t wanted = std::min(page_size - begin, end - offset);
        const std::string_view there = page(offset / page_size);
        const std::size_t read = bytes.size() + wanted;
        bytes += there.substr(std::min<std::size_t>(begin, there.size()), wanted);
        bytes.resize(read);
        offset += wanted;
    }
    return bytes;
}

bool SimContent::operator==(std::string_view bytes) const {
    if (bytes.size() != size_) return false;
    for (std::uint64_t number = 0; !bytes.empty(); ++number) {
        const std::string_view there = page(number);
        const std::string_view part = bytes.substr(0, page_size);
        if (!part.starts_with(there) || !is_zero(part.substr(there.size()))) return false;
        bytes.remove_prefix(part.size());
    }
    return true;
}

std::uint64_t SimContent::blocks() const {
    std::uint64_t bytes = 0;
    for (const auto& [number, written] : pages_)
        for (std::size_t at = 0; at < written.size(); at += block_size)
            if (!is_zero(std::string_view(written).substr(at, block_size))) bytes += block_size;
    return bytes;
}

}  // namespace trellis::sim
