#include "agentd/os/os_file_store.hpp"

#include <future>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace trellis {
namespace {

// As long as a disk that hangs: until it is told.
class WorkThatHangs {
  public:
    std::function<void()> work() {
        return [told = told_.get_future().share()] { told.wait(); };
    }
    void end() { told_.set_value(); }

  private:
    std::promise<void> told_;
};

TEST(OsFileStore, WorkThatHangsHoldsUpNoOtherStore) {
    asio::io_context context;
    OsFileStore files;
    const auto hanging = files.another(), other = files.another();
    WorkThatHangs disk;
    bool hung_ended = false, other_ended = false;
    EXPECT_FALSE(files.busy());
    asio::co_spawn(context, hanging->apart(disk.work()),
                   [&](const std::exception_ptr&) { hung_ended = true; });
    asio::co_spawn(context, other->apart([] {}), [&](const std::exception_ptr&) { other_ended = true; });
    while (!other_ended)
        context.run_one();
    EXPECT_FALSE(hung_ended);
    EXPECT_TRUE(files.busy());
    disk.end();
    context.run();
    EXPECT_TRUE(hung_ended);
    EXPECT_FALSE(files.busy());
}

TEST(OsFileStore, WhatIsInTheBackgroundIsBesideWhatIsApart) {
    asio::io_context context;
    OsFileStore files;
    WorkThatHangs disk;
    bool ended = false;
    asio::co_spawn(context, files.in_background(disk.work()), [](const std::exception_ptr&) {});
    asio::co_spawn(context, files.apart([] {}), [&](const std::exception_ptr&) { ended = true; });
    while (!ended)
        context.run_one();
    EXPECT_TRUE(files.busy());
    disk.end();
    context.run();
    EXPECT_FALSE(files.busy());
}

}  // namespace
}  // namespace trellis
