// BcastSimulated: 20 simulated hosts at one switch (10 under sanitizers), a session that has reached them,
// and what is expected of `bcast` there. A fixture; tests break its world as they like.
#pragma once

#include "tests/scenario/sim_shell.hpp"
#include "tests/sim/effort.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trellis {

inline std::string drawn_bytes(std::size_t size, std::uint64_t seed = 1) {
    std::mt19937_64 random(seed);
    std::string bytes;
    while (bytes.size() < size) {
        const std::uint64_t drawn = random();
        bytes.append(reinterpret_cast<const char*>(&drawn), sizeof drawn);
    }
    bytes.resize(size);
    return bytes;
}

// A queue holds all that one connection may have under way: as in a real kernel nobody loses what is its own.
inline lab::TopologyFile hosts_at_a_switch(std::size_t count) {
    return sim::parse_lab("switch s0\nhost ctl s0 10.9.0.1 rate=10gbit delay=25us queue=8m\nhosts h%d 0 " +
                          std::to_string(count - 1) + " s0 10.1.0.1 rate=1gbit delay=25us queue=4m\n");
}

class BcastSimulated : public ::testing::Test {
  protected:
    explicit BcastSimulated(std::size_t count = sim::effort(20, 10)) : shell_(hosts_at_a_switch(count)) {
        for (std::size_t i = 0; i < count; ++i)
            hosts_.push_back("h" + std::to_string(i));
        EXPECT_EQ(shell_.explore_all(), 0) << shell_.said();
        (void)shell_.said();
    }
    [[nodiscard]] sim::SimWorld& world() { return shell_.world(); }
    [[nodiscard]] sim::SimFiles& files(const std::string& host) { return world().files(host); }
    int run(const std::string& line) {
        const TimePoint begun = world().time().now();
        const bool plain = plain_ && line.starts_with("bcast ");
        const int status = shell_.run(plain ? "bcast --plain" + line.substr(5) : line).status;
        took_ = world().time().now() - begun;
        said_ = shell_.said();
        printed_ = shell_.printed();
        return status;
    }
    template <class What>
    void after(Duration delay, What what) {
        world().time().at(world().time().now() + delay, [this, what] { what(world()); });
    }
    [[nodiscard]] std::string all_hosts() const { return "h[0-" + hosts_.back().substr(1) + "]"; }
    [[nodiscard]] std::string have_it_but(std::size_t missing) const {
        const std::size_t count = hosts_.size();
        return std::to_string(count - missing) + " of " + std::to_string(count) + " hosts have it";
    }
    // This file and nothing else on every host but these.
    void expect_everywhere(const std::string& path, const std::string& content,
                           const std::vector<std::string>& but = {}) {
        for (const std::string& host : hosts_) {
            if (std::ranges::find(but, host) != but.end()) continue;
            ASSERT_TRUE(files(host).has(path)) << host << "\n" << said_;
            EXPECT_TRUE(files(host).holds(path, content)) << host;
            EXPECT_EQ(files(host).paths().size(), 1u) << host;
        }
    }

    // Until it had the file.
    [[nodiscard]] double seconds_of(const std::string& host) const {
        const nlohmann::json report = nlohmann::json::parse(printed_);
        for (const auto& each : report["hosts"])
            if (each["host"] == host) return each["seconds"];
        return 0;
    }
    [[nodiscard]] double seconds_of_others(const std::string& but) const {
        double latest = 0;
        for (const std::string& host : hosts_)
            if (host != but) latest = std::max(latest, seconds_of(host));
        return latest;
    }
    void expect_everywhere_alike() { expect_everywhere("/tmp/big", content_); }

    // Of /tmp/big with this content to all hosts, with cards of this rate from now on.
    Duration time_undisturbed(const std::string& content, double bits_per_second = 100e6) {
        files("ctl").put("/tmp/big", content);
        for (const std::string& host : hosts_)
            world().network().set_rate(host, bits_per_second);
        EXPECT_EQ(run("bcast --json --order name /tmp/big /tmp/first"), 0) << said_;
        return took_;
    }
    // A file of this size, and how long it takes to send it when nothing happens.
    void prepare(std::size_t size) {
        content_ = drawn_bytes(size);
        (void)time_undisturbed(content_, 50e6);
        undisturbed_ = nlohmann::json::parse(printed_)["seconds"];
        for (const std::string& host : hosts_)
            EXPECT_TRUE(files(host).remove("/tmp/first"));
    }

    SimShell shell_;
    bool plain_ = false;  // every broadcast
    std::string content_;
    double undisturbed_ = 0;
    std::vector<std::string> hosts_;
    std::string said_, printed_;
    Duration took_{};
};

}  // namespace trellis
