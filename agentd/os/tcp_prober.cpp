#include "agentd/os/tcp_prober.hpp"

#include "agentd/core/mailbox.hpp"
#include "agentd/os/probe_listener.hpp"
#include "agentd/os/probe_measurement.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace trellis {
namespace {

// What measure() or serve() waits for; touched on the executor alone.
struct Waiting {
    explicit Waiting(const Executor& executor) : arrived(executor) {}
    void end(const Result<ProbeResult>& how) {
        if (!result) result = how;
        arrived.notify();
    }
    std::optional<Result<ProbeResult>> result;
    Signal arrived;
};

// The part of a session that lives on the probe loop.
class LoopSide {
  public:
    LoopSide(ProbeLoop& loop, PairKeys keys, std::vector<FileDescriptor> sockets,
             std::function<void(std::string)> on_stranger)
        : loop_(loop),
          keys_(std::move(keys)),
          listener_(std::in_place, loop, keys_, std::move(sockets), std::move(on_stranger)) {}

    // `number` names the measurement until it is done.
    void measure(std::uint64_t number, HostId peer, const Endpoint& at, ProbePlan plan,
                 const ProbeMeasurement::Done& done) {
        const Result<SecretKey>& key = keys_.of(peer);
        if (!key) {
            done(key.error());
            return;
        }
        const Host* self = find_participant(keys_.session(), keys_.session().self);
        ProbeMeasurement::Target target{peer, keys_.name_of(peer),
                                        dialing_order(self->addresses, at.addresses), at.port, *key};
        const auto finish = [this, number, done](Result<ProbeResult> result) {
            done(std::move(result));
            measurements_.erase(number);
        };
        measurements_.try_emplace(number, loop_, keys_, std::move(target), plan, finish);
    }
    void introduce(const std::vector<Host>& peers) {
        keys_.introduce(peers);
        listener_->introduced();
    }
    void stop(std::uint64_t number) { measurements_.erase(number); }

    void hold(bool on) { listener_->reception().hold(on); }
    // `over` is called when the peer has gone.
    void serve(HostId peer, const ProbeMeasurement::Done& over) {
        listener_->reception().serve(peer, [over] { over(ProbeResult{}); });
    }
    void withdraw(HostId peer) { listener_->reception().withdraw(peer); }

  private:
    ProbeLoop& loop_;
    PairKeys keys_;
    std::optional<ProbeListener> listener_;
    std::map<std::uint64_t, ProbeMeasurement> measurements_;
};

class TcpSession : public Prober::Session {
  public:
    TcpSession(Executor executor, std::shared_ptr<ProbeLoop> loop, Endpoint endpoint)
        : executor_(std::move(executor)), loop_(std::move(loop)), endpoint_(std::move(endpoint)) {}
    ~TcpSession() override {
        loop_->call([this] { *side_ = nullptr; });
        for (const std::weak_ptr<Waiting>& one : waiting_)
            if (const auto waiting = one.lock())
                waiting->end(Failure{FailureKind::cancelled, "probe", "", "the operation has ended"});
    }

    void begin(PairKeys keys, std::vector<FileDescriptor> sockets,
               std::function<void(std::string)> on_stranger) {
        loop_->call([&] {
            *side_ = std::make_unique<LoopSide>(*loop_, std::move(keys), std::move(sockets),
                                                std::move(on_stranger));
        });
    }

    [[nodiscard]] Endpoint endpoint() const override { return endpoint_; }

    void introduce(std::vector<Host> peers) override {
        loop_->post([side = side_, peers = std::move(peers)] { (*side)->introduce(peers); });
    }

    Task<Result<ProbeResult>> measure(HostId peer, Endpoint at, ProbePlan plan) override {
        if (plan.sets < 1 || plan.round_trips < 1 || plan.patience < 1) {
            co_return Failure{FailureKind::invalid, "probe", "", "a plan without round trips"};
        }
        const auto waiting = wait();
        const std::uint64_t number = next_++;
        const Undo undo(loop_, side_, [number](LoopSide& side) { side.stop(number); });
        loop_->post([side = side_, number, peer, at = std::move(at), plan, done = done(waiting)] {
            (*side)->measure(number, peer, at, plan, done);
        });
        // From here on nothing of the session is touched: it may be destroyed first.
        while (!waiting->result)
            co_await waiting->arrived.wait();  // throws when cancelled
        co_return std::move(*waiting->result);
    }

    void hold(bool on) override {
        loop_->post([side = side_, on] { (*side)->hold(on); });
    }

    Task<Result<void>> serve(HostId peer, Duration timeout) override {
        const auto waiting = wait();
        const Undo undo(loop_, side_, [peer](LoopSide& side) { side.withdraw(peer); });
        asio::steady_timer timer(executor_, timeout);
        timer.async_wait([weak = std::weak_ptr(waiting)](const boost::system::error_code& error) {
            const auto waits = weak.lock();
            if (waits && !error)
                waits->end(Failure{FailureKind::timed_out, "serve", "", "the peer has not come and gone"});
        });
        loop_->post([side = side_, peer, over = done(waiting)] { (*side)->serve(peer, over); });
        while (!waiting->result)
            co_await waiting->arrived.wait();
        if (!*waiting->result) co_return waiting->result->error();
        co_return Result<void>();
    }

  private:
    using Side = std::shared_ptr<std::unique_ptr<LoopSide>>;  // what it points to belongs to the loop

    // What remains to be done on the loop when a coroutine goes, however it goes.
    class Undo {
      public:
        Undo(std::shared_ptr<ProbeLoop> loop, Side side, std::function<void(LoopSide&)> what)
            : loop_(std::move(loop)), side_(std::move(side)), what_(std::move(what)) {}
        ~Undo() {
            loop_->post([side = std::move(side_), what = std::move(what_)] {
                if (*side) what(**side);
            });
        }
        Undo(const Undo&) = delete;
        Undo& operator=(const Undo&) = delete;

      private:
        std::shared_ptr<ProbeLoop> loop_;
        Side side_;
        std::function<void(LoopSide&)> what_;
    };

    std::shared_ptr<Waiting> wait() {
        std::erase_if(waiting_, [](const auto& one) { return one.expired(); });
        auto waiting = std::make_shared<Waiting>(executor_);
        waiting_.push_back(waiting);
        return waiting;
    }

    // For the loop to call. Weak, and looked at on the executor alone: what waits must not die on the loop's
    // thread.
    ProbeMeasurement::Done done(const std::shared_ptr<Waiting>& waiting) {
        return [executor = executor_, weak = std::weak_ptr(waiting)](Result<ProbeResult> result) {
            asio::post(executor, [weak, result = std::move(result)] {
                if (const auto waits = weak.lock()) waits->end(result);
            });
        };
    }

    Executor executor_;
    std::shared_ptr<ProbeLoop> loop_;
    Endpoint endpoint_;
    Side side_ = std::make_shared<std::unique_ptr<LoopSide>>();
    std::uint64_t next_ = 0;
    std::vector<std::weak_ptr<Waiting>> waiting_;
};

}  // namespace

TcpProber::TcpProber(Executor executor, std::shared_ptr<const SessionKey> key, StrangerReport on_stranger,
                     Duration spin)
    : executor_(std::move(executor)),
      key_(std::move(key)),
      on_stranger_(std::move(on_stranger)),
      spin_(spin) {}

Result<std::unique_ptr<Prober::Session>> TcpProber::open(PeerSession session) {
    const Host* self = find_participant(session, session.self);
    if (self == nullptr) {
        return Failure{FailureKind::invalid, "listen for peers", "", "this host takes no part"};
    }
    Result<ListeningSockets> listening = listen_on(self->addresses);
    if (!listening) return listening.error();
    if (!loop_) loop_ = std::make_shared<ProbeLoop>(spin_);
    const OperationId operation = session.operation;
    auto opened = std::make_unique<TcpSession>(executor_, loop_, listening->endpoint);
    opened->begin(PairKeys(key_, std::move(session), PairPurpose::probe), std::move(listening->sockets),
                  first_stranger(executor_, operation, on_stranger_));
    return std::unique_ptr<Session>(std::move(opened));
}

}  // namespace trellis
