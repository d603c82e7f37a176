#include "shell/standing/session_place.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SessionPlaces : public testing::Test {
  public:
    SessionPlaces() { std::filesystem::create_directories(parent_); }
    ~SessionPlaces() override {
        for (const int descriptor : open_)
            ::close(descriptor);
        std::filesystem::remove_all(parent_);
    }

  protected:
    [[nodiscard]] std::string directory() const { return (parent_ / "place").string(); }
    SessionPlace place() { return *SessionPlace::at(directory()); }
    // Starts nothing but keeps the socket, as the process of a session would.
    SessionPlace::Start keep() {
        return [this](int listening) {
            ++starts_;
            open_.push_back(::dup(listening));
            return Result<void>{};
        };
    }
    Result<int> reach(const std::string& name) {
        Result<int> connected = place().connect_or_start(name, keep());
        if (connected) open_.push_back(*connected);
        return connected;
    }
    void die() {
        for (const int descriptor : std::exchange(open_, {}))
            ::close(descriptor);
    }

    std::filesystem::path parent_ =
        std::filesystem::temp_directory_path() / ("trellis-place-test-" + std::to_string(::getpid()));
    std::vector<int> open_;
    int starts_ = 0;
};

TEST(SessionNames, AreFileNamesWithoutSurprises) {
    EXPECT_TRUE(is_session_name("lab1"));
    EXPECT_TRUE(is_session_name("Big_lab-2.x"));
    for (const char* name : {"", ".", "..", "-x", ".x", "a/b", "a b", "a\n", "\xc3\xa9"})
        EXPECT_FALSE(is_session_name(name)) << name;
    EXPECT_FALSE(is_session_name(std::string(65, 'a')));
}

TEST_F(SessionPlaces, IsMadeForItsOwnerAlone) {
    ASSERT_TRUE(SessionPlace::at(directory()));
    struct stat status {};
    ASSERT_EQ(::stat(directory().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700U);
}

TEST_F(SessionPlaces, RefusesADirectoryThatIsOpenToOthers) {
    std::filesystem::create_directory(directory());
    ::chmod(directory().c_str(), 0750);
    const auto found = SessionPlace::at(directory());
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message(), HasSubstr("open to others"));
}

TEST_F(SessionPlaces, RefusesADirectoryOfSomebodyElse) {
    if (::getuid() != 0) GTEST_SKIP() << "only root can give a directory away";
    std::filesystem::create_directory(directory());
    ASSERT_EQ(::chmod(directory().c_str(), 0700) + ::chown(directory().c_str(), 65534, 65534), 0);
    const auto found = SessionPlace::at(directory());
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message(), HasSubstr("belongs to user 65534"));
}

TEST_F(SessionPlaces, RefusesALinkInTheDirectorysPlace) {
    std::filesystem::create_directory_symlink("/tmp", directory());
    EXPECT_THAT(SessionPlace::at(directory()).error().message(), HasSubstr("is no directory"));
}

TEST_F(SessionPlaces, ConnectsOnlyToASessionThatRuns) {
    const auto none = place().connect("lab1");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, FailureKind::unavailable);
    EXPECT_THAT(none.error().message(), HasSubstr("no session is called lab1"));
    ASSERT_TRUE(reach("lab1"));
    EXPECT_EQ(starts_, 1);
    ASSERT_TRUE(reach("lab1"));
    EXPECT_EQ(starts_, 1);
    EXPECT_THAT(place().names(), ElementsAre("lab1"));
    struct stat status {};
    ASSERT_EQ(::stat(place().path("lab1", ".sock").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600U);
}

TEST_F(SessionPlaces, ReplacesTheSocketOfADeadSession) {
    ASSERT_TRUE(reach("lab1"));
    die();
    EXPECT_EQ(place().connect("lab1").error().kind, FailureKind::unavailable);
    ASSERT_TRUE(reach("lab1"));
    EXPECT_EQ(starts_, 2);
}

TEST_F(SessionPlaces, LeavesNoSocketWhereNothingCouldStart) {
    const auto cannot = [](int) { return Result<void>(Failure{FailureKind::cannot_start, "", "", "no"}); };
    EXPECT_EQ(place().connect_or_start("lab1", cannot).error().cause, "no");
    EXPECT_TRUE(place().names().empty());
}

TEST_F(SessionPlaces, RemovesOnlyTheSocketThatIsMeant) {
    ASSERT_TRUE(reach("lab1"));
    const std::uint64_t first = place().identity("lab1");
    int stopped = 0;
    place().remove("lab1", first + 1, [&] { ++stopped; });
    EXPECT_EQ(place().identity("lab1"), first);
    place().remove("lab1", first, [&] { ++stopped; });
    EXPECT_EQ(place().identity("lab1"), 0U);
    EXPECT_EQ(stopped, 2);
}

// Each process keeps its socket open until all have connected, so that a second start would be seen.
TEST_F(SessionPlaces, OneOfManyStarts) {
    std::array<int, 2> starts{}, finish{};
    ASSERT_EQ(::pipe(starts.data()) + ::pipe(finish.data()), 0);
    std::vector<pid_t> processes;
    for (int i = 0; i < 8; ++i) {
        const pid_t process = ::fork();
        if (process == 0) {
            int kept = -1;
            const auto connected = place().connect_or_start("lab1", [&](int listening) {
                kept = ::dup(listening);
                (void)!::write(starts[1], "s", 1);
                return Result<void>{};
            });
            (void)!::write(starts[1], connected ? "c" : "f", 1);
            char nothing = 0;
            ::close(finish[1]);
            (void)!::read(finish[0], &nothing, 1);
            ::_exit(kept);
        }
        processes.push_back(process);
    }
    ::close(starts[1]);
    std::string seen;
    char byte = 0;
    while (seen.size() < processes.size() + 1 && ::read(starts[0], &byte, 1) == 1)
        seen += byte;
    ::close(finish[1]);
    while (::read(starts[0], &byte, 1) == 1)
        seen += byte;
    ::close(starts[0]);
    ::close(finish[0]);
    for (const pid_t process : processes)
        ::waitpid(process, nullptr, 0);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 's'), 1);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 'c'), 8);
}

TEST_F(SessionPlaces, KnowsProcessesOfThisUser) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    EXPECT_TRUE(peer_is_this_user(ends[0]));
    open_.insert(open_.end(), ends.begin(), ends.end());
    EXPECT_FALSE(peer_is_this_user(0));
}

}  // namespace
}  // namespace trellis
