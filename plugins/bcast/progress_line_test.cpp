#include "plugins/bcast/progress_line.hpp"

#include <gtest/gtest.h>

namespace trellis::plugins::bcast {
namespace {

TEST(ProgressLine, WhatWasThereBeforeDoesNotCountForTheRate) {
    EXPECT_EQ(progress_line({92e6, 90e6, 100'000'000, 1, 3, 16}),
              "bcast: 92 MB of 100 MB, 2 MB/s, 4.0 s left; 3 of 16 hosts have it");
}

TEST(ProgressLine, SaysNoTimeWhereTheSizeIsNotKnown) {
    EXPECT_EQ(progress_line({2e6, 0, {}, 2, 0, 16}), "bcast: 2 MB, 1 MB/s; 0 of 16 hosts have it");
}

}  // namespace
}  // namespace trellis::plugins::bcast
