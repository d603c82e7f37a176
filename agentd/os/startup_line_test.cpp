#include "agentd/os/startup_line.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

using ReplyKind = StartupReply::Kind;

StartupSpec sample() {
    return {"Tabc", "0123abcd", default_agent_directories(), ""};
}

TEST(StartupLine, IsOneLineThatEveryLoginShellUnderstands) {
    const std::string line = startup_line(sample()).value();
    const std::string inner = line.substr(line.find('\'') + 1, line.size() - line.find('\'') - 2);
    EXPECT_TRUE(line.starts_with("exec /bin/sh -c '"));
    EXPECT_TRUE(line.ends_with("'"));
    EXPECT_EQ(inner.find_first_of("'\\!\n`"), std::string::npos);
}

TEST(StartupLine, RefusesDirectoriesThatCannotBeQuoted) {
    StartupSpec spec = sample();
    for (const std::string directory : {"relative", "/with'quote", "/with!mark", "", "/two\nlines"}) {
        spec.directories = {directory};
        EXPECT_EQ(startup_line(spec).error().kind, FailureKind::invalid) << directory;
    }
    spec.directories = {"/with space", "$HOME/here"};
    EXPECT_TRUE(startup_line(spec).has_value());
}

TEST(StartupReader, FindsRepliesInNoiseHoweverTheBytesAreCut) {
    const std::string text =
        "Welcome!\nno newline at the endTabc need full Linux x86_64 /var/tmp/a b\n"
        "Tabc failed /var/tmp/a b: disk full\r\n\nTabc started\nframes";
    for (std::size_t cut = 0; cut < text.size(); ++cut) {
        StartupReader reader("Tabc");
        reader.feed(text.substr(0, cut));
        std::vector<StartupReply> replies;
        for (int piece = 0; piece < 2; ++piece) {
            while (replies.size() < 3) {
                const auto reply = reader.next().value();
                if (!reply) break;
                replies.push_back(*reply);
            }
            if (piece == 0) reader.feed(text.substr(cut));
        }
        ASSERT_EQ(replies.size(), 3u);
        EXPECT_EQ(replies[0],
                  (StartupReply{ReplyKind::need, AgentForm::full, "Linux", "x86_64", "/var/tmp/a b"}));
        EXPECT_EQ(replies[1], (StartupReply{ReplyKind::failed, {}, "", "", "/var/tmp/a b: disk full"}));
        EXPECT_EQ(replies[2].kind, ReplyKind::started);
        EXPECT_EQ(reader.rest(), "frames");
    }
}

TEST(StartupReader, UnderstandsWhatTheAgentPrints) {
    StartupReader reader("Tabc");
    reader.feed(started_line("Tabc"));
    EXPECT_EQ(reader.next().value()->kind, ReplyKind::started);
    EXPECT_EQ(reader.rest(), "");
}

TEST(StartupReader, NoiseHasALimitAndAnUnknownReplyIsAFailure) {
    StartupReader noisy("Tabc");
    for (int i = 0; i < 100; ++i) {
        noisy.feed(std::string(20'000, 'x'));
        if (!noisy.next()) break;
    }
    EXPECT_EQ(noisy.next().error().kind, FailureKind::cannot_start);
    StartupReader strange("Tabc");
    strange.feed("Tabc dance\n");
    EXPECT_EQ(strange.next().error().cause, "unexpected reply: dance");
    StartupReader formless("Tabc");
    formless.feed("Tabc need Linux x86_64 /tmp\n");
    EXPECT_EQ(formless.next().error().cause, "unexpected reply: need Linux x86_64 /tmp");
}

TEST(StartupReader, KeepsTheLastWordsForTheCause) {
    StartupReader reader("Tabc");
    reader.feed("This account is currently not available.\n");
    EXPECT_FALSE(reader.next().value());
    EXPECT_EQ(reader.noise(), "This account is currently not available.");
}

}  // namespace
}  // namespace trellis
