// What may be told from a digest, and what becomes of chunks that go to their file before they are checked.
#include "plugins/bcast/digester.hpp"

#include "plugins/bcast/storing.hpp"
#include "tests/sim/sim_files.hpp"

#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace trellis::plugins::bcast {
namespace {

const std::string secret(digest_key_size, 'k');

TEST(BcastDigester, WithoutAKeyItIsThatOfTheBytes) {
    EXPECT_EQ(Digester().of(1, "bytes"), digest_of("bytes"));
    EXPECT_EQ(Digester().of(2, "bytes"), digest_of("bytes"));
}

TEST(BcastDigester, WithAKeyItTellsBytesPlacesAndKeysApart) {
    const Digest one = Digester(secret).of(1, "bytes");
    EXPECT_EQ(one.size(), digest_size);
    EXPECT_EQ(Digester(secret).of(1, "bytes"), one);
    EXPECT_NE(Digester(secret).of(1, "Bytes"), one);
    EXPECT_NE(Digester(secret).of(2, "bytes"), one);
    EXPECT_NE(Digester(std::string(digest_key_size, 'l')).of(1, "bytes"), one);
}

// NIST's test case 1 of GCM: a key and a nonce of zeros, and nothing else.
TEST(BcastDigester, IsGmac) {
    const std::string tag = "\x58\xe2\xfc\xce\xfa\x7e\x30\x61\x36\x7f\x1d\x57\xa4\xe7\x45\x5a";
    EXPECT_EQ(Digester(std::string(digest_key_size, '\0')).of(0, "").substr(0, 16), tag);
}

class BcastFileDigest : public ::testing::Test {
  protected:
    BcastFileDigest() {
        for (std::size_t i = 0; i < content_.size(); ++i)
            content_[i] = static_cast<char>(i * 7 >> 3);
        files_.put("/tmp/file", content_);
        file_ = *files_.open("/tmp/file");
    }
    void take(std::size_t begin, std::size_t end) {
        EXPECT_TRUE(digest_.take(3, *file_, {1000, begin, end}));
    }
    [[nodiscard]] Digest of_first(std::size_t size) const {
        return digester_.of(3, content_.substr(1000, size));
    }

    std::string content_ = std::string(300'000, '\0');
    sim::SimFiles files_;
    std::unique_ptr<OpenFile> file_;
    const Digester digester_{secret};
    FileDigest digest_{digester_};
};

TEST_F(BcastFileDigest, IsThatOfTheBytes) {
    take(0, 1);
    take(1, 150'017);
    take(150'017, 250'000);
    EXPECT_EQ(digest_.end(), of_first(250'000));
    EXPECT_FALSE(digest_.take(3, *file_, {100'000, 0, 250'000}));
}

TEST_F(BcastFileDigest, WhatWasTakenAndIsWrittenAgainCountsOnce) {
    take(0, 70'000);
    take(50'000, 90'000);
    EXPECT_EQ(digest_.end(), of_first(90'000));
    take(0, 10);
    take(0, 90'000);
    EXPECT_EQ(digest_.end(), of_first(90'000));
}

TEST_F(BcastFileDigest, AnotherChunkBeginsAnew) {
    EXPECT_TRUE(digest_.take(2, *file_, {0, 0, 1000}));
    take(0, 5000);
    EXPECT_EQ(digest_.end(), of_first(5000));
}

// One file of 2.5 chunks on its way to /tmp/to.
class BcastFiling : public ::testing::Test {
  protected:
    BcastFiling() {
        Manifest manifest;
        manifest.entries.push_back({"", FileType::file, 0644, 0, size, ""});
        const std::string text = encode(manifest);
        holding_.emplace(context_.get_executor(), Shape{text.size(), size}, 16);
        storing_.emplace(files_, *holding_, staging_, nullptr, digester_);
        EXPECT_FALSE(storing_->takes_coming());
        EXPECT_TRUE(holding_->append(text));
        EXPECT_TRUE(holding_->seal(digester_.of(0, text)));
        EXPECT_EQ(store(), Storing::Outcome::stored);
    }
    template <class T>
    T run(Task<T> task) {
        std::optional<T> result;
        asio::co_spawn(context_, std::move(task),
                       [&](const std::exception_ptr&, T got) { result.emplace(std::move(got)); });
        context_.restart();
        context_.run();
        return std::move(*result);
    }
    Storing::Outcome store() { return *run(storing_->store_next()); }
    void come(const std::string& bytes) {
        struct Some final : Haul {
            explicit Some(std::string all) : bytes(std::move(all)) {}
            std::string bytes;
            [[nodiscard]] std::size_t size() const override { return bytes.size(); }
            Result<void> put(OpenFile& file, std::uint64_t at) override { return file.write(at, bytes); }
        };
        Some haul(bytes);
        const auto place = run(storing_->put(bytes.size(), &haul));
        ASSERT_TRUE(place);
        holding_->came_to(*place, bytes.size(), false);
    }
    void come_zeros(std::size_t count) {
        const auto place = run(storing_->put(count, nullptr));
        ASSERT_TRUE(place);
        holding_->came_to(*place, count, true);
    }
    Result<void> seal(const std::string& bytes) {
        return holding_->seal(digester_.of(holding_->chunks(), bytes));
    }

    static constexpr std::size_t size = chunk_size * 5 / 2;
    asio::io_context context_{1};
    sim::SimFiles files_;
    Digester digester_{secret};
    Staging staging_{files_, "/tmp/to", "t"};
    std::optional<Holding> holding_;
    std::optional<Storing> storing_;
};

TEST_F(BcastFiling, BytesAndZerosStandWhereTheyBelong) {
    const std::string bytes(chunk_size / 2, 'a'), zeros(chunk_size / 2, '\0');
    ASSERT_TRUE(storing_->takes_coming());
    come(bytes);
    come_zeros(zeros.size());
    EXPECT_EQ(holding_->space_left(), 0U);
    ASSERT_TRUE(seal(bytes + zeros));
    EXPECT_EQ(holding_->recent(1)->stretches.size(), 2U);
    EXPECT_EQ(store(), Storing::Outcome::stored);
    EXPECT_EQ((*run(storing_->read(1)))->bytes, bytes + zeros);
}

TEST_F(BcastFiling, WhatWasDamagedIsWrittenAgainZerosToo) {
    come(std::string(chunk_size, 'x'));
    ASSERT_TRUE(seal(std::string(chunk_size, '\0')));
    EXPECT_EQ(store(), Storing::Outcome::damaged);
    holding_->rewind(holding_->stored());
    ASSERT_TRUE(storing_->takes_coming());
    come_zeros(chunk_size);
    ASSERT_TRUE(seal(std::string(chunk_size, '\0')));
    EXPECT_EQ(store(), Storing::Outcome::stored);
    EXPECT_EQ((*run(storing_->read(1)))->bytes, std::string(chunk_size, '\0'));
}

// As when the next giver has it compressed.
TEST_F(BcastFiling, AChunkThatBeganOtherwiseLeavesNoTraceInAHole) {
    come(std::string(chunk_size, 'x'));
    holding_->begin_again();
    ASSERT_TRUE(holding_->append(std::string(chunk_size, '\0')));
    EXPECT_FALSE(storing_->takes_coming());
    ASSERT_TRUE(seal(std::string(chunk_size, '\0')));
    EXPECT_EQ(store(), Storing::Outcome::stored);
    EXPECT_EQ((*run(storing_->read(1)))->bytes, std::string(chunk_size, '\0'));
}

}  // namespace
}  // namespace trellis::plugins::bcast
