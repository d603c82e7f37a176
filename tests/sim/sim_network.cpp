#include "tests/sim/sim_network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace trellis::sim {
namespace {

constexpr double packet_bytes = 1448;

double packets(std::size_t bytes) {
    return std::max(1.0, std::ceil(static_cast<double>(bytes) / packet_bytes));
}

Duration nanoseconds(double count) {
    return Duration(static_cast<Duration::rep>(count));
}

double per_byte(double bits_per_second) {
    return bits_per_second > 0 ? 8e9 / bits_per_second : 0;
}

}  // namespace

SimNetwork::SimNetwork(VirtualTime& time, lab::TopologyFile file, std::uint64_t seed)
    : time_(time), file_(std::move(file)), random_(seed), machines_(file_.hosts.size()) {
    for (const lab::Node& node : file_.nodes) {
        for (const double rate : {node.up.rate, node.up.rate_down()})
            links_.push_back({per_byte(rate), static_cast<double>(node.up.queue), node.up.loss, node.up.delay,
                              TimePoint{}, Cut::none});
        for (const lab::Address& address : node.addresses)
            by_address_[address.text] = node.host;
    }
    for (MachineIndex i = 0; i < file_.hosts.size(); ++i)
        by_name_[file_.hosts[i].name] = i;
}

std::optional<MachineIndex> SimNetwork::find_machine(std::string_view name) const {
    const auto place = by_name_.find(std::string(name));
    return place == by_name_.end() ? std::nullopt : std::optional(place->second);
}

std::optional<MachineIndex> SimNetwork::machine_at(std::string_view address) const {
    const auto place = by_address_.find(std::string(address));
    return place == by_address_.end() ? std::nullopt : std::optional(place->second);
}

SimNetwork::Path SimNetwork::find_path(MachineIndex from, MachineIndex to) const {
    for (const std::size_t start : file_.hosts[from].nics) {
        for (const std::size_t end : file_.hosts[to].nics) {
            const auto nodes = lab::tree_path(file_, start, end);
            Path links;
            for (std::size_t i = 1; i < nodes.size(); ++i) {
                const bool up = file_.nodes[nodes[i - 1]].parent == nodes[i];
                const std::size_t lower = up ? nodes[i - 1] : nodes[i];
                links.push_back(static_cast<std::uint32_t>(2 * lower + (up ? 0 : 1)));
            }
            if (!links.empty()) return links;
        }
    }
    return {};
}

const SimNetwork::Path& SimNetwork::path(MachineIndex from, MachineIndex to) {
    const std::uint64_t key = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
    const auto place = paths_.find(key);
    if (place != paths_.end()) return place->second;
    return paths_[key] = from == to ? Path{} : find_path(from, to);
}

std::optional<Duration> SimNetwork::one_way_delay(MachineIndex from, MachineIndex to) {
    const Path& way = path(from, to);
    if (way.empty() && from != to) return std::nullopt;
    Duration sum{0};
    for (const std::uint32_t link : way)
        sum += links_[link].delay;
    return sum;
}

Cut SimNetwork::cut_between(MachineIndex from, MachineIndex to) {
    Cut worst = Cut::none;
    for (const std::uint32_t link : path(from, to))
        worst = std::max(worst, links_[link].cut);
    return worst;
}

std::size_t SimNetwork::link_named(std::string_view name) const {
    const auto node = lab::find_link(file_, name);
    if (!node) throw std::logic_error("no link " + std::string(name));
    return *node;
}

void SimNetwork::cut(std::string_view link, Cut how) {
    const std::size_t node = link_named(link);
    direction(node, true).cut = direction(node, false).cut = how;
}

void SimNetwork::set_rate(std::string_view link, double bits_per_second) {
    const std::size_t node = link_named(link);
    direction(node, true).ns_per_byte = direction(node, false).ns_per_byte = per_byte(bits_per_second);
}

void SimNetwork::set_loss(std::string_view link, double share) {
    const std::size_t node = link_named(link);
    direction(node, true).loss = direction(node, false).loss = share;
}

TimePoint SimNetwork::use_cpu(Machine& machine) {
    machine.cpu_busy_until = std::max(machine.cpu_busy_until, time_.now()) + machine.cpu_cost;
    return machine.cpu_busy_until;
}

void SimNetwork::send(Message message) {
    std::uint64_t index = transits_.size();
    if (free_.empty()) {
        transits_.emplace_back();
    } else {
        index = free_.back();
        free_.pop_back();
    }
    Transit& transit = transits_[index];
    transit.path = &path(message.from, message.to);
    transit.message = std::move(message);
    time_.at(use_cpu(machines_[transit.message.from]), *this, index);
}

void SimNetwork::release(std::uint64_t index) {
    transits_[index] = Transit{};
    free_.push_back(index);
}

bool SimNetwork::due(std::uint64_t index) {
    const Message& message = transits_[index].message;
    if (machines_[message.from].off || machines_[message.to].off) return drop(index, Drop::machine_down);
    switch (transits_[index].stage) {
        case Transit::Stage::sending:
            return travel(index);
        case Transit::Stage::arriving:
            transits_[index].stage = Transit::Stage::delivering;
            time_.at(use_cpu(machines_[message.to]), *this, index);
            return false;
        case Transit::Stage::delivering:
            return deliver(index);
    }
    return false;
}

// Crosses links until the message has to wait for a time that has not come.
bool SimNetwork::travel(std::uint64_t index) {
    Transit& transit = transits_[index];
    if (transit.path->empty() && transit.message.from != transit.message.to) return drop(index, Drop::cut);
    TimePoint head = time_.now();
    while (transit.hop < transit.path->size() && head == time_.now()) {
        Link& link = links_[(*transit.path)[transit.hop++]];
        if (const auto lost = cross(link, transit, head)) return drop(index, *lost);
    }
    const bool there = transit.hop == transit.path->size();
    if (there) transit.stage = Transit::Stage::arriving;
    time_.at(there ? head + transit.tail : head, *this, index);
    return false;
}

// `head`: when the first packet is at this end of the link; afterwards, at the other end.
std::optional<Drop> SimNetwork::cross(Link& link, Transit& transit, TimePoint& head) {
    const double count = packets(transit.message.bytes);
    if (link.cut != Cut::none) return Drop::cut;
    if (link.loss > 0) {
        const double survives = std::pow(1 - link.loss, count);
        if (std::uniform_real_distribution<double>(0, 1)(random_) >= survives) return Drop::loss;
    }
    if (link.ns_per_byte > 0) {
        const Duration backlog = std::max(link.busy_until - head, Duration(0));
        if (backlog > nanoseconds(link.queue_bytes * link.ns_per_byte)) return Drop::queue_full;
        const double size = static_cast<double>(transit.message.bytes) + count * packet_overhead;
        const Duration whole = nanoseconds(size * link.ns_per_byte);
        const Duration first = nanoseconds(size / count * link.ns_per_byte);
        link.busy_until = head + backlog + whole;
        head += backlog + first;
        transit.tail = std::max(transit.tail, whole - first);
    }
    head += link.delay;
    return std::nullopt;
}

bool SimNetwork::drop(std::uint64_t index, Drop why) {
    const Message message = std::move(transits_[index].message);
    release(index);
    message.sender->dropped(message.tag, why);
    return true;
}

bool SimNetwork::deliver(std::uint64_t index) {
    const Message message = std::move(transits_[index].message);
    release(index);
    machines_[message.to].received += message.bytes;
    message.sender->arrived(message.tag);
    return message.sender->wakes();
}

}  // namespace trellis::sim
