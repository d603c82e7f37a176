#include "tests/lab/network_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace trellis::lab {
namespace {

double ns_per_byte_of(double bits_per_second) {
    return bits_per_second > 0 ? 8e9 / bits_per_second : 0;
}

NetworkModel::Time duration(std::uint32_t bytes, double ns_per_byte) {
    return static_cast<NetworkModel::Time>(bytes * ns_per_byte);
}

bool is_multicast(const AddressBytes& address) {
    const bool v4 = std::all_of(address.begin() + 4, address.end(), [](auto byte) { return byte == 0; });
    return v4 && address[0] >> 4 == 0xe;
}

}  // namespace

std::size_t NetworkModel::BytesHash::operator()(const AddressBytes& bytes) const {
    std::uint64_t halves[2];
    std::memcpy(halves, bytes.data(), sizeof halves);
    return static_cast<std::size_t>((halves[0] ^ (halves[1] * 0x9e3779b97f4a7c15)) * 0xff51afd7ed558ccd >>
                                    16);
}

NetworkModel::NetworkModel(const TopologyFile& file, Exit exit)
    : exit_(std::move(exit)), largest_frame_(static_cast<std::uint32_t>(file.mtu) + frame_overhead) {
    for (std::size_t i = 0; i < file.nodes.size(); ++i) {
        const Node& node = file.nodes[i];
        parents_.push_back(node.parent);
        depths_.push_back(node.depth);
        switches_.push_back(node.is_switch());
        neighbours_.emplace_back();
        if (node.parent != no_node) {
            neighbours_[i].push_back(node.parent);
            neighbours_[node.parent].push_back(i);
        }
        for (const Address& address : node.addresses)
            nics_[address.bytes] = i;
        DirectedLink link;
        link.ns_per_byte = ns_per_byte_of(node.up.rate);
        link.queue_bytes = static_cast<double>(node.up.queue);
        link.delay = node.up.delay.count();
        link.loss = static_cast<std::uint32_t>(std::llround(node.up.loss * 4294967295.0));
        links_.push_back(link);
        link.ns_per_byte = ns_per_byte_of(node.up.rate_down());
        links_.push_back(link);
    }
}

NetworkModel::DirectedLink& NetworkModel::directed(std::size_t link, Direction direction) {
    return links_[2 * link + (direction == Direction::down ? 1 : 0)];
}

void NetworkModel::enter(Packet* packet, std::size_t from_nic, const PacketView& view, Time now) {
    packet->wire = view.wire;
    packet->tail = now;
    packet->acknowledgement = view.acknowledgement;
    packet->multicast = is_multicast(view.destination);
    if (packet->multicast) return spread(packet, from_nic, no_node);
    if (!route(*packet, from_nic, view.destination)) return exit_.drop(packet);
    hop(packet, now);
}

// A packet that has reached a node goes on to all its neighbours but the one that it comes from.
void NetworkModel::spread(Packet* packet, std::size_t at, std::size_t previous) {
    for (std::size_t next : neighbours_[at]) {
        if (next == previous) continue;
        Packet* copy = exit_.copy(*packet);
        copy->path[0] = static_cast<std::uint32_t>(parents_[at] == next ? 2 * at : 2 * next + 1);
        copy->hops = 1;
        copy->hop = 0;
        copy->target = next;
        copy->previous = at;
        copy->multicast = true;
        copy->acknowledgement = false;
        hop(copy, copy->tail);
    }
    exit_.forget(packet);
}

bool NetworkModel::route(Packet& packet, std::size_t from, const AddressBytes& destination) const {
    auto found = nics_.find(destination);
    if (found == nics_.end()) return false;
    packet.target = found->second;
    packet.hops = packet.hop = 0;
    std::uint32_t descent[20];
    std::uint32_t descended = 0;
    for (std::size_t x = from, y = packet.target; x != y;) {
        bool climb = depths_[x] >= depths_[y];
        std::size_t& side = climb ? x : y;
        if (parents_[side] == no_node) return false;
        auto link = static_cast<std::uint32_t>(2 * side);
        if (climb) {
            packet.path[packet.hops++] = link;
        } else {
            descent[descended++] = link + 1;
        }
        side = parents_[side];
    }
    while (descended > 0)
        packet.path[packet.hops++] = descent[--descended];
    return true;
}

// Nobody sees a packet between two links: an event there need not run when it is due, only before a later
// one.
void NetworkModel::schedule(Packet* packet, Time due) {
    events_.push({due, next_order_++, packet});
    exits_.push(earliest_exit(*packet, due));
}

// Were all links free that are left.
NetworkModel::Time NetworkModel::earliest_exit(const Packet& packet, Time head) const {
    Passage passage{0, head, packet.tail};
    for (std::size_t hop = packet.hop; hop < packet.hops; ++hop)
        passage = cross(links_[packet.path[hop]], packet, hop, passage.head, passage.tail);
    return passage.tail;
}

void NetworkModel::run_until(Time now) {
    while (!events_.empty() && events_.top().due <= now) {
        Event event = events_.top();
        events_.pop();
        const Packet& packet = *event.packet;
        if (packet.hop == packet.hops && packet.multicast && switches_[packet.target]) {
            spread(event.packet, packet.target, packet.previous);
        } else if (packet.hop == packet.hops) {
            exit_.deliver(event.packet);
        } else {
            hop(event.packet, event.due);
        }
    }
    while (!exits_.empty() && exits_.top() <= now)
        exits_.pop();
}

NetworkModel::Time NetworkModel::next_exit() const {
    return exits_.empty() ? std::numeric_limits<Time>::max() / 4 : exits_.top();
}

// The head of the packet reaches its next link at a time that may lie ahead. Links without a rate keep no
// queue, so they are crossed at once; the next queue, or the arrival, is an event of its own.
void NetworkModel::hop(Packet* packet, Time head) {
    while (packet->hop < packet->hops) {
        DirectedLink& link = links_[packet->path[packet->hop]];
        const Time start = start_of(link, *packet, head);
        bool full =
            link.ns_per_byte > 0 && static_cast<double>(start - head) > link.queue_bytes * link.ns_per_byte;
        if (link.cut || full || lost(link)) return lose(link, packet);
        const Passage passage = cross(link, *packet, packet->hop, start, packet->tail);
        if (link.ns_per_byte > 0)  // one that overtakes holds those up that wait
            link.busy_until = std::max(link.busy_until + (passage.left - start), passage.left);
        link.count.packets += 1;
        link.count.bytes += packet->wire.all;
        packet->tail = passage.tail;
        head = passage.head;
        if (++packet->hop < packet->hops && links_[packet->path[packet->hop]].ns_per_byte > 0) {
            return schedule(packet, head);
        }
    }
    schedule(packet, packet->tail);
}

// When its first bit may go onto the link.
NetworkModel::Time NetworkModel::start_of(const DirectedLink& link, const Packet& packet, Time head) const {
    const bool overtakes = packet.hop == 0 && packet.acknowledgement;
    const Time longest = head + duration(largest_frame_, link.ns_per_byte);
    return std::max(head, overtakes ? std::min(link.busy_until, longest) : link.busy_until);
}

bool NetworkModel::lost(const DirectedLink& link) {
    if (link.loss == 0) return false;
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return static_cast<std::uint32_t>(random_ >> 32) < link.loss;
}

// A packet whose last frame comes to the link at `tail`, the head of the first one not after `start`.
NetworkModel::Passage NetworkModel::cross(const DirectedLink& link, const Packet& packet, std::size_t hop,
                                          Time start, Time tail) {
    Time whole = duration(packet.wire.all, link.ns_per_byte);
    Time first = duration(packet.wire.first, link.ns_per_byte);
    Time last_frame_in = tail + (hop > 0 ? first : 0);
    Time left = std::max(start + whole, last_frame_in);
    return {left, start + first + link.delay, left + link.delay};
}

void NetworkModel::lose(DirectedLink& link, Packet* packet) {
    link.count.dropped += 1;
    exit_.drop(packet);
}

void NetworkModel::cut(std::size_t link, bool is_cut) {
    directed(link, Direction::up).cut = is_cut;
    directed(link, Direction::down).cut = is_cut;
}

bool NetworkModel::is_cut(std::size_t link) const {
    return links_[2 * link].cut;
}

void NetworkModel::set_rate(std::size_t link, double bits_per_second) {
    directed(link, Direction::up).ns_per_byte = ns_per_byte_of(bits_per_second);
    directed(link, Direction::down).ns_per_byte = ns_per_byte_of(bits_per_second);
}

const LinkCount& NetworkModel::count(std::size_t link, Direction direction) const {
    return links_[2 * link + (direction == Direction::down ? 1 : 0)].count;
}

}  // namespace trellis::lab
