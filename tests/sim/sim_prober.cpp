#include "agentd/core/probe_sets.hpp"
#include "tests/sim/sim_process.hpp"
#include "tests/sim/sim_seams.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace trellis::sim {
namespace {

constexpr Duration retransmission = std::chrono::milliseconds(200);

// The round trips of one measurement: messages there and back, one after the other. It runs by events alone
// and wakes its coroutine once, at the end.
class Measurement final : public Sender, public std::enable_shared_from_this<Measurement> {
  public:
    Measurement(SimProcess& from, SimProcess* to, MachineIndex there,
                std::shared_ptr<const PeerSession> visitor, Endpoint at, ProbePlan plan)
        : machines_(from.machines()),
          from_(from),
          here_(from.machine()),
          there_(there),
          peer_(to),
          visitor_(std::move(visitor)),
          at_(std::move(at)),
          plan_(plan),
          sets_(plan),
          ended_(machines_.time().context().get_executor()) {}

    Task<Result<ProbeResult>> run() {
        const auto self = shared_from_this();
        const Abandon abandon(*this);
        begin_set();
        while (!sets_.complete() && !failure_)
            co_await ended_.wait();
        if (failure_) co_return *failure_;
        co_return sets_.result();
    }

    void arrived(std::uint64_t tag) override {
        if (over()) return;
        if (tag == there_and_back) return take_sample();
        if (!peer_ || !peer_->alive() || !peer_->seams().ports.find(at_.port, *visitor_)) {
            return fail(FailureKind::refused, "connection refused");
        }
        if (!peer_->running()) return;  // a stopped process does not answer
        send(there_, here_, there_and_back);
    }

    void dropped(std::uint64_t tag, Drop why) override {
        if (over() || why == Drop::machine_down) return;
        auto again = [self = shared_from_this(), tag] {
            if (self->over()) return;
            const bool back = tag == there_and_back;
            self->send(back ? self->there_ : self->here_, back ? self->here_ : self->there_, tag);
        };
        machines_.time().at(machines_.time().now() + retransmission, again);
    }

  private:
    static constexpr std::uint64_t there_only = 0;
    static constexpr std::uint64_t there_and_back = 1;
    static constexpr int round_trips_of_a_connection = 2;

    // Nobody waits for the result any more, when the coroutine goes.
    struct Abandon {
        explicit Abandon(Measurement& which) : measurement(which) {}
        ~Abandon() { measurement.abandoned_ = true; }
        Abandon(const Abandon&) = delete;
        Abandon& operator=(const Abandon&) = delete;
        Measurement& measurement;
    };

    [[nodiscard]] bool over() const { return abandoned_ || failure_ || sets_.complete() || !from_.alive(); }
    [[nodiscard]] bool wakes() const override { return over() || connecting_ > 0; }

    void begin_set() {
        connecting_ = round_trips_of_a_connection;
        const std::size_t set = sets_.result().minima.size();
        const auto waits = [self = shared_from_this(), set] {
            return !self->over() && self->sets_.result().minima.size() == set;
        };
        const auto give_up = [this] { fail(FailureKind::timed_out, "no answer to probes"); };
        machines_.time().at(machines_.time().now() + plan_.timeout, give_up, waits);
        begin_round_trip();
    }

    void begin_round_trip() {
        begun_ = machines_.time().now();
        send(here_, there_, there_only);
    }

    void send(MachineIndex from, MachineIndex to, std::uint64_t tag) {
        machines_.network().send({from, to, probe_bytes, shared_from_this(), tag});
    }

    void take_sample() {
        const Duration passed = machines_.time().now() - begun_;
        const Duration sample = machines_.sample(here_, there_, passed);
        if (sample <= passed) return count(sample);
        auto later = [self = shared_from_this(), sample] {
            self->count(sample);
            return self->wakes();
        };
        machines_.time().at(begun_ + sample, later);
    }

    void count(Duration sample) {
        if (over()) return;
        if (connecting_ > 0) {
            --connecting_;
            return begin_round_trip();
        }
        if (!sets_.add(sample)) return begin_round_trip();
        if (!sets_.complete()) return begin_set();
        ended_.notify();
    }

    void fail(FailureKind kind, std::string cause) {
        failure_ = Failure{kind, "measure", "", std::move(cause)};
        ended_.notify();
    }

    SimMachines& machines_;
    SimProcess& from_;
    MachineIndex here_;
    MachineIndex there_;
    SimProcess* peer_;  // null: nobody listens there
    std::shared_ptr<const PeerSession> visitor_;
    Endpoint at_;
    ProbePlan plan_;
    ProbeSets sets_;
    std::optional<Failure> failure_;
    TimePoint begun_{};
    int connecting_ = 0;  // round trips until the connection stands
    bool abandoned_ = false;
    Signal ended_;
};

class SimSession final : public Prober::Session {
  public:
    SimSession(SimProcess& process, std::shared_ptr<OpenPort> port, std::uint16_t number)
        : process_(process), port_(std::move(port)), number_(number) {}

    [[nodiscard]] Endpoint endpoint() const override {
        return {process_.machines().addresses(process_.machine()), number_};
    }

    Task<Result<ProbeResult>> measure(HostId peer, Endpoint at, ProbePlan plan) override {
        SimMachines& machines = process_.machines();
        std::optional<MachineIndex> there;
        for (const trellis::Address& address : at.addresses) {
            if (!there) there = machines.network().machine_at(address.ip);
        }
        const bool route = there && machines.network().one_way_delay(process_.machine(), *there) &&
                           machines.network().cut_between(process_.machine(), *there) != Cut::visible;
        if (!route) co_return Failure{FailureKind::unreachable, "measure", "", "no route to host"};
        SimProcess* listening = find_listening(machines, at, *port_->session, peer);
        const auto measurement =
            std::make_shared<Measurement>(process_, listening, *there, port_->session, std::move(at), plan);
        co_return co_await measurement->run();
    }

  private:
    SimProcess& process_;
    std::shared_ptr<OpenPort> port_;
    std::uint16_t number_;
};

}  // namespace

Result<std::unique_ptr<Prober::Session>> SimProber::open(PeerSession session) {
    auto port = std::make_shared<OpenPort>();
    port->session = std::make_shared<const PeerSession>(std::move(session));
    const std::uint16_t number = process_.seams().ports.open(port);
    return std::make_unique<SimSession>(process_, std::move(port), number);
}

}  // namespace trellis::sim
