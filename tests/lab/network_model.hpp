// The emulated network as a calculation: links with delay, rate, queue and loss, and packets that cross them
// hop by hop. Time is whatever the caller says it is (nanoseconds that never go back); the model never reads
// a clock and never touches a device. The fabric owns it and the packets in it.
//
// Every hop is an event at its own scheduled time, so that a late caller makes a packet late once and not
// once a hop. A large packet is a train of frames: a switch passes it on as soon as the first frame is there
// (cut-through), and the train occupies the link until its last frame has left.
//
// A packet waits its turn, but for an acknowledgement on its host's own link, which waits for one frame there
// and not for all that the host has to send: a kernel keeps its own queue short by holding its programs up,
// and the usual queue of Linux, fq_codel, lets flows pass first that send little.
#pragma once

#include "tests/lab/packet.hpp"
#include "tests/lab/topology_file.hpp"

#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

namespace trellis::lab {

struct LinkCount {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;  // on the wire
    std::uint64_t dropped = 0;
};

class NetworkModel {
  public:
    using Time = std::int64_t;
    enum class Direction { up, down };  // towards the root, away from it

    // Takes the packets that leave the model, at their target or lost, and copies those of multicasts.
    struct Exit {
        std::function<void(Packet*)> deliver;
        std::function<void(Packet*)> drop;
        std::function<Packet*(const Packet&)> copy;  // of a multicast packet, for each link
        std::function<void(Packet*)> forget;         // one that has been copied
    };

    NetworkModel(const TopologyFile& file, Exit exit);

    // Starts a packet from a card at a time. One for an unknown address or another network is dropped; one to
    // an IPv4 multicast group goes to all cards of its network, over each link once, stored whole at each
    // switch.
    void enter(Packet* packet, std::size_t from_nic, const PacketView& view, Time now);

    // Runs all events that are due; a delivery may call enter().
    void run_until(Time now);

    // When run_until() must be called for the next packet to leave on time: it may need not, for one that
    // waits on its way. A time in the far future if there is no packet.
    Time next_exit() const;

    // A link is named by the index of its lower node. A cut link drops all packets that reach it.
    void cut(std::size_t link, bool is_cut);
    bool is_cut(std::size_t link) const;
    void set_rate(std::size_t link, double bits_per_second);  // 0: unlimited
    const LinkCount& count(std::size_t link, Direction direction) const;

  private:
    struct DirectedLink {
        double ns_per_byte = 0;
        double queue_bytes = 0;
        Time delay = 0;
        Time busy_until = 0;
        std::uint32_t loss = 0;  // of 2^32
        bool cut = false;
        LinkCount count;
    };
    // Of a packet over a link.
    struct Passage {
        Time left;        // the last frame has
        Time head, tail;  // at the other end
    };
    struct Event {
        Time due;
        std::uint64_t order;
        Packet* packet;
        bool operator>(const Event& other) const {
            return due != other.due ? due > other.due : order > other.order;
        }
    };
    struct BytesHash {
        std::size_t operator()(const AddressBytes& bytes) const;
    };

    bool route(Packet& packet, std::size_t from, const AddressBytes& destination) const;
    void spread(Packet* packet, std::size_t at, std::size_t previous);
    void hop(Packet* packet, Time head);
    bool lost(const DirectedLink& link);
    Time start_of(const DirectedLink& link, const Packet& packet, Time head) const;
    static Passage cross(const DirectedLink& link, const Packet& packet, std::size_t hop, Time start,
                         Time tail);
    void lose(DirectedLink& link, Packet* packet);
    void schedule(Packet* packet, Time due);
    Time earliest_exit(const Packet& packet, Time head) const;
    DirectedLink& directed(std::size_t link, Direction direction);

    Exit exit_;
    std::uint32_t largest_frame_;
    std::vector<std::size_t> parents_, depths_;
    std::vector<std::vector<std::size_t>> neighbours_;
    std::vector<bool> switches_;
    std::vector<DirectedLink> links_;  // two for each node: up, down
    std::unordered_map<AddressBytes, std::size_t, BytesHash> nics_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::priority_queue<Time, std::vector<Time>, std::greater<>> exits_;  // of events_, the earliest possible
    std::uint64_t next_order_ = 0;
    std::uint64_t random_ = 0x9e3779b97f4a7c15;
};

}  // namespace trellis::lab
