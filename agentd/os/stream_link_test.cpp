#include "agentd/os/stream_link.hpp"

#include "agentd/os/fd_stream.hpp"

#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace trellis {
namespace {

Frame frame_of(std::string body, bool bulk = false) {
    Frame frame;
    frame.type = FrameType::message;
    frame.bulk = bulk;
    frame.body = std::move(body);
    return frame;
}

struct StreamLinkTest : testing::Test {
    StreamLinkTest() {
        DescriptorPair ends = make_socket_pair();
        raw = ends.second.get();
        far = std::make_unique<FdStream>(context.get_executor(), std::move(ends.second));
        near = std::make_unique<StreamLink>(
            context.get_executor(), std::make_unique<FdStream>(context.get_executor(), std::move(ends.first)),
            std::string_view(), "a03");
    }
    void run(Task<void> task) {
        asio::co_spawn(context, std::move(task), [](const std::exception_ptr& error) {
            if (error) std::rethrow_exception(error);
        });
        context.restart();
        context.run();
    }
    void join() { peer = std::make_unique<StreamLink>(context.get_executor(), std::move(far)); }

    asio::io_context context{1};
    int raw = -1;
    std::unique_ptr<ByteStream> far;
    std::unique_ptr<Link> near;
    std::unique_ptr<Link> peer;
};

TEST_F(StreamLinkTest, ControlOvertakesBulk) {
    join();
    near->send(frame_of("b1", true));
    near->send(frame_of("b2", true));
    near->send(frame_of("c1"));
    std::string order;
    const auto receive_three = [&]() -> Task<void> {
        for (int i = 0; i < 3; ++i) {
            const Result<Frame> frame = co_await peer->receive();
            order += frame.value().body + " ";
        }
    };
    run(receive_three());
    EXPECT_EQ(order, "c1 b1 b2 ");
}

TEST_F(StreamLinkTest, ManyFramesLeaveInOneWrite) {
    for (int i = 0; i < 100; ++i)
        near->send(frame_of("x"));
    std::size_t first_read = 0;
    const auto read_once = [&]() -> Task<void> {
        const Result<std::string> bytes = co_await far->read();
        first_read = bytes.value().size();
    };
    run(read_once());
    EXPECT_EQ(first_read, 100 * (frame_header_size + 1));
}

TEST_F(StreamLinkTest, DrainedWaitsForTheReader) {
    bool drained = false;
    for (int i = 0; i < 20; ++i)
        near->send(frame_of(std::string(100'000, 'x'), true));
    const auto wait = [&]() -> Task<void> {
        co_await near->drained();
        drained = true;
    };
    asio::co_spawn(context, wait(), asio::detached);
    context.run_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(drained);
    join();
    const auto receive = [&]() -> Task<void> {
        for (int i = 0; i < 20; ++i) {
            const Result<Frame> frame = co_await peer->receive();
            EXPECT_TRUE(frame.has_value());
        }
    };
    run(receive());
    EXPECT_TRUE(drained);
}

TEST_F(StreamLinkTest, CloseFlushesAndEndsAPendingReceive) {
    join();
    std::optional<FailureKind> own;
    std::string last;
    const auto pending = [&]() -> Task<void> {
        const Result<Frame> frame = co_await near->receive();
        own = frame.error().kind;
    };
    const auto other = [&]() -> Task<void> {
        const Result<Frame> frame = co_await peer->receive();
        const Result<Frame> end = co_await peer->receive();
        last = frame.value().body + ", " + end.error().cause;
    };
    asio::co_spawn(context, pending(), asio::detached);
    asio::co_spawn(context, other(), asio::detached);
    context.poll();
    near->send(frame_of("goodbye"));
    near.reset();
    context.restart();
    context.run();
    EXPECT_EQ(own, FailureKind::cancelled);
    EXPECT_EQ(last, "goodbye, end of file");
}

TEST_F(StreamLinkTest, MalformedBytesAreAFailureThatNamesTheHost) {
    std::optional<Failure> failure;
    const auto feed = [&]() -> Task<void> {
        co_await far->write(std::string(frame_header_size, '\xff'));
        const Result<Frame> frame = co_await near->receive();
        failure = frame.error();
    };
    run(feed());
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, FailureKind::invalid);
    EXPECT_EQ(failure->host, "a03");
}

TEST_F(StreamLinkTest, AReaderThatIsGoneDoesNotBlockTheSender) {
    far.reset();
    for (int i = 0; i < 20; ++i)
        near->send(frame_of(std::string(100'000, 'x'), true));
    bool drained = false;
    const auto wait = [&]() -> Task<void> {
        co_await near->drained();
        drained = true;
    };
    run(wait());
    EXPECT_TRUE(drained);
}

}  // namespace
}  // namespace trellis
