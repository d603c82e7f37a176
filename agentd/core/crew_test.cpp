#include "agentd/core/crew.hpp"

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

namespace trellis {
namespace {

class CrewTest : public testing::Test {
  protected:
    Task<void> waits_for_ever() {
        ++begun_;
        while (true)
            co_await never_.wait();
    }
    Task<void> adds_when_something_came() {
        co_await came_.wait();
        crew_.add(waits_for_ever());
    }
    Task<int> works() {
        while (!done_)
            co_await asked_.wait();
        co_return 7;
    }
    Task<void> runs() {
        try {
            result_ = co_await crew_.run(works());
        } catch (const boost::system::system_error&) {
            cancelled_ = true;
        }
        over_ = true;
    }
    void begin() {
        asio::co_spawn(context_, runs(), asio::bind_cancellation_slot(stop_.slot(), asio::detached));
        crew_.add(adds_when_something_came());
        context_.poll();
    }

    asio::io_context context_;
    Signal never_{context_.get_executor()}, came_{context_.get_executor()}, asked_{context_.get_executor()};
    Crew crew_{context_.get_executor()};
    asio::cancellation_signal stop_;
    int begun_ = 0, result_ = 0;
    bool done_ = false, over_ = false, cancelled_ = false;
};

TEST_F(CrewTest, EndsWithItsWork) {
    begin();
    came_.notify();
    context_.poll();
    EXPECT_EQ(crew_.size(), 1U);
    EXPECT_FALSE(over_);
    done_ = true;
    asked_.notify();
    context_.poll();
    EXPECT_TRUE(over_);
    EXPECT_EQ(result_, 7);
    EXPECT_EQ(crew_.size(), 0U);
}

// The member has been woken up already when it is cancelled, and runs on to where it next waits.
TEST_F(CrewTest, TakesNobodyInOnceItEnds) {
    begin();
    asio::post(context_, [&] {
        stop_.emit(asio::cancellation_type::terminal);
        came_.notify();
    });
    context_.poll();
    EXPECT_TRUE(over_);
    EXPECT_TRUE(cancelled_);
    EXPECT_EQ(begun_, 0);
    EXPECT_EQ(crew_.size(), 0U);
}

}  // namespace
}  // namespace trellis
