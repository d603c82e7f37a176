#include "agentd/core/pair_key.hpp"
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
// and wakes its coroutine once, at the end. At the other end it is one guest, from its first hello until the
// news of its end arrives.
class Measurement final : public Sender,
                          public ProbeReception::Guest,
                          public std::enable_shared_from_this<Measurement> {
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
        try {
            begin_set();
            while (!sets_.complete() && !failure_)
                co_await ended_.wait();
        } catch (...) {  // cancelled
            close();
            throw;
        }
        if (failure_) co_return *failure_;
        ProbeResult result = sets_.result();
        result.probing = probing_;
        co_return result;
    }

    void arrived(std::uint64_t tag) override {
        if (tag == farewell) return leave();
        if (!from_.alive()) return close();  // its kernel does
        if (over() || (tag == there_and_back && !from_.running())) return;
        if (tag == there_and_back) return take_sample();
        const auto port = peer_ && peer_->alive() ? peer_->seams().ports.find(at_.port, *visitor_) : nullptr;
        if (!port) return fail(FailureKind::refused, "connection refused");
        if (!peer_->running()) return;  // a stopped process does not answer
        if (dismissed_) return fail(FailureKind::lost, "the connection broke while probing");
        if (connecting_ != 1 || welcomed_) return send(there_, here_, there_and_back);
        if (!peer_->seams().ports.admits(at_.port, *port, *visitor_)) {
            port->unknown.push_back(shared_from_this());
            return;
        }
        guest_ = true;
        port->guests.push_back(shared_from_this());
        port->reception.arrived(*this);
    }

    void dropped(std::uint64_t tag, Drop why) override {
        const bool closing = tag == farewell;
        if ((over() && !closing) || why == Drop::machine_down || ++repeats_ > most_repeats) return;
        auto again = [self = shared_from_this(), tag, closing] {
            if (self->over() && !closing) return;
            const bool back = tag == there_and_back;
            self->send(back ? self->there_ : self->here_, back ? self->here_ : self->there_, tag);
        };
        machines_.time().at(machines_.time().now() + retransmission, again);
    }

    [[nodiscard]] HostId peer() const override { return visitor_->self; }
    void welcome() override {
        welcomed_ = true;
        send(there_, here_, there_and_back);
    }
    void dismiss() override { dismissed_ = true; }

  private:
    static constexpr std::uint64_t there_only = 0;
    static constexpr std::uint64_t there_and_back = 1;
    static constexpr std::uint64_t farewell = 2;
    static constexpr int most_repeats = 100;
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
        allow(plan_.timeout);
        begin_round_trip();
    }

    // It fails unless the next step comes within `most`. One appointment serves all steps: it is put off when
    // it comes too early, and only a step that must end sooner has another one.
    void allow(Duration most) {
        deadline_ = machines_.time().now() + most;
        if (deadline_ < appointed_) appoint();
    }
    void appoint() {
        appointed_ = deadline_;
        const auto waits = [self = shared_from_this(), at = appointed_] {
            return !self->over() && self->appointed_ == at;
        };
        const auto look = [this] {
            if (machines_.time().now() < deadline_) return appoint();
            fail(FailureKind::timed_out, "no answer to probes");
        };
        machines_.time().at(appointed_, look, waits);
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
        if (connecting_ > 0) return connect_further();
        if (!sets_.add(sample)) return pace(begun_);
        probing_ += machines_.time().now() - set_begun_;
        if (!sets_.complete()) return begin_set();
        close();
        ended_.notify();
    }

    void connect_further() {
        if (--connecting_ > 0) {
            allow(plan_.timeout + plan_.turn);
            return begin_round_trip();
        }
        set_begun_ = machines_.time().now();
        allow(plan_.timeout + plan_.busy + plan_.round_trips * plan_.pace);
        pace(set_begun_);
    }

    void pace(TimePoint last) {
        const TimePoint next = last + plan_.pace;
        if (next <= machines_.time().now()) return begin_round_trip();
        machines_.time().at(next, [self = shared_from_this()] {
            if (!self->over()) self->begin_round_trip();
        });
    }

    void fail(FailureKind kind, std::string cause) {
        failure_ = Failure{kind, "measure", "", std::move(cause)};
        close();
        ended_.notify();
    }

    void close() {
        if (!std::exchange(closed_, true)) send(here_, there_, farewell);
    }
    // At the other end.
    void leave() {
        const auto port = guest_ ? peer_->seams().ports.find(at_.port, *visitor_) : nullptr;
        if (!port) return;
        const auto self = shared_from_this();
        std::erase(port->guests, self);
        port->reception.left(*this);
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
    TimePoint set_begun_{};
    Duration probing_{0};
    int connecting_ = 0;  // round trips until the connection stands
    TimePoint deadline_{};
    TimePoint appointed_ = TimePoint::max();
    int repeats_ = 0;
    bool guest_ = false;  // has been announced at the other end
    bool welcomed_ = false;
    bool dismissed_ = false;
    bool closed_ = false;
    bool abandoned_ = false;
    Signal ended_;
};

// What serve() waits for.
struct Serving {
    explicit Serving(SimMachines& machines) : over(machines.time().context().get_executor()) {}
    void end(Result<void> how) {
        if (!result) result = std::move(how);
        over.notify();
    }
    std::optional<Result<void>> result;
    Signal over;
};

// While one is served.
struct Service {
    Service(std::shared_ptr<OpenPort> at, HostId whom) : port(std::move(at)), peer(whom) {}
    ~Service() { port->reception.withdraw(peer); }
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;
    std::shared_ptr<OpenPort> port;
    HostId peer;
};

class SimSession final : public Prober::Session {
  public:
    SimSession(SimProcess& process, std::shared_ptr<OpenPort> port, std::uint16_t number)
        : process_(process), port_(std::move(port)), number_(number) {}
    ~SimSession() override {
        for (const std::weak_ptr<Serving>& one : served_)
            if (const auto serving = one.lock()) serving->end(cancelled());
    }
    SimSession(const SimSession&) = delete;
    SimSession& operator=(const SimSession&) = delete;

    [[nodiscard]] Endpoint endpoint() const override {
        return {process_.machines().addresses(process_.machine()), number_};
    }

    void introduce(std::vector<Host> peers) override {
        for (const Host& peer : peers)
            trellis::introduce(*port_->session, peer);
        for (const std::shared_ptr<Sender>& visitor : std::exchange(port_->unknown, {}))
            visitor->arrived(0);
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

    void hold(bool on) override { port_->reception.hold(on); }

    Task<Result<void>> serve(HostId peer, Duration timeout) override {
        VirtualTime& time = process_.machines().time();
        const auto serving = std::make_shared<Serving>(process_.machines());
        std::erase_if(served_, [](const auto& one) { return one.expired(); });
        served_.push_back(serving);
        const std::weak_ptr<Serving> weak = serving;
        const Service service(port_, peer);
        const auto over = [weak](const Result<void>& how) {
            if (const auto waits = weak.lock()) waits->end(how);
        };
        port_->reception.serve(peer, [over] { over({}); });
        time.at(time.now() + timeout, [over] { over(timed_out()); });
        while (!serving->result)
            co_await serving->over.wait();
        co_return *serving->result;
    }

  private:
    static Failure timed_out() { return {FailureKind::timed_out, "serve", "", "it has not come and gone"}; }
    static Failure cancelled() { return {FailureKind::cancelled, "serve", "", "the operation has ended"}; }

    SimProcess& process_;
    std::shared_ptr<OpenPort> port_;
    std::uint16_t number_;
    std::vector<std::weak_ptr<Serving>> served_;
};

}  // namespace

Result<std::unique_ptr<Prober::Session>> SimProber::open(PeerSession session) {
    auto port = std::make_shared<OpenPort>();
    port->session = std::make_shared<PeerSession>(std::move(session));
    const std::uint16_t number = process_.seams().ports.open(port);
    return std::make_unique<SimSession>(process_, std::move(port), number);
}

}  // namespace trellis::sim
