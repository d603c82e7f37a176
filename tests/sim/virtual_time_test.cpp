#include "tests/sim/virtual_time.hpp"

#include "tests/sim/process_executor.hpp"

#include <string>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const auto never = [] { return false; };
constexpr TimePoint end_of_time{std::chrono::hours(1000)};

Task<void> tick(VirtualTime& time, std::string name, int times, std::string& log) {
    for (int i = 0; i < times; ++i) {
        co_await time.sleep(milliseconds(10));
        log += name;
    }
}

TEST(VirtualTime, RunsCoroutinesInStableOrderAndJumps) {
    VirtualTime time;
    std::string log;
    asio::co_spawn(time.context(), tick(time, "a", 3, log), asio::detached);
    asio::co_spawn(time.context(), tick(time, "b", 3, log), asio::detached);
    EXPECT_FALSE(time.run(never, end_of_time));
    EXPECT_EQ(log, "ababab");
    EXPECT_EQ(time.now(), TimePoint(milliseconds(30)));
}

TEST(VirtualTime, StopsAtTheLimit) {
    VirtualTime time;
    std::string log;
    asio::co_spawn(time.context(), tick(time, "a", 100, log), asio::detached);
    EXPECT_FALSE(time.run(never, TimePoint(milliseconds(45))));
    EXPECT_EQ(log, "aaaa");
}

TEST(VirtualTime, ACancelledSleepEndsAtOnceAndLeavesNoEvent) {
    VirtualTime time;
    asio::cancellation_signal signal;
    bool cancelled = false;
    auto sleeping = [&]() -> Task<void> {
        try {
            co_await time.sleep(seconds(100));
        } catch (const boost::system::system_error& error) {
            cancelled = error.code() == asio::error::operation_aborted;
        }
    };
    asio::co_spawn(time.context(), sleeping(), asio::bind_cancellation_slot(signal.slot(), asio::detached));
    time.at(TimePoint(seconds(1)), [&] { signal.emit(asio::cancellation_type::terminal); });
    EXPECT_FALSE(time.run(never, end_of_time));
    EXPECT_TRUE(cancelled);
    EXPECT_EQ(time.now(), TimePoint(seconds(1)));
}

TEST(ProcessExecutor, AStoppedProcessGoesOnWhereItWasAndADeadOneDoesNot) {
    VirtualTime time;
    std::string log;
    const auto stopped = std::make_shared<ProcessLife>(time.context());
    const auto dead = std::make_shared<ProcessLife>(time.context());
    const Executor on_stopped = ProcessExecutor(stopped);
    const Executor on_dead = ProcessExecutor(dead);
    asio::co_spawn(on_stopped, tick(time, "s", 3, log), asio::detached);
    asio::co_spawn(on_dead, tick(time, "d", 3, log), asio::detached);
    time.at(TimePoint(milliseconds(15)), [&] {
        stopped->stop();
        dead->die();
    });
    time.at(TimePoint(milliseconds(95)), [&] {
        log += "|";
        stopped->resume();
    });
    EXPECT_FALSE(time.run(never, end_of_time));
    EXPECT_EQ(log, "sd|ss");
    EXPECT_EQ(time.now(), TimePoint(milliseconds(105)));
}

TEST(VirtualTime, ForgetsTimersThatNobodyWaitsFor) {
    VirtualTime time;
    const auto held = std::make_shared<int>(0);
    bool waiting = true;
    for (int i = 0; i < 2000; ++i)
        time.at(
            time.now() + std::chrono::hours(1), [held] { ++*held; }, [&waiting] { return waiting; });
    EXPECT_GT(held.use_count(), 2000);
    waiting = false;
    for (int i = 0; i < 4000; ++i)
        time.at(time.now() + std::chrono::hours(2), [] {});
    EXPECT_EQ(held.use_count(), 1);
    time.run([] { return false; }, time.now() + std::chrono::hours(3));
    EXPECT_EQ(*held, 0);
}

}  // namespace
}  // namespace trellis::sim
