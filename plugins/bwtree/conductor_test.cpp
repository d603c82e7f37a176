#include "plugins/bwtree/conductor.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace trellis::plugins::bwtree {
namespace {

// Two hosts at each of two switches; a round trip between these takes 400 us, or as much as is said.
Topology two_pairs(Delay one_way = Delay{200}) {
    Topology tree;
    tree.hosts = {"a0", "a1", "b0", "b1"};
    tree.switches = {"a", "b"};
    for (TopologyNode host = 0; host < 4; ++host)
        tree.links.push_back({host, host < 2 ? 4U : 5U, Delay{0}});
    tree.links.push_back({4, 5, one_way});
    return tree;
}

HostId id_of(TopologyNode host) {
    return HostId{host + 1};
}

// What the hosts say is known beforehand; there is nothing after it.
class ScriptedOperation final : public Operation {
  public:
    Task<std::optional<OperationEvent>> next() override {
        if (events.empty()) co_return std::nullopt;
        OperationEvent event = std::move(events.front());
        events.pop_front();
        co_return event;
    }
    void send(HostId, std::string body) override {
        if (auto message = decode<ToRole>(body)) sent.push_back(std::move(*message));
    }
    void send_all(std::string) override {}
    Task<Result<void>> write(HostId, std::uint32_t, std::string) override { co_return Result<void>(); }
    void finish(HostId, std::uint32_t) override {}
    void cancel(CancelLevel) override {}
    void abandon() override {}
    [[nodiscard]] OperationId id() const override { return {}; }

    std::deque<OperationEvent> events;
    std::vector<ToRole> sent;
};

class NoContext final : public CommandContext {
  public:
    [[nodiscard]] std::vector<Host> selection() const override { return {}; }
    [[nodiscard]] Operations& operations() override { throw std::logic_error("no operations"); }
    [[nodiscard]] Bus& bus() override { throw std::logic_error("no bus"); }
    [[nodiscard]] Clock& clock() override { throw std::logic_error("no clock"); }
    [[nodiscard]] FileStore& files() override { throw std::logic_error("no files"); }
    [[nodiscard]] std::string directory(const std::string&) const override { return {}; }
    Task<Result<std::string>> read_input() override { co_return std::string(); }
    Task<void> print(std::string) override { co_return; }
    void say(std::string) override {}
    void progress(std::string) override {}
    Task<Result<int>> run_here(std::string) override { co_return 0; }
    [[nodiscard]] bool terminal() const override { return false; }
    [[nodiscard]] int width() const override { return 80; }
    void on_interrupt(std::function<void(int)>) override {}
};

class ScriptedPlan final : public MeasuringPlan {
  public:
    [[nodiscard]] std::optional<Round> next() override {
        if (taken.size() == rounds.size()) return std::nullopt;
        return rounds[taken.size()];
    }
    void take(std::span<const FlowRate> rates) override { taken.emplace_back(rates.begin(), rates.end()); }
    void leave_out(TopologyNode) override {}
    void take_back(TopologyNode) override {}
    [[nodiscard]] TopologyBandwidth result() const override { return {}; }

    std::vector<Round> rounds;
    std::vector<std::vector<FlowRate>> taken;
};

const Round both_pairs{{0, 2, 0}, {1, 3, 0}};

// A measurement of which every word is written by the test.
class Scripted {
  public:
    explicit Scripted(std::vector<Round> rounds) {
        plan_.rounds = std::move(rounds);
        for (TopologyNode host = 0; host < 4; ++host)
            says(host, Ready{1});
    }
    void says(TopologyNode host, const ToRoot& message) {
        operation_.events.push_back({id_of(host), HostMessage{encode(message)}});
    }
    // Slots of a flow of the first round, in bytes per second.
    void tells(FlowNumber flow, const std::vector<float>& rates, bool last = false) {
        says(both_pairs[flow].from, Arrival{1, flow, rates, last, {}});
    }
    void suspect(TopologyNode host, bool suspect = true) {
        operation_.events.push_back({id_of(host), HostSuspicion{suspect}});
    }
    void connected() {
        for (FlowNumber flow = 0; flow < both_pairs.size(); ++flow)
            says(both_pairs[flow].from, Connected{1, flow});
    }
    void idle(TopologyNode host, std::uint64_t sent = 0) { says(host, Idle{1, sent}); }
    void first_are_idle(TopologyNode hosts) {
        for (TopologyNode host = 0; host < hosts; ++host)
            idle(host);
    }
    // Until it is done or has heard all.
    Conducted conduct(std::uint64_t budget = UINT64_MAX, Delay one_way = Delay{200}) {
        const Topology topology = two_pairs(one_way);
        std::vector<Host> hosts(4);
        for (TopologyNode host = 0; host < 4; ++host)
            hosts[host].id = id_of(host);
        Conductor conductor(context_, operation_, topology, hosts, plan_, budget);
        asio::io_context io;
        asio::co_spawn(io, conductor.run(), [](const std::exception_ptr& thrown) {
            if (thrown) std::rethrow_exception(thrown);
        });
        io.run();
        return conductor.conducted();
    }
    // Of a flow of the first round, in bytes per second of its stream.
    [[nodiscard]] double rate(FlowNumber flow) const {
        return plan_.taken.at(0).at(flow).bits_per_second * 1448 / 1538 / 8;
    }
    [[nodiscard]] double standard_error(FlowNumber flow) const {
        return plan_.taken.at(0).at(flow).standard_error;
    }
    [[nodiscard]] std::vector<Sending> sendings() const {
        std::vector<Sending> all;
        for (const ToRole& message : operation_.sent)
            if (const auto* assignment = std::get_if<Assignment>(&message))
                all.insert(all.end(), assignment->sending.begin(), assignment->sending.end());
        return all;
    }

  private:
    NoContext context_;
    ScriptedOperation operation_;
    ScriptedPlan plan_;
};

std::vector<float> slots(std::size_t count, float rate) {
    return std::vector<float>(count, rate);
}

TEST(BwtreeConductor, AHostThatFallsSilentAfterItsGroupHasSettledTakesNothingFromTheSum) {
    Scripted script({both_pairs});
    script.connected();
    script.tells(0, slots(10, 5e7F));
    script.tells(1, slots(10, 5e7F));
    script.suspect(3);
    script.first_are_idle(3);
    script.conduct();
    EXPECT_NEAR(script.rate(0), 5e7, 1e3);
    EXPECT_NEAR(script.rate(1), 5e7, 1e3);
}

TEST(BwtreeConductor, WhatOthersSharedWithAHostThatFellSilentBeforeItHasSettledIsVoid) {
    Scripted script({both_pairs});
    script.connected();
    script.tells(0, slots(10, 5e7F));
    script.tells(1, slots(5, 5e7F));
    script.suspect(3);
    script.tells(0, slots(10, 5e7F));
    script.first_are_idle(3);
    script.conduct();
    EXPECT_EQ(script.rate(0), 0);
    EXPECT_EQ(script.rate(1), 0);
}

TEST(BwtreeConductor, WhatAFlowBroughtBeforeAnotherBeganIsNotAddedToThat) {
    Scripted script({both_pairs});
    script.connected();
    for (int report = 0; report < 3; ++report)
        script.tells(0, slots(5, 1e8F));
    for (int report = 0; report < 3; ++report) {
        script.tells(1, slots(5, 5e7F));
        script.tells(0, slots(5, 5e7F));
    }
    script.first_are_idle(4);
    script.conduct();
    EXPECT_NEAR(script.rate(0), 5e7, 1e3);
    EXPECT_NEAR(script.rate(1), 5e7, 1e3);
}

// Two flows may send half of the budget each.
TEST(BwtreeConductor, WhatASilentHostMayHaveSentIsOfTheBudgetUntilItSaysHowMuchItWas) {
    for (const bool late : {false, true}) {
        Scripted script({both_pairs, both_pairs, both_pairs});
        script.connected();
        script.suspect(0);
        script.idle(1, 3'000'000);
        script.idle(2);
        script.idle(3);
        script.says(1, Connected{2, 1});
        if (late) script.idle(0, 1'000'000);
        script.says(1, Arrival{2, 1, {}, true, "refused"});
        script.says(1, Idle{2, 0});
        script.says(3, Idle{2, 0});
        EXPECT_EQ(script.conduct(10'000'000).bytes, late ? 4'000'000U : 3'000'000U);
        std::vector<std::uint64_t> most;
        for (const Sending& sending : script.sendings())
            most.push_back(sending.most_bytes);
        EXPECT_EQ(most, (std::vector<std::uint64_t>{5'000'000, 5'000'000, 1'000'000,
                                                    late ? 3'000'000U : 1'000'000U}));
    }
}

// The variances of the flows add up to that of the sum, of those of which something came.
TEST(BwtreeConductor, AFlowOfWhichNothingCameTakesNothingOfTheStandardError) {
    Scripted script({both_pairs});
    script.connected();
    script.says(1, Arrival{1, 1, {}, true, "refused"});
    script.tells(0, slots(10, 1e8F));
    script.first_are_idle(4);
    script.conduct();
    EXPECT_NEAR(script.standard_error(0), 0.002 * 1e8 * 8 * 1538 / 1448, 1e3);
}

// The window of one stream may be less than the card of its host sends in a round trip.
TEST(BwtreeConductor, EachHostHasTheStreamsThatALongWayTakes) {
    Scripted script({both_pairs, {{0, 2, 0}, {0, 3, 0}}});
    script.connected();
    script.says(0, Arrival{1, 0, {}, true, "refused"});
    script.says(1, Arrival{1, 1, {}, true, "refused"});
    script.first_are_idle(4);
    script.conduct(UINT64_MAX, Delay{50'000});
    std::vector<int> streams;
    for (const Sending& sending : script.sendings())
        streams.push_back(sending.streams);
    EXPECT_EQ(streams, (std::vector<int>{16, 16, 8, 8}));
}

}  // namespace
}  // namespace trellis::plugins::bwtree
