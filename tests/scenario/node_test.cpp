// A Node among neighbours that the test plays: what it passes on, and what it says of hosts to which there is
// no way.
#include "agentd/core/node.hpp"

#include "agentd/core/mailbox.hpp"
#include "tests/sim/virtual_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis::sim {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr HostId own{5}, child{6}, grandchild{7}, stranger{9};

// The other end of a link.
struct Other {
    explicit Other(const Executor& executor) : coming(executor) {}
    Mailbox<Frame> coming;
    std::vector<Frame> got;
};

class PlayedLink final : public Link {
  public:
    explicit PlayedLink(std::shared_ptr<Other> other) : other_(std::move(other)) {}
    void send(Frame frame) override { other_->got.push_back(std::move(frame)); }
    Task<Result<Frame>> receive() override {
        const auto other = other_;
        co_return co_await other->coming.pop();
    }
    Task<void> drained() override { co_return; }
    void close() override {}

  private:
    std::shared_ptr<Other> other_;
};

class NodeAmongOthers : public testing::Test, public NodeUser {
  public:
    void deliver(Frame frame) override { delivered_.push_back(std::move(frame)); }
    void child_news(FrameType, ChildNews) override {}
    void parent_lost(const Failure&) override {}

  protected:
    void SetUp() override {
        node_->attach_parent(std::make_unique<PlayedLink>(parent_));
        node_->attach_child(child, std::make_unique<PlayedLink>(below_), {grandchild});
    }
    void TearDown() override {
        node_->shutdown();
        time_.close();
    }
    void comes_from_parent(FrameType type, HostId to) {
        Frame frame;
        frame.type = type;
        frame.source = root_id;
        frame.destination = to;
        parent_->coming.push(std::move(frame));
        pass();
    }
    // The root's word that the stranger hangs on that host.
    void stranger_hangs_on(HostId parent) {
        Joined place;
        place.host.id = stranger;
        place.parent = parent;
        Frame joined;
        joined.type = FrameType::joined;
        joined.source = root_id;
        joined.destination = parent;
        joined.body = encode(std::vector<Joined>{place});
        parent_->coming.push(std::move(joined));
    }
    void pass() {
        const TimePoint limit = time_.now() + std::chrono::milliseconds(5);
        time_.at(limit, [] {});
        time_.run([] { return false; }, limit);
    }
    // The hosts that it calls unreachable, in each frame to its parent.
    [[nodiscard]] std::vector<std::vector<HostId>> told() const {
        std::vector<std::vector<HostId>> told;
        for (const Frame& frame : parent_->got) {
            EXPECT_EQ(frame.type, FrameType::unreachable);
            EXPECT_EQ(frame.source, own);
            told.push_back(decode<std::vector<HostId>>(frame.body).value());
        }
        return told;
    }

    VirtualTime time_;
    Executor executor_ = time_.context().get_executor();
    std::shared_ptr<Other> parent_ = std::make_shared<Other>(executor_);
    std::shared_ptr<Other> below_ = std::make_shared<Other>(executor_);
    std::vector<Frame> delivered_;
    std::shared_ptr<Node> node_ = std::make_shared<Node>(executor_, time_, TreeSettings{}, own, *this);
};

TEST_F(NodeAmongOthers, PassesOnWhatIsForAHostBelow) {
    comes_from_parent(FrameType::message, grandchild);
    comes_from_parent(FrameType::message, own);
    EXPECT_THAT(below_->got, SizeIs(1));
    EXPECT_THAT(delivered_, SizeIs(1));
    EXPECT_THAT(told(), IsEmpty());
}

TEST_F(NodeAmongOthers, TellsTheRootOfHostsToWhichThereIsNoWay) {
    comes_from_parent(FrameType::message, stranger);
    Frame start;
    start.type = FrameType::start;
    start.source = root_id;
    start.multicast = true;
    start.body = HostSet({own, grandchild, HostId{10}, HostId{11}}).prefix_to("payload");
    parent_->coming.push(std::move(start));
    pass();
    EXPECT_EQ(told(), (std::vector<std::vector<HostId>>{{stranger}, {HostId{10}, HostId{11}}}));
    EXPECT_THAT(below_->got, SizeIs(1));
    EXPECT_THAT(delivered_, SizeIs(1));
}

TEST_F(NodeAmongOthers, FindsTheWayThatTheRootHasTold) {
    stranger_hangs_on(grandchild);
    comes_from_parent(FrameType::message, stranger);
    EXPECT_THAT(below_->got, SizeIs(2));
    EXPECT_THAT(told(), IsEmpty());
}

// It has no link to it.
TEST_F(NodeAmongOthers, AWordThatAStrangerIsItsOwnChildChangesNothing) {
    stranger_hangs_on(own);
    comes_from_parent(FrameType::message, stranger);
    EXPECT_EQ(told(), (std::vector<std::vector<HostId>>{{stranger}}));
}

}  // namespace
}  // namespace trellis::sim
