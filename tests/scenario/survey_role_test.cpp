// The agents' side of the default inference in the simulated world, with a root that the tests play: batches
// in turn and all at once, one after the other, and hosts that do not do their part.
#include "plugins/infer/survey/survey_messages.hpp"
#include "tests/scenario/sim_shell.hpp"
#include "tests/sim/source_networks.hpp"
#include "tests/sim/topology_lab.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace trellis {
namespace {

using namespace plugins::infer;
using std::chrono::milliseconds;
using std::chrono::seconds;

class SurveyRoles : public testing::Test {
  protected:
    static constexpr std::size_t host_count = 8;

    void SetUp() override {
        ASSERT_EQ(shell_.explore_all(), 0);
        OperationRequest request;
        request.kind = "infer";
        request.body = encode(InferRequest{});
        for (const auto& [id, member] : shell_.world().root().membership().members())
            if (member.host.name != "ctl") request.hosts.push_back(id);
        ASSERT_EQ(request.hosts.size(), host_count);
        ids_ = request.hosts;
        operation_ = shell_.world().root().operations().start(std::move(request));
        asio::co_spawn(shell_.world().executor(), read(), asio::detached);
        ASSERT_TRUE(until([this] { return ready_.size() == host_count; }));
        peers_ = everybody();
    }
    void TearDown() override {
        operation_->cancel(CancelLevel::kill);
        EXPECT_TRUE(until([this] { return ended_; }));
        EXPECT_EQ(shell_.world().roles_running(), 0u);
    }

    Task<void> read() {
        for (;;) {
            const auto event = co_await operation_->next();
            if (!event) break;
            if (const auto* message = std::get_if<HostMessage>(&event->what))
                take(event->host, message->body);
        }
        ended_ = true;
    }
    void take(HostId from, const std::string& body) {
        const auto message = decode<ToSurveyor>(body).value();
        if (const auto* ready = std::get_if<Ready>(&message)) {
            ready_[from] = *ready;
            return;
        }
        const auto& answer = std::get<Answer>(message);
        if (answer.batch != batch_) return;
        samples_.insert(samples_.end(), answer.samples.begin(), answer.samples.end());
        for (const Miss& miss : answer.misses)
            misses_[static_cast<HostNumber>(std::ranges::find(ids_, from) - ids_.begin())].push_back(miss);
        if (answer.complete) complete_.insert(from);
    }
    template <class Condition>
    bool until(Condition condition) {
        return shell_.world().advance_until(condition, seconds(60));
    }

    std::vector<TurnPeer> everybody() {
        std::vector<TurnPeer> peers;
        for (HostNumber i = 0; i < host_count; ++i) {
            const Host& host = shell_.world().root().membership().find(ids_[i])->host;
            peers.push_back({i, host.id, host.key, {host.addresses, ready_[ids_[i]].probe_port}});
        }
        return peers;
    }
    void send(const Batch& batch, const std::set<HostNumber>& but = {}) {
        ++batch_;
        samples_.clear();
        misses_.clear();
        complete_.clear();
        for (HostNumber i = 0; i < host_count; ++i) {
            if (but.contains(i)) continue;
            const ToSurveyRole message = Assignment{batch_, i, batch.probing, batch.turns[i], peers_};
            operation_->send(ids_[i], encode(message));
            shell_.world().advance(between_);
        }
    }
    // How long the batch takes until so many hosts have all their samples.
    Duration gather(std::size_t hosts = host_count) {
        const TimePoint begun = shell_.world().time().now();
        EXPECT_TRUE(until([&] { return complete_.size() == hosts; }));
        return shell_.world().time().now() - begun;
    }
    [[nodiscard]] std::set<std::pair<HostNumber, HostNumber>> measured() const {
        std::set<std::pair<HostNumber, HostNumber>> pairs;
        for (const PairSample& sample : samples_)
            pairs.insert(std::minmax(sample.a, sample.b));
        return pairs;
    }
    static std::vector<HostNumber> all() {
        std::vector<HostNumber> hosts(host_count);
        std::iota(hosts.begin(), hosts.end(), HostNumber{0});
        return hosts;
    }
    static Batch in_turn() { return tournament(all(), host_count, Probing{}); }
    static Batch at_once(std::int32_t lanes) {
        Probing probing;
        probing.in_turn = false;
        probing.lanes = lanes;
        return tournament(all(), host_count, probing);
    }

    SimShell shell_{sim::lab_of(sim::one_cluster(host_count).truth, {1e9, std::chrono::microseconds(5)})};
    std::vector<HostId> ids_;
    std::unique_ptr<Operation> operation_;
    std::map<HostId, Ready> ready_;
    std::vector<TurnPeer> peers_;  // what each host is told of all
    Duration between_{0};          // from one host's assignment to the next one's
    std::uint32_t batch_ = 0;
    std::vector<PairSample> samples_;
    std::map<HostNumber, std::vector<Miss>> misses_;
    std::set<HostId> complete_;
    bool ended_ = false;
};

TEST_F(SurveyRoles, MeasuresEveryPairOfATournamentOnce) {
    send(in_turn());
    gather();
    EXPECT_EQ(samples_.size(), 28u);
    EXPECT_EQ(measured().size(), 28u);
    EXPECT_TRUE(misses_.empty());
    for (const PairSample& sample : samples_)
        EXPECT_GT(sample.rtt_us, 0);
}

TEST_F(SurveyRoles, SeveralLanesAreFasterAndBatchesFollowEachOtherInAnyKind) {
    send(at_once(1));
    const Duration alone = gather();
    EXPECT_EQ(measured().size(), 28u);
    send(in_turn());
    gather();
    EXPECT_EQ(measured().size(), 28u);
    send(at_once(4));
    EXPECT_LT(gather(), alone);
    EXPECT_EQ(measured().size(), 28u);
    EXPECT_TRUE(misses_.empty());
}

TEST_F(SurveyRoles, WhoComesBeforeItIsKnownWaits) {
    between_ = milliseconds(20);
    send(in_turn());
    EXPECT_LT(gather(), seconds(1));
    EXPECT_EQ(measured().size(), 28u);
    EXPECT_TRUE(misses_.empty());
}

TEST_F(SurveyRoles, WhoIsNotIntroducedIsNotMeasuredBy) {
    peers_.erase(peers_.begin() + 3);
    send(in_turn(), {3});
    gather(host_count - 1);
    EXPECT_EQ(measured().size(), 21u);
    EXPECT_TRUE(misses_.empty());
}

TEST_F(SurveyRoles, WhoCannotBeReachedIsMissedAndHoldsUpNobody) {
    peers_[3].at.port = 1;
    send(in_turn());
    EXPECT_LT(gather(), seconds(1));
    // What host 3 measures itself succeeds.
    const auto of_three = std::ranges::count(samples_, HostNumber{3}, &PairSample::a);
    std::size_t missed = 0;
    for (const auto& [host, misses] : misses_)
        for (const Miss& miss : misses) {
            EXPECT_EQ(miss.peer, 3u);
            EXPECT_NE(miss.why, "");
            ++missed;
        }
    EXPECT_EQ(missed + static_cast<std::size_t>(of_three), 7u);
    EXPECT_EQ(samples_.size() + missed, 28u);
}

TEST_F(SurveyRoles, WhoTakesNoPartCostsTheOthersNoMoreThanItsTurns) {
    send(in_turn(), {3});
    shell_.world().advance(seconds(1));
    EXPECT_LT(complete_.size(), host_count - 1);
    const ToSurveyRole skip = Skip{3};
    operation_->send_all(encode(skip));
    EXPECT_LT(gather(host_count - 1), seconds(1));
    EXPECT_EQ(measured().size(), 21u);
    EXPECT_TRUE(misses_.empty());
}

TEST_F(SurveyRoles, WhoseRoundTripsAreLateMeasuresLess) {
    std::map<std::pair<sim::MachineIndex, sim::MachineIndex>, std::size_t> sent;
    // The first of every connection is prompt.
    shell_.world().set_noise([&](auto from, auto to, Duration passed) {
        return ++sent[{from, to}] % 12 < 4 ? passed : passed + milliseconds(20);
    });
    send(in_turn());
    const Duration at_first = gather();
    send(in_turn());
    gather();
    send(in_turn());
    EXPECT_GT(gather(), at_first + seconds(2));
    EXPECT_EQ(measured().size(), 28u);
    EXPECT_TRUE(misses_.empty());
}

TEST_F(SurveyRoles, WithoutASkipTurnsTimeOut) {
    send(in_turn(), {3});
    gather(host_count - 1);
    // Who waits for the silent one lets others wait, some of whom give up.
    EXPECT_GE(measured().size(), 18u);
    EXPECT_FALSE(misses_.empty());
}

}  // namespace
}  // namespace trellis
