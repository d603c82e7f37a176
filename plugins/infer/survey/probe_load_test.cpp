#include "plugins/infer/survey/probe_load.hpp"

#include <gtest/gtest.h>

namespace trellis::plugins::infer {
namespace {

TEST(ProbeLoad, TellsTheBusiestHostAndTheBytesOfAll) {
    ProbeLoad load;
    load.add(1000, 30, 9040);
    load.add(2000, 60, 8000);
    load.add_time(0.1);
    load.add_time(0.15);
    EXPECT_EQ(load.text(),
              "at most 9,100 probes a second from one host, 12,000 from all on the average; 0.8 MB in all");
}

TEST(ProbeLoad, SaysLittleOfLittle) {
    EXPECT_EQ(ProbeLoad().text(),
              "at most 0 probes a second from one host, 0 from all on the average; 0.000 MB in all");
    ProbeLoad load;
    load.add(10, 1, 1234567);
    load.add_time(2);
    EXPECT_EQ(load.text(),
              "at most 1,300,000 probes a second from one host, 5 from all on the average; 0.003 MB in all");
}

}  // namespace
}  // namespace trellis::plugins::infer
