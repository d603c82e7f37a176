#include "agentd/os/send_pace.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

constexpr std::size_t window = std::size_t{2} << 20;
constexpr std::size_t lead = SendPace::first_lead;
constexpr std::chrono::milliseconds half{500};  // of its patience

TEST(SendPace, IsAheadByNoMoreThanTheLead) {
    SendPace pace;
    const SendPace::Time now{};
    EXPECT_EQ(pace.room(0, now), 0u);  // nothing announced yet
    EXPECT_EQ(pace.room(window, now), lead);
    EXPECT_EQ(pace.room(window - 100'000, now), lead - 100'000);
    EXPECT_EQ(pace.room(window - lead, now), 0u);
    EXPECT_EQ(pace.room(window - lead + 98'304, now), 98'304u);
}

TEST(SendPace, SendsNoMoreThanASmallWindow) {
    SendPace pace;
    const SendPace::Time now{};
    EXPECT_EQ(pace.room(24'576, now), 24'576u);
    EXPECT_EQ(pace.room(1000, now), 1000u);
}

TEST(SendPace, GivesMoreToAServerThatAnnouncesNothingForASecond) {
    SendPace pace;
    SendPace::Time now{};
    pace.room(window, now);
    EXPECT_EQ(pace.room(window - lead, now), 0u);
    now += half;
    EXPECT_EQ(pace.room(window - lead, now), 0u);
    now += half;
    EXPECT_EQ(pace.room(window - lead, now), lead);
    EXPECT_EQ(pace.room(window - 2 * lead, now), 0u);
    now += half;
    EXPECT_EQ(pace.room(window - 2 * lead + 1, now), 1u);  // it does announce: patience begins anew
    EXPECT_EQ(pace.room(window - 2 * lead, now), 0u);
    now += half;
    EXPECT_EQ(pace.room(window - 2 * lead, now), 0u);
}

}  // namespace
}  // namespace trellis
