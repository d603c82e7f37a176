// FakeCluster: a cluster for tests of the shell alone: hosts join at once unless their name begins with
// "bad", and commands are answered by a function. No agents, no processes, no network.
#pragma once

#include "trellis/message.hpp"

#include "agentd/core/exec_messages.hpp"
#include "shell/session/cluster.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace trellis {

// What a command does on a host. With `hangs` it ends only when it is cancelled at this level or above;
// signals are kept and do nothing.
struct FakeAnswer {
    std::string out;
    std::string err;
    Outcome outcome;
    std::optional<CancelLevel> hangs;
};

using FakeShell = std::function<FakeAnswer(const std::string& host, const ExecRequest& request)>;

// Counts of all operations together.
struct FakeCounts {
    int taken = 0;  // events
    int ended = 0;  // operations that have been destroyed
};

class FakeOperation final : public Operation {
  public:
    FakeOperation(const Executor& executor, const Membership& membership, const FakeShell& shell,
                  const OperationRequest& request, std::shared_ptr<FakeCounts> counts,
                  std::vector<int>& signals)
        : wake_(executor, std::chrono::steady_clock::time_point::max()),
          meeting_{id(), "nonce", root_id, {}, request.plain},
          counts_(std::move(counts)),
          signals_(signals) {
        const ExecRequest exec = decode<ExecRequest>(request.body).value();
        for (const HostId host : request.hosts)
            answer(host, shell(membership.find(host)->host.name, exec));
        meeting_.participants.emplace_back().key = request.root_key;
    }

    ~FakeOperation() override { ++counts_->ended; }
    FakeOperation(const FakeOperation&) = delete;
    FakeOperation& operator=(const FakeOperation&) = delete;

    Task<std::optional<OperationEvent>> next() override {
        constexpr auto waiting = asio::as_tuple(asio::use_awaitable);
        while (events_.empty() && !hanging_.empty()) {
            const auto [error] = co_await wake_.async_wait(waiting);
            if (error && events_.empty() && !woken_) throw boost::system::system_error(error);
            woken_ = false;
        }
        if (events_.empty()) co_return std::nullopt;
        OperationEvent event = std::move(events_.front());
        events_.pop_front();
        ++counts_->taken;
        co_return event;
    }
    void send(HostId, std::string) override {}
    void send_all(std::string body) override { signals_.push_back(decode<ExecControl>(body).value().signal); }
    Task<Result<void>> write(HostId, std::uint32_t, std::string) override { co_return Result<void>{}; }
    void finish(HostId, std::uint32_t) override {}
    void cancel(CancelLevel level) override {
        for (auto host = hanging_.begin(); host != hanging_.end();) {
            if (host->second > level) {
                ++host;
                continue;
            }
            events_.push_back({host->first, RoleResult{{Outcome::State::signalled, 2, {}, ""}, ""}});
            host = hanging_.erase(host);
        }
        wake();
    }
    void abandon() override {
        for (const auto& [host, level] : std::exchange(hanging_, {}))
            events_.push_back(
                {host, RoleResult{{Outcome::State::failed, 0, FailureKind::cancelled, ""}, ""}});
        wake();
    }
    [[nodiscard]] PeerSession meeting() const override { return meeting_; }
    [[nodiscard]] OperationId id() const override { return OperationId{1}; }

  private:
    void answer(HostId host, FakeAnswer answer) {
        if (!answer.out.empty()) events_.push_back({host, StreamData{exec_stdout, answer.out, false}});
        if (!answer.err.empty()) events_.push_back({host, StreamData{exec_stderr, answer.err, false}});
        if (answer.hangs)
            hanging_[host] = *answer.hangs;
        else
            events_.push_back({host, RoleResult{answer.outcome, ""}});
    }
    void wake() {
        woken_ = true;
        wake_.cancel();
    }

    asio::steady_timer wake_;
    PeerSession meeting_;
    std::shared_ptr<FakeCounts> counts_;
    bool woken_ = false;
    std::vector<int>& signals_;
    std::deque<OperationEvent> events_;
    std::map<HostId, CancelLevel> hanging_;
};

class FakeCluster final : public Cluster, private Operations {
  public:
    explicit FakeCluster(Executor executor) : executor_(std::move(executor)) {}

    FakeShell shell = [](const std::string& host, const ExecRequest&) {
        return FakeAnswer{host + "\n", "", Outcome::success(), std::nullopt};
    };
    std::vector<ExplorePlan> explored;
    std::shared_ptr<FakeCounts> counts = std::make_shared<FakeCounts>();
    std::vector<int> signals;  // sent to commands

    void lose(const std::string& name) { change(name, MemberState::lost); }
    void change(const std::string& name, MemberState state) {
        const HostId id = membership_.find(name)->host.id;
        for (const HostId changed : membership_.change(id, state, "gone"))
            handler_(*membership_.find(changed));
    }

    [[nodiscard]] const Membership& membership() const override { return membership_; }
    void on_change(std::function<void(const Member&)> handler) override { handler_ = std::move(handler); }
    Task<std::vector<ExploreResult>> explore(ExplorePlan plan) override {
        std::vector<ExploreResult> results;
        for (const std::string& name : plan.hosts)
            results.push_back({name, reach(name)});
        explored.push_back(std::move(plan));
        co_return results;
    }
    [[nodiscard]] Operations& operations() override { return *this; }

  private:
    std::unique_ptr<Operation> start(OperationRequest request) override {
        return std::make_unique<FakeOperation>(executor_, membership_, shell, request, counts, signals);
    }
    Outcome reach(const std::string& name) {
        if (name.starts_with("bad"))
            return {Outcome::State::failed, 0, FailureKind::unreachable, "no such name"};
        if (membership_.find(name)) return Outcome::success();
        Host host;
        host.id = membership_.reserve();
        host.name = name;
        membership_.expect(host.id, root_id);
        membership_.join(host, root_id);
        return Outcome::success();
    }

    Executor executor_;
    Membership membership_;
    std::function<void(const Member&)> handler_;
};

}  // namespace trellis
