#include "agentd/os/pool_work.hpp"

#include <stdexcept>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace trellis {
namespace {

Task<void> several_works(asio::thread_pool& pool, int& done) {
    for (int i = 0; i < 3; ++i) {
        std::function<void()> work = [&done] { ++done; };
        co_await done_on(pool, std::move(work));
    }
}

TEST(PoolWork, IsDoneWhenItsCallerIsCancelledAtAnyMoment) {
    asio::thread_pool pool(1);
    for (int round = 0; round < 2000; ++round) {
        asio::io_context context;
        asio::cancellation_signal stop;
        int done = 0;
        bool ended = false;
        asio::co_spawn(
            context, several_works(pool, done),
            asio::bind_cancellation_slot(stop.slot(), [&](const std::exception_ptr&) { ended = true; }));
        for (int step = 0; step < 1 + round % 4; ++step)
            context.poll_one();
        stop.emit(asio::cancellation_type::terminal);
        context.run();
        ASSERT_TRUE(ended);
        ASSERT_GE(done, round % 4 > 0 ? 1 : 0);
    }
}

TEST(PoolWork, ThrowsWhatItHasThrown) {
    asio::thread_pool pool(1);
    asio::io_context context;
    std::exception_ptr thrown;
    std::function<void()> work = [] { throw std::runtime_error("no"); };
    asio::co_spawn(context, done_on(pool, std::move(work)),
                   [&](const std::exception_ptr& what) { thrown = what; });
    context.run();
    EXPECT_THROW(std::rethrow_exception(thrown), std::runtime_error);
}

}  // namespace
}  // namespace trellis
