#include "shell/language/gxp_words.hpp"

#include "shell/running/shell_context.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis {
namespace {

std::string our_line(const std::vector<std::string>& words) {
    const Result<GxpCall> call = read_gxpc(words, "login0", builtin_commands());
    return call ? call->line : call.error().cause;
}

TEST(GxpWords, CommandsOfTheSameNameAndMeaningStay) {
    EXPECT_EQ(our_line({"smask", "-"}), "smask -");
    EXPECT_EQ(our_line({"rmask"}), "rmask");
    EXPECT_EQ(our_line({"restoremask", "linux"}), "restoremask linux");
    EXPECT_EQ(our_line({"e", "uname", "|", "grep", "Linux"}), "e 'uname | grep Linux'");
    EXPECT_EQ(our_line({"cd", "$HOME/x"}), "cd $HOME/x");
    EXPECT_EQ(our_line({"export", "A=$B"}), "export A=$B");
    EXPECT_EQ(our_line({}), "");
}

TEST(GxpWords, MasksSelectBeforeTheyKeep) {
    EXPECT_EQ(our_line({"savemask", "linux"}), "smask && savemask linux");
    EXPECT_EQ(our_line({"savemask", "-", "rest"}), "smask - && savemask rest");
    EXPECT_EQ(our_line({"pushmask", "-"}), "pushmask && smask -");
}

TEST(GxpWords, OptionsOfExecution) {
    EXPECT_EQ(our_line({"e", "-h", "a0", "hostname"}), "e --on '@selected & /^(a0)/' hostname");
    EXPECT_EQ(our_line({"e", "-a", "-H", "a0", "hostname"}), "e --on '@all - /^(a0)/' hostname");
    EXPECT_EQ(our_line({"e", "--withmask", "linux", "--timeout", "3", "x"}), "e --on @linux --timeout 3 x");
    EXPECT_EQ(our_line({"e", "--up", "3:1", "--down", "5:4", "x"}), "e --up 3=1 --down 4=5 x");
    EXPECT_EQ(our_line({"mw", "x", "-y"}), "mw --up 3 --down 4 cat -- 'x -y'");
    EXPECT_EQ(our_line({"mw", "--master", "m 1", "x"}), "mw --up 3 --down 4 'm 1' -- x");
    EXPECT_EQ(our_line({"e", "--updown", "5:6:sort -u", "x"}), "mw --up 5 --down 6 'sort -u' -- x");
}

TEST(GxpWords, RulesAndTargetsAreExpressions) {
    EXPECT_EQ(our_line({"use", "ssh", "abc", "pqr"}), "use ssh '/^(abc)/' '/^(pqr)/'");
    EXPECT_EQ(our_line({"use", "ssh", "login", "pqr"}),
              "use ssh here '/^(pqr)/' && use ssh '/^(login)/' '/^(pqr)/'");
    EXPECT_THAT(our_line({"use", "ssh", "(", "pqr"}), testing::HasSubstr("not understood: ("));
    EXPECT_EQ(our_line({"use", "--delete"}), "use --clear");
    EXPECT_EQ(our_line({"explore", "abc[[00-03]]"}), "explore abc[[00-03]]");
    EXPECT_EQ(our_line({"explore", "-h", "/etc/hosts", "--timeout", "9", "abc"}),
              "explore --table /etc/hosts --timeout 9 --pick '/^(abc)/'");
    EXPECT_EQ(our_line({"explore", "-t", "targets"}), "explore --file targets");
}

TEST(GxpWords, QuitEndsTheSession) {
    EXPECT_TRUE(read_gxpc({"quit"}, "", builtin_commands())->ends_session);
}

TEST(GxpWords, WhatHasNoCounterpartIsRefused) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"trim"},
                                                  {"use", "rsh", "a"},
                                                  {"use", "--as", "u", "ssh", "a"},
                                                  {"e", "-g", "x", "y"},
                                                  {"e", "-h"},
                                                  {"e"},
                                                  {"explore", "--hostcmd", "x"},
                                                  {"quit", "--session_only"}})
        EXPECT_THAT(our_line(words), testing::HasSubstr("see trellis-migration(7)")) << words[0];
}

}  // namespace
}  // namespace trellis
