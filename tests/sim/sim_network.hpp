// SimNetwork: messages between simulated machines. A message costs CPU time at both ends, queues at the
// sender's network card and on every link of its path (each link has a rate, a queue and a delay, in each
// direction), and may be lost. Owned by the simulated world. It knows neither processes nor connections, and
// it never repeats what is lost: that is the sender's work.
//
// A large message is a train of packets: a switch passes it on when the first one is there, and it occupies
// each link until its last one has left.
#pragma once

#include "tests/lab/topology_file.hpp"
#include "tests/sim/virtual_time.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace trellis::sim {

enum class Cut : std::uint8_t { none, silent, visible };
enum class Drop : std::uint8_t { loss, queue_full, cut, machine_down };

using MachineIndex = std::size_t;

// What the headers (Ethernet, IP, TCP) add to each packet, in bytes.
inline constexpr double packet_overhead = 66;

// Who sent a message, and hears what becomes of it.
class Sender {
  public:
    virtual ~Sender() = default;
    // At the receiver, after its CPU time.
    virtual void arrived(std::uint64_t tag) = 0;
    virtual void dropped(std::uint64_t tag, Drop why) = 0;
    // Whether arrived() may have made a coroutine ready.
    [[nodiscard]] virtual bool wakes() const { return true; }
};

struct Message {
    MachineIndex from = 0;
    MachineIndex to = 0;
    std::size_t bytes = 0;  // what the network adds to each packet is not counted
    std::shared_ptr<Sender> sender;
    std::uint64_t tag = 0;  // for the sender
};

class SimNetwork final : private Due {
  public:
    SimNetwork(VirtualTime& time, lab::TopologyFile file, std::uint64_t seed);

    void send(Message message);

    [[nodiscard]] const lab::TopologyFile& file() const { return file_; }
    [[nodiscard]] std::optional<MachineIndex> find_machine(std::string_view name) const;
    [[nodiscard]] std::optional<MachineIndex> machine_at(std::string_view address) const;
    // Sum of the link delays; nothing if the two share no network.
    [[nodiscard]] std::optional<Duration> one_way_delay(MachineIndex from, MachineIndex to);
    // The worst cut on the way between the two.
    [[nodiscard]] Cut cut_between(MachineIndex from, MachineIndex to);

    // Links are named as in the laboratory ("a00", "s0-s1"); an unknown name is a bug of the test.
    void cut(std::string_view link, Cut how);
    void set_rate(std::string_view link, double bits_per_second);
    void set_loss(std::string_view link, double share);
    // The machine neither sends nor receives any more.
    void switch_off(MachineIndex machine) { machines_[machine].off = true; }
    // Of all messages that have arrived there.
    [[nodiscard]] std::size_t received_bytes(MachineIndex machine) const {
        return machines_[machine].received;
    }
    [[nodiscard]] bool is_off(MachineIndex machine) const { return machines_[machine].off; }
    // CPU time of one message at one end; 5 us unless told.
    void set_cpu_cost(MachineIndex machine, Duration cost) { machines_[machine].cpu_cost = cost; }

  private:
    struct Link {
        double ns_per_byte = 0;
        double queue_bytes = 0;
        double loss = 0;
        Duration delay{0};
        TimePoint busy_until{};
        Cut cut = Cut::none;
    };
    struct Machine {
        Duration cpu_cost = std::chrono::microseconds(5);
        TimePoint cpu_busy_until{};
        std::size_t received = 0;
        bool off = false;
    };
    using Path = std::vector<std::uint32_t>;  // indices of links_
    struct Transit {
        Message message;
        const Path* path = nullptr;
        std::size_t hop = 0;
        Duration tail{0};  // the last byte comes this much later than the first packet
        enum class Stage : std::uint8_t { sending, arriving, delivering } stage = Stage::sending;
    };

    bool due(std::uint64_t index) override;
    bool travel(std::uint64_t index);
    std::optional<Drop> cross(Link& link, Transit& transit, TimePoint& head);
    bool drop(std::uint64_t index, Drop why);
    bool deliver(std::uint64_t index);
    void release(std::uint64_t index);
    TimePoint use_cpu(Machine& machine);
    const Path& path(MachineIndex from, MachineIndex to);
    [[nodiscard]] Path find_path(MachineIndex from, MachineIndex to) const;
    Link& direction(std::size_t node, bool up) { return links_[2 * node + (up ? 0 : 1)]; }
    std::size_t link_named(std::string_view name) const;

    VirtualTime& time_;
    lab::TopologyFile file_;
    std::mt19937_64 random_;
    std::vector<Link> links_;  // two for each node: up, down
    std::vector<Machine> machines_;
    std::unordered_map<std::string, MachineIndex> by_name_, by_address_;
    std::unordered_map<std::uint64_t, Path> paths_;
    std::vector<Transit> transits_;
    std::vector<std::uint64_t> free_;  // of transits_
};

}  // namespace trellis::sim
