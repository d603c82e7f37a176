#include "shell/session/session_bus.hpp"

#include <algorithm>
#include <utility>

namespace trellis {

SessionBus::SessionBus(std::function<std::uint64_t()> view, std::function<std::int64_t()> unix_time)
    : view_(std::move(view)), unix_time_(std::move(unix_time)) {}

void SessionBus::publish(std::string name, std::shared_ptr<const Value> value,
                         std::vector<std::string> hosts) {
    std::sort(hosts.begin(), hosts.end());
    Retained retained{name, std::move(value), std::move(hosts), view_(), unix_time_()};
    values_.insert_or_assign(std::move(name), std::move(retained));
}

const Retained* SessionBus::find(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
}

std::vector<std::string> SessionBus::topics() const {
    std::vector<std::string> names;
    for (const auto& [name, retained] : values_)
        names.push_back(name);
    return names;
}

void SessionBus::restore(Retained retained) {
    std::string name = retained.name;
    values_.insert_or_assign(std::move(name), std::move(retained));
}

}  // namespace trellis
