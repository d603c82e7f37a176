#include "tests/lab/packet.hpp"

#include <algorithm>
#include <cstring>
#include <netinet/in.h>
#include <sys/uio.h>

namespace trellis::lab {
namespace {

constexpr std::uint32_t smallest_frame = 84;
constexpr std::size_t small_capacity = 2048;
constexpr std::size_t middle_capacity = 20480;

// The fields of struct virtio_net_hdr, whose kernel header is no C++.
struct VnetHeader {
    std::uint8_t flags;
    std::uint8_t gso_type;
    std::uint16_t header_size;
    std::uint16_t segment_size;
    std::uint16_t checksum_start;
    std::uint16_t checksum_offset;
};
static_assert(sizeof(VnetHeader) == vnet_header_size);

// Bytes of IP and TCP or UDP headers, which every segment of a train repeats.
std::uint32_t headers_size(const VnetHeader& header, std::span<const std::uint8_t> ip) {
    constexpr std::uint8_t udp = 5;  // VIRTIO_NET_HDR_GSO_UDP_L4
    std::uint32_t start = header.checksum_start;
    bool udp_train = (header.gso_type & 0x7f) == udp;
    if (start + 20u > ip.size()) return 40;
    return start + (udp_train ? 8u : static_cast<std::uint32_t>(ip[start + 12] >> 4) * 4u);
}

WireSize wire_size(const VnetHeader& header, std::span<const std::uint8_t> ip) {
    auto size = static_cast<std::uint32_t>(ip.size());
    if (header.gso_type == 0 || header.segment_size == 0) {
        std::uint32_t frame = std::max(size + frame_overhead, smallest_frame);
        return {frame, frame};
    }
    std::uint32_t headers = std::min(headers_size(header, ip), size);
    std::uint32_t payload = size - headers;
    std::uint32_t frames =
        std::max<std::uint32_t>(1, (payload + header.segment_size - 1) / header.segment_size);
    std::uint32_t all = payload + frames * (headers + frame_overhead);
    return {all, frames > 1 ? headers + header.segment_size + frame_overhead : all};
}

// A TCP segment without payload that says nothing of its connection but what has come.
bool is_acknowledgement(std::span<const std::uint8_t> segment, std::uint8_t protocol) {
    constexpr std::uint8_t ack = 0x10, push = 0x08;
    if (protocol != IPPROTO_TCP || segment.size() < 20) return false;
    const std::size_t header = static_cast<std::size_t>(segment[12] >> 4) * 4;
    return segment.size() == header && (segment[13] & ~push) == ack;
}

}  // namespace

std::optional<PacketView> view_packet(std::span<const std::uint8_t> packet) {
    if (packet.size() < vnet_header_size + 20) return std::nullopt;
    auto ip = packet.subspan(vnet_header_size);
    PacketView view;
    if (ip[0] >> 4 == 4) {
        const std::size_t header = std::min(static_cast<std::size_t>(ip[0] & 0xf) * 4, ip.size());
        std::memcpy(view.destination.data(), &ip[16], 4);
        view.acknowledgement = is_acknowledgement(ip.subspan(header), ip[9]);
    } else if (ip[0] >> 4 == 6 && ip.size() >= 40) {
        std::memcpy(view.destination.data(), &ip[24], 16);
        view.acknowledgement = is_acknowledgement(ip.subspan(40), ip[6]);
    } else {
        return std::nullopt;
    }
    VnetHeader header;
    std::memcpy(&header, packet.data(), sizeof header);
    view.wire = wire_size(header, ip);
    return view;
}

PacketPool::Free& PacketPool::free_list(std::size_t capacity) {
    if (capacity <= small_capacity) return small_;
    return capacity <= middle_capacity ? middle_ : large_;
}

Packet* PacketPool::of_size(std::size_t size) {
    std::size_t capacity = size <= small_capacity    ? small_capacity
                           : size <= middle_capacity ? middle_capacity
                                                     : largest_packet;
    Free& free = free_list(capacity);
    if (free.empty()) {
        auto fresh = std::make_unique<Packet>();
        fresh->bytes = std::make_unique<std::uint8_t[]>(capacity);
        fresh->capacity = capacity;
        free.push_back(fresh.get());
        all_.push_back(std::move(fresh));
    }
    Packet* packet = free.back();
    free.pop_back();
    packet->size = size;
    return packet;
}

Packet* PacketPool::take(std::span<const std::uint8_t> bytes) {
    Packet* packet = of_size(bytes.size());
    std::memcpy(packet->bytes.get(), bytes.data(), bytes.size());
    return packet;
}

// Most bytes come in packets of a middle size, which are read in place.
Packet* PacketPool::read_from(int card) {
    Packet* packet = of_size(middle_capacity);
    std::array<iovec, 2> parts{{{packet->bytes.get(), middle_capacity}, {rest_.data(), rest_.size()}}};
    ssize_t result = readv(card, parts.data(), static_cast<int>(parts.size()));
    auto size = static_cast<std::size_t>(std::max<ssize_t>(result, 0));
    packet->size = std::min(size, middle_capacity);
    if (size > small_capacity && size <= middle_capacity) return packet;
    Packet* other = size > 0 ? of_size(size) : nullptr;
    if (other) std::memcpy(other->bytes.get(), packet->bytes.get(), packet->size);
    if (size > middle_capacity)
        std::memcpy(other->bytes.get() + middle_capacity, rest_.data(), size - middle_capacity);
    give_back(packet);
    return other;
}

Packet* PacketPool::copy(const Packet& packet) {
    Packet* other = take({packet.bytes.get(), packet.size});
    other->wire = packet.wire;
    other->tail = packet.tail;
    return other;
}

void PacketPool::give_back(Packet* packet) {
    free_list(packet->capacity).push_back(packet);
}

}  // namespace trellis::lab
