#include "shell/commands/line_joiner.hpp"

#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace trellis {
namespace {

class TextSink final : public Sink {
  public:
    Task<Result<void>> write(std::string bytes) override {
        text += bytes;
        ++writes;
        co_return Result<void>{};
    }
    void write_now(std::string_view) override {}
    Result<void> close() override { return {}; }
    std::string text;
    int writes = 0;
};

class LineJoining : public testing::Test {
  protected:
    void run(Task<Result<void>> task) {
        asio::io_context io;
        asio::co_spawn(io, std::move(task), [](const std::exception_ptr& error, const Result<void>& result) {
            EXPECT_FALSE(error);
            EXPECT_TRUE(result.has_value());
        });
        io.run();
    }
    void add(const std::string& host, std::string bytes) { run(lines.add(host, std::move(bytes), out)); }
    void finish(const std::string& host) { run(lines.finish(host, out)); }
    LineJoiner lines;
    TextSink out;
};

TEST_F(LineJoining, LinesArriveWhole) {
    add("a", "one\ntw");
    add("b", "1\n2");
    add("a", "o");
    EXPECT_EQ(out.text, "one\n1\n");
    add("b", "\n\n");
    add("a", "\nthree\nfo");
    EXPECT_EQ(out.text, "one\n1\n2\n\ntwo\nthree\n");
    EXPECT_EQ(out.writes, 4);
}

TEST_F(LineJoining, WhatIsUnfinishedAtTheEndIsALineUnlessTheHostWasLost) {
    add("a", "whole\nrest");
    finish("a");
    finish("a");
    add("b", "whole\n");
    finish("b");
    add("c", "torn");
    lines.drop("c");
    finish("c");
    EXPECT_EQ(out.text, "whole\nrest\nwhole\n");
}

TEST_F(LineJoining, ALineOfAnyLengthIsNotBroken) {
    std::string expected;
    for (int i = 0; i < 100; ++i) {
        const std::string piece(30000, static_cast<char>('a' + i % 26));
        add("a", piece);
        add("b", "between\n");
        expected += piece;
    }
    out.text.clear();
    add("a", "!\nnext");
    EXPECT_EQ(out.text, expected + "!\n");
    out.text.clear();
    add("a", "\n");
    EXPECT_EQ(out.text, "next\n");
    add("a", expected);
    out.text.clear();
    finish("a");
    EXPECT_EQ(out.text, expected + "\n");
}

}  // namespace
}  // namespace trellis
