// In how many pieces an object goes to a host.
#include "plugins/bcast/feeder.hpp"

#include "trellis/message.hpp"

#include "plugins/bcast/record.hpp"
#include "tests/sim/virtual_time.hpp"

#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

namespace trellis::plugins::bcast {
namespace {

// Chunks of an object of unknown size, as they come.
class BcastFeeder : public ::testing::Test {
  protected:
    void come(std::size_t size) { EXPECT_TRUE(holding_.append(std::string(size, 'x'))); }
    void seal() { EXPECT_TRUE(holding_.seal(digest_)); }
    // What is written within less than a heartbeat; the feeder goes on where it was.
    std::vector<std::string> written() {
        if (!std::exchange(begun_, true)) asio::co_spawn(time_.context(), feeder_.run(), asio::detached);
        time_.run([] { return false; }, time_.now() + tick / 2);
        return std::exchange(written_, {});
    }
    void pass(Duration time) {
        asio::co_spawn(time_.context(), time_.sleep(time), asio::detached);
        time_.run([] { return false; }, time_.now() + time);
    }
    static std::string data(std::size_t size) {
        return record_header(RecordKind::data, size) + std::string(size, 'x');
    }

    const Digest digest_ = Digest(digest_size, 'd');
    const std::string end_ = record(RecordKind::digest, digest_);
    sim::VirtualTime time_;
    Holding holding_{time_.context().get_executor(), Shape{0, std::nullopt}, 16};
    std::vector<std::string> written_;
    bool begun_ = false;
    Feeder feeder_{holding_, time_, parts(), Position()};

  private:
    FeederParts parts() {
        FeederParts parts;
        parts.write = [this](Parts bytes) -> Task<Result<void>> {
            written_.push_back(joined(bytes));
            co_return Result<void>();
        };
        return parts;
    }
};

TEST_F(BcastFeeder, TheEndOfAChunkGoesWithTheBeginningOfTheNextOne) {
    come(chunk_size);
    seal();
    come(1000);
    const std::vector<std::string> pieces = written();
    ASSERT_EQ(pieces.size(), chunk_size / piece_size + 1);
    EXPECT_TRUE(pieces.front() == data(piece_size));
    EXPECT_TRUE(pieces.back() == end_ + data(1000));
}

TEST_F(BcastFeeder, TheEndOfAChunkGoesAtOnceIfItIsTheLastOne) {
    come(1000);
    EXPECT_EQ(written(), std::vector{data(1000)});
    seal();
    EXPECT_EQ(written(), std::vector{end_});
    EXPECT_TRUE(holding_.finish());
    EXPECT_EQ(written(), std::vector{record(RecordKind::end)});
}

TEST_F(BcastFeeder, TheEndOfAWholeChunkWaitsForTheNextOneButNoLongerThanAHeartbeat) {
    come(chunk_size);
    (void)written();
    seal();
    EXPECT_TRUE(written().empty());
    come(10);
    EXPECT_EQ(written(), std::vector{end_ + data(10)});
    come(chunk_size - 10);
    (void)written();
    seal();
    EXPECT_TRUE(written().empty());
    pass(tick);
    holding_.beat(1);
    EXPECT_EQ(written(), std::vector{end_ + record(RecordKind::heartbeat, encode(holding_.pulse()))});
    EXPECT_TRUE(holding_.finish());
    EXPECT_EQ(written(), std::vector{record(RecordKind::end)});
}

}  // namespace
}  // namespace trellis::plugins::bcast
