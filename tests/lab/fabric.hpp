// Moves the packets of all hosts: reads them from the hosts' cards, lets the network model say when they
// arrive, and writes them to the card of their target at that time. It owns the cards. One thread; other
// descriptors (a control socket, signals) may be watched by the same loop. It never decides what a link is
// like: that is the model's.
#pragma once

#include "tests/lab/network_model.hpp"
#include "tests/lab/unique_fd.hpp"
#include "tests/lab/wakeful_processors.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace trellis::lab {

struct FabricCount {
    std::uint64_t in = 0, out = 0, dropped = 0;
    std::uint64_t refused = 0;     // by the target's card
    std::int64_t latest_ns = 0;    // the worst delivery behind its due time
    std::int64_t lateness_ns = 0;  // sum over all deliveries
};

class Fabric {
  public:
    // It sleeps until the next event and between packets, unless told to poll: a host may need this
    // processor to answer.
    explicit Fabric(const TopologyFile& file);

    void add_card(std::size_t nic, UniqueFd card);
    int card(std::size_t nic) const { return cards_[nic].get(); }

    // Calls back, inside run(), whenever the descriptor is readable.
    void watch(int fd, std::function<void()> readable);
    void forget(int fd);

    // From now on polls for packets and events, for so long after each packet, and keeps the hosts'
    // processors awake meanwhile; for a fabric with a processor of its own.
    void poll(std::chrono::nanoseconds while_busy, const cpu_set_t& host_processors);

    void run();  // until stop()
    void stop() { stopped_ = true; }

    // Closes all cards. Each takes tens of milliseconds to close, so that many threads do it.
    void close_cards();

    NetworkModel& model() { return model_; }
    const NetworkModel& model() const { return model_; }
    const FabricCount& count() const { return count_; }

  private:
    void turn();
    void wake_at(std::int64_t due, std::int64_t now);
    void read_card(std::size_t nic);
    void deliver(Packet* packet);
    void drop(Packet* packet);

    NetworkModel model_;
    PacketPool pool_;
    std::int64_t poll_ns_ = 0;
    std::int64_t last_packet_ns_ = 0;
    std::optional<WakefulProcessors> wakeful_;
    UniqueFd epoll_;
    UniqueFd timer_;
    std::int64_t timer_ns_ = 0;    // when it expires
    std::vector<UniqueFd> cards_;  // by node
    std::map<int, std::function<void()>> watched_;
    bool stopped_ = false;
    FabricCount count_;
};

}  // namespace trellis::lab
