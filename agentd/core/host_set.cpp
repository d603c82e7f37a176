#include "agentd/core/host_set.hpp"

#include <algorithm>
#include <cstring>

namespace trellis {
namespace {

std::uint32_t number(HostId id) {
    return static_cast<std::uint32_t>(id);
}

void put(std::string& text, std::uint32_t value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::uint32_t take(std::string_view& bytes) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes.remove_prefix(sizeof value);
    return value;
}

Failure malformed() {
    return {FailureKind::invalid, "read host set", "", "malformed bytes"};
}

}  // namespace

HostSet::HostSet(std::vector<HostId> ids) : ids_(std::move(ids)) {
    std::sort(ids_.begin(), ids_.end());
    ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
}

bool HostSet::contains(HostId id) const {
    return std::binary_search(ids_.begin(), ids_.end(), id);
}

std::string HostSet::prefix_to(std::string_view payload) const {
    std::string ranges;
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < ids_.size(); ++count) {
        const std::size_t first = i;
        while (i + 1 < ids_.size() && number(ids_[i + 1]) == number(ids_[i]) + 1)
            ++i;
        put(ranges, number(ids_[first]));
        put(ranges, number(ids_[i++]));
    }
    std::string body;
    body.reserve(sizeof count + ranges.size() + payload.size());
    put(body, count);
    body += ranges;
    body += payload;
    return body;
}

Result<std::pair<HostSet, std::string_view>> HostSet::read_prefix(std::string_view body, std::size_t most) {
    if (body.size() < 4) return malformed();
    const std::uint32_t count = take(body);
    if (count > body.size() / 8) return malformed();
    HostSet set;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t first = take(body);
        const std::uint32_t last = take(body);
        if (!set.empty() && first <= number(set.ids_.back())) return malformed();
        if (last < first || last - first >= most - set.ids_.size()) return malformed();
        for (std::uint64_t id = first; id <= last; ++id)
            set.ids_.push_back(static_cast<HostId>(id));
    }
    return std::pair{std::move(set), body};
}

}  // namespace trellis
