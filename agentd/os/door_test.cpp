#include "agentd/os/door.hpp"

#include <memory>
#include <string>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace trellis {
namespace {

struct DoorTest : testing::Test {
    [[nodiscard]] Executor executor() { return context.get_executor(); }
    // What the visitor reads is echoed once.
    static Task<void> echo(std::unique_ptr<ByteStream> visitor) {
        Result<std::string> bytes = co_await visitor->read();
        if (bytes) co_await visitor->write(std::move(*bytes));
    }
    void open(const std::string& at) {
        door = std::make_unique<Door>(executor(), at, [this](std::unique_ptr<ByteStream> visitor) {
            asio::co_spawn(executor(), echo(std::move(visitor)), asio::detached);
        });
    }
    std::string say(const std::string& words) {
        auto stream = knock(executor(), name);
        if (!stream) return stream.error().cause;
        std::string answer;
        const auto talk = [&]() -> Task<void> {
            (void)co_await (*stream)->write(words);
            const Result<std::string> bytes = co_await (*stream)->read();
            answer = bytes.value();
            door.reset();
        };
        asio::co_spawn(context, talk(), asio::detached);
        context.run();
        return answer;
    }

    asio::io_context context{1};
    std::string name = "trellis-door-test-" + std::to_string(getpid());
    std::unique_ptr<Door> door;
};

TEST_F(DoorTest, BringsAVisitorToWhoeverWaitsBehindIt) {
    open(name);
    EXPECT_EQ(say("hello"), "hello");
}

TEST_F(DoorTest, NobodyIsBehindADoorThatIsClosed) {
    EXPECT_EQ(say("hello"), "no agent waits there");
    open(name);
    door.reset();
    EXPECT_EQ(say("hello"), "no agent waits there");
}

TEST_F(DoorTest, TheFirstToTakeANameKeepsIt) {
    open(name);
    const Door second(executor(), name, [](std::unique_ptr<ByteStream>) { FAIL(); });
    EXPECT_EQ(say("hello"), "hello");
}

}  // namespace
}  // namespace trellis
