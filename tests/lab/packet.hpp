// A packet as the fabric carries it: the bytes that a host's TUN device handed over, virtio-net header first,
// and where it stands on its way. The fabric's pool owns all packets; a packet never refers to a device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace trellis::lab {

inline constexpr std::size_t vnet_header_size = 10;
// Of each frame on the wire: preamble 8, Ethernet header 14, check sequence 4, gap 12.
inline constexpr std::uint32_t frame_overhead = 38;
inline constexpr std::size_t largest_packet = vnet_header_size + 65536 + 64;

using AddressBytes = std::array<std::uint8_t, 16>;  // IPv4 in the first four, the rest zero

// What a packet costs on the wire: a large packet (TCP segmentation is left to the "card") stands for several
// frames.
struct WireSize {
    std::uint32_t all = 0;    // bytes of all frames, with preamble, gap and Ethernet header
    std::uint32_t first = 0;  // bytes of the first frame: what a switch must have before it passes it on
};

struct PacketView {
    AddressBytes destination{};
    WireSize wire;
    bool acknowledgement = false;  // of TCP, and nothing else
};

// Reads what the model has to know of a packet with its virtio-net header. Nothing if it is no whole IPv4 or
// IPv6 header.
std::optional<PacketView> view_packet(std::span<const std::uint8_t> packet);

struct Packet {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t capacity = 0;
    std::size_t size = 0;

    WireSize wire;
    std::array<std::uint32_t, 40> path{};  // directed links
    std::uint32_t hops = 0;                // links on the path
    std::uint32_t hop = 0;                 // the next one
    std::size_t target = 0;                // node to deliver to
    std::size_t previous = 0;              // of a multicast packet: the node that it comes from
    bool multicast = false;
    bool acknowledgement = false;
    std::int64_t tail = 0;  // when its last bit arrives, in the fabric's nanoseconds
};

// Hands out packets and takes them back, so that steady traffic allocates nothing.
class PacketPool {
  public:
    Packet* take(std::span<const std::uint8_t> bytes);
    // The next packet that waits at a card; null if there is none.
    Packet* read_from(int card);
    Packet* copy(const Packet& packet);
    void give_back(Packet* packet);

  private:
    using Free = std::vector<Packet*>;
    Packet* of_size(std::size_t size);
    Free& free_list(std::size_t capacity);

    std::vector<std::unique_ptr<Packet>> all_;
    Free small_, middle_, large_;
    std::vector<std::uint8_t> rest_ = std::vector<std::uint8_t>(largest_packet);
};

}  // namespace trellis::lab
