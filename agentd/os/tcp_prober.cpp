#include "agentd/os/tcp_prober.hpp"

#include "agentd/core/mailbox.hpp"
#include "agentd/os/probe_listener.hpp"
#include "agentd/os/probe_measurement.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>

namespace trellis {
namespace {

// What measure() waits for; touched on the executor alone.
struct Measuring {
    explicit Measuring(const Executor& executor) : arrived(executor) {}
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
    void stop(std::uint64_t number) { measurements_.erase(number); }

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
        for (const std::weak_ptr<Measuring>& one : waiting_) {
            if (const auto waiting = one.lock()) end(*waiting);
        }
    }

    void begin(PairKeys keys, std::vector<FileDescriptor> sockets,
               std::function<void(std::string)> on_stranger) {
        loop_->call([&] {
            *side_ = std::make_unique<LoopSide>(*loop_, std::move(keys), std::move(sockets),
                                                std::move(on_stranger));
        });
    }

    [[nodiscard]] Endpoint endpoint() const override { return endpoint_; }

    Task<Result<ProbeResult>> measure(HostId peer, Endpoint at, ProbePlan plan) override {
        if (plan.sets < 1 || plan.round_trips < 1 || plan.patience < 1) {
            co_return Failure{FailureKind::invalid, "probe", "", "a plan without round trips"};
        }
        // From here on nothing of the session is touched: it may be destroyed first.
        const auto waiting = std::make_shared<Measuring>(executor_);
        const auto loop = loop_;
        const Stop stop(*loop, side_, next_);
        start(next_++, peer, at, plan, waiting);
        while (!waiting->result)
            co_await waiting->arrived.wait();  // throws when cancelled
        co_return std::move(*waiting->result);
    }

  private:
    using Side = std::shared_ptr<std::unique_ptr<LoopSide>>;  // what it points to belongs to the loop

    // Ends the measurement if the coroutine goes first.
    class Stop {
      public:
        Stop(ProbeLoop& loop, Side side, std::uint64_t number)
            : loop_(loop), side_(std::move(side)), number_(number) {}
        ~Stop() {
            loop_.post([side = side_, number = number_] {
                if (*side) (*side)->stop(number);
            });
        }
        Stop(const Stop&) = delete;
        Stop& operator=(const Stop&) = delete;

      private:
        ProbeLoop& loop_;
        Side side_;
        std::uint64_t number_;
    };

    static void end(Measuring& waiting) {
        waiting.result = Failure{FailureKind::cancelled, "probe", "", "the operation has ended"};
        waiting.arrived.notify();
    }

    void start(std::uint64_t number, HostId peer, const Endpoint& at, ProbePlan plan,
               const std::shared_ptr<Measuring>& waiting) {
        std::erase_if(waiting_, [](const auto& one) { return one.expired(); });
        waiting_.push_back(waiting);
        // Weak, and looked at on the executor alone: what waits must not die on the loop's thread.
        const auto done = [executor = executor_, weak = std::weak_ptr(waiting)](Result<ProbeResult> result) {
            asio::post(executor, [weak, result = std::move(result)] {
                const auto waits = weak.lock();
                if (!waits || waits->result) return;
                waits->result = result;
                waits->arrived.notify();
            });
        };
        loop_->post(
            [side = side_, number, peer, at, plan, done] { (*side)->measure(number, peer, at, plan, done); });
    }

    Executor executor_;
    std::shared_ptr<ProbeLoop> loop_;
    Endpoint endpoint_;
    Side side_ = std::make_shared<std::unique_ptr<LoopSide>>();
    std::uint64_t next_ = 0;
    std::vector<std::weak_ptr<Measuring>> waiting_;
};

}  // namespace

TcpProber::TcpProber(Executor executor, std::shared_ptr<const SessionKey> key, StrangerReport on_stranger,
                     Duration spin)
    : executor_(std::move(executor)),
      key_(std::move(key)),
      on_stranger_(std::move(on_stranger)),
      loop_(std::make_shared<ProbeLoop>(spin)) {}

Result<std::unique_ptr<Prober::Session>> TcpProber::open(PeerSession session) {
    const Host* self = find_participant(session, session.self);
    if (self == nullptr) {
        return Failure{FailureKind::invalid, "listen for peers", "", "this host takes no part"};
    }
    Result<ListeningSockets> listening = listen_on(self->addresses);
    if (!listening) return listening.error();
    const OperationId operation = session.operation;
    auto opened = std::make_unique<TcpSession>(executor_, loop_, listening->endpoint);
    opened->begin(PairKeys(key_, std::move(session), PairPurpose::probe), std::move(listening->sockets),
                  first_stranger(executor_, operation, on_stranger_));
    return std::unique_ptr<Session>(std::move(opened));
}

}  // namespace trellis
