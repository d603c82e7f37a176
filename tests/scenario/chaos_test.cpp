// Sessions in which much goes wrong at once: 100 hosts, mishaps drawn from a seed while two commands run.
// Each host has one outcome, within the lease; nothing of a surviving host is lost, doubled or torn; nothing
// is left running; and the session is as good as before. TRELLIS_CHAOS_SEED=N runs that seed alone.
#include "tests/scenario/sim_shell.hpp"
#include "tests/sim/effort.hpp"
#include "tests/sim/mishaps.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis {
namespace {

using sim::Mishap;
using std::chrono::seconds;
using testing::ElementsAre;

constexpr std::size_t host_count = 100;
constexpr Duration lease = seconds(30);
constexpr Duration heartbeat = seconds(1);
constexpr Duration command_time = seconds(8);

using Lines = std::vector<std::string>;
struct HostOutput {
    Lines lines;
    Lines outcomes;
};

std::string host_name(std::size_t number) {
    const std::string digits = std::to_string(number);
    return "h" + std::string(3 - digits.size(), '0') + digits;
}

// Five switches of 20 hosts.
lab::TopologyFile five_switches() {
    std::ostringstream text;
    text << "switch core\nhost ctl core 10.255.0.1 rate=10gbit delay=25us queue=8m\n";
    for (std::size_t i = 0; i < 5; ++i) {
        text << "switch s" << i << " core rate=10gbit delay=200us queue=8m\nhosts h%03d " << 20 * i << ' '
             << 20 * i + 19 << " s" << i << " 10.0." << i << ".1 rate=1gbit delay=25us queue=1m\n";
    }
    return sim::parse_lab(text.str());
}

// From where hosts are logged in to: all from everywhere, or each tier only from the one before it.
struct Tiers {
    std::string rules;                // commands
    std::vector<std::size_t> begins;  // the first host of each tier
};
const std::vector<Tiers> all_tiers{
    {"use", {0}},
    {"use ssh here h00*; use ssh h00* h*", {0, 10}},
    {"use ssh here h00*; use ssh h00* h0[1-3]*; use ssh h0[1-3]* h*", {0, 10, 40}},
};

// The value of a field of a JSON object that stands on a line.
std::string field(const std::string& line, const std::string& name) {
    const std::string key = "\"" + name + "\":\"";
    const std::size_t begin = line.find(key);
    if (begin == std::string::npos) return "";
    const std::size_t value = begin + key.size();
    return line.substr(value, line.find('"', value) - value);
}

std::map<std::string, HostOutput> by_host(const std::string& json_lines) {
    std::map<std::string, HostOutput> result;
    std::istringstream text(json_lines);
    for (std::string line; std::getline(text, line);) {
        HostOutput& host = result[field(line, "host")];
        const std::string outcome = field(line, "outcome");
        if (outcome.empty())
            host.lines.push_back(field(line, "line"));
        else
            host.outcomes.push_back(outcome);
    }
    return result;
}

void add_lines(Lines& lines, const std::string& host, int count) {
    for (int i = 0; i < count; ++i)
        lines.push_back(host + " " + std::to_string(i));
}

bool begins_with(const Lines& all, const Lines& part) {
    return part.size() <= all.size() && std::equal(part.begin(), part.end(), all.begin());
}

class ChaosSession {
  public:
    explicit ChaosSession(std::uint64_t seed)
        : seed_(seed), tiers_(all_tiers[seed % all_tiers.size()]), shell_(five_switches(), seed) {
        std::filesystem::create_directories(directory_);
    }
    ~ChaosSession() { std::filesystem::remove_all(directory_); }
    ChaosSession(const ChaosSession&) = delete;
    ChaosSession& operator=(const ChaosSession&) = delete;

    void run() {
        begin();
        run_commands();
        settle();
        expect_usable();
        end();
    }
    [[nodiscard]] std::string plan() const {
        return "TRELLIS_CHAOS_SEED=" + std::to_string(seed_) + " (" + tiers_.rules + ")\n" +
               sim::describe(mishaps_);
    }

  private:
    void begin() {
        shell_.run(tiers_.rules);
        EXPECT_EQ(shell_.explore_all(), 0) << shell_.said();
        sim::MishapPlan plan;
        const Membership& members = world().root().membership();
        for (const auto& [id, member] : members.members()) {
            plan.hosts.push_back(member.host.name);
            if (!members.children(id).empty()) plan.relays.push_back(member.host.name);
        }
        note_above();
        plan.trunks = {"s0", "s1", "s2", "s3", "s4"};
        mishaps_ = sim::draw_mishaps(seed_, plan);
        shell_.printed();
        shell_.said();
    }

    // Others may have adopted it since the last call.
    void note_above() {
        const Membership& members = world().root().membership();
        for (const auto& [id, member] : members.members()) {
            for (const Member* next = &member; (next = members.find(next->parent));)
                above_[member.host.name].insert(next->host.name);
        }
    }

    // `e`, and what `mw` does for a master that writes a line a second.
    void run_commands() {
        begun_ = now();
        sim::schedule(world(), mishaps_);
        const int words = start_master();
        shell_.run("e --json --down 3=" + std::to_string(words) + " --up 4=" + file("joined") +
                   " 'lines 6 4; answer 3 4; lines 8 4' > " + file("workers") + " &");
        shell_.run("e --json 'lines 9 1; sleep 4; lines 5 1; sleep 4; lines 7 1'");
        check_time("e");
        note_above();
        check_direct(by_host(shell_.printed()));
        shell_.run("wait");
        ::close(words);
        check_time("mw");
        note_above();
        check_workers(by_host(contents("workers")));
    }

    // Returns a descriptor from which its lines are read.
    int start_master() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe(ends.data()), 0);
        for (int i = 0; i < 8; ++i)
            world().time().at(begun_ + i * seconds(1), [i, fd = ends[1]] {
                const std::string line = "word " + std::to_string(i) + "\n";
                EXPECT_EQ(::write(fd, line.data(), line.size()), static_cast<ssize_t>(line.size()));
            });
        world().time().at(begun_ + command_time, [fd = ends[1]] { ::close(fd); });
        return ends[0];
    }

    // A host that a mishap has struck is heard of again, or is lost when its lease is over. That begins when
    // its parent listens: one that stood still itself must have gone on. Leases are looked at once a
    // heartbeat.
    void check_time(const std::string& command) {
        Duration last{0};
        for (const Mishap& mishap : mishaps_)
            last =
                std::max(last, mishap.at + (mishap.lasts < lease + heartbeat ? mishap.lasts : Duration(0)));
        const std::chrono::duration<double> most = last + lease + command_time;
        EXPECT_LE(seconds_since(begun_), most.count()) << command;
    }

    void check_direct(const std::map<std::string, HostOutput>& output) {
        for (std::size_t i = 0; i < host_count; ++i) {
            const std::string host = host_name(i);
            Lines wanted;
            for (const int count : {9, 5, 7})
                add_lines(wanted, host, count);
            check("e", host, output, wanted, output.at(host).lines);
        }
        EXPECT_EQ(output.size(), host_count);
    }

    void check_workers(const std::map<std::string, HostOutput>& output) {
        std::map<std::string, Lines> joined;
        std::istringstream text(contents("joined"));
        for (std::string line; std::getline(text, line);)
            joined[line.substr(0, line.find(' '))].push_back(line);
        for (std::size_t i = 0; i < host_count; ++i) {
            const std::string host = host_name(i);
            Lines wanted;
            add_lines(wanted, host, 6);
            add_lines(wanted, host + " word", 8);
            add_lines(wanted, host, 8);
            check("mw", host, output, wanted, joined[host]);
        }
        EXPECT_EQ(output.size(), host_count);
        EXPECT_EQ(joined.size(), host_count);
    }

    void check(const std::string& command, const std::string& host,
               const std::map<std::string, HostOutput>& output, const Lines& wanted, const Lines& got) {
        const auto place = output.find(host);
        ASSERT_NE(place, output.end()) << command << ": nothing of " << host;
        const Lines& outcomes = place->second.outcomes;
        ASSERT_EQ(outcomes.size(), 1U) << command << ": " << host;
        if (outcomes.front() == "succeeded") {
            EXPECT_EQ(got, wanted) << command << ": " << host;
        } else {
            EXPECT_EQ(outcomes.front(), "lost") << command << ": " << host;
            EXPECT_FALSE(safe(host)) << command << ": " << host << " is lost for no reason";
            EXPECT_TRUE(begins_with(wanted, got))
                << command << ": " << host << ": " << got.size() << " lines";
        }
    }

    // No mishap has touched it, or two of the hosts above it, or all of those that may log in to it.
    [[nodiscard]] bool safe(const std::string& host) {
        const auto touched = [this](const std::string& other) { return !untouched(other); };
        if (std::ranges::count_if(above_[host], touched) > 1) return false;
        const auto own = std::upper_bound(tiers_.begins.begin(), tiers_.begins.end(), number(host)) - 1;
        for (auto tier = tiers_.begins.begin(); tier != own; ++tier) {
            bool one = false;
            for (std::size_t i = *tier; i < *std::next(tier); ++i)
                one = one || untouched(host_name(i));
            if (!one) return false;
        }
        return untouched(host);
    }
    [[nodiscard]] bool untouched(const std::string& host) const {
        const std::string trunk = "s" + std::to_string(number(host) / 20);
        return std::ranges::none_of(mishaps_, [&](const Mishap& mishap) {
            const bool harmless = mishap.kind == Mishap::Kind::slow_link;
            return !harmless && (mishap.what == host || mishap.what == trunk);
        });
    }
    static std::size_t number(const std::string& host) { return std::stoul(host.substr(1)); }

    // Until all mishaps are over, and everybody has noticed.
    void settle() {
        world().advance(begun_ + sim::MishapPlan().within + sim::MishapPlan().longest + lease + seconds(5) -
                        now());
        EXPECT_EQ(world().commands_running(), 0U);
        EXPECT_EQ(world().roles_running(), 0U);
        EXPECT_EQ(world().agents_running(), living().size());
    }
    [[nodiscard]] std::set<std::string> living() {
        std::set<std::string> names;
        for (const auto& [id, member] : world().root().membership().members()) {
            EXPECT_NE(member.state, MemberState::suspect) << member.host.name;
            if (member.state != MemberState::lost) names.insert(member.host.name);
        }
        return names;
    }

    // Before and after the lost ones are fetched back.
    void expect_usable() {
        expect_answers(living());
        shell_.run("explore");
        std::set<std::string> powered;
        for (std::size_t i = 0; i < host_count; ++i)
            powered.insert(host_name(i));
        for (const Mishap& mishap : mishaps_)
            if (mishap.kind == Mishap::Kind::power_off) powered.erase(mishap.what);
        expect_answers(powered);
    }
    void expect_answers(const std::set<std::string>& hosts) {
        shell_.printed();
        const TimePoint before = now();
        shell_.run("e --json hostname");
        EXPECT_LE(seconds_since(before), 1);
        const auto output = by_host(shell_.printed());
        for (const std::string& host : hosts) {
            const auto place = output.find(host);
            ASSERT_NE(place, output.end()) << host << " does not answer";
            EXPECT_THAT(place->second.outcomes, ElementsAre("succeeded")) << host;
            EXPECT_THAT(place->second.lines, ElementsAre(host));
        }
        EXPECT_EQ(output.size(), hosts.size());
    }

    void end() {
        world().run(world().root().leave(seconds(3)));
        world().advance(seconds(1));
        EXPECT_EQ(world().agents_running(), 0U);
        EXPECT_EQ(world().commands_running(), 0U);
    }

    sim::SimWorld& world() { return shell_.world(); }
    [[nodiscard]] TimePoint now() { return world().time().now(); }
    [[nodiscard]] double seconds_since(TimePoint begin) {
        return std::chrono::duration<double>(now() - begin).count();
    }
    [[nodiscard]] std::string file(const std::string& name) const { return (directory_ / name).string(); }
    [[nodiscard]] std::string contents(const std::string& name) const {
        std::stringstream text;
        text << std::ifstream(file(name)).rdbuf();
        return text.str();
    }

    std::uint64_t seed_;
    const Tiers& tiers_;
    std::filesystem::path directory_ =
        std::filesystem::temp_directory_path() / ("trellis-chaos-test-" + std::to_string(::getpid()));
    SimShell shell_;
    std::vector<Mishap> mishaps_;
    std::map<std::string, std::set<std::string>> above_;  // the hosts that have been above each one
    TimePoint begun_{};
};

// The seeds of one part of all; those of another part may run beside it.
class Chaos : public testing::TestWithParam<std::uint64_t> {};
constexpr std::uint64_t parts = 4;
constexpr std::uint64_t usual_seeds = sim::effort(24, parts);

void try_seed(std::uint64_t seed) {
    ChaosSession session(seed);
    session.run();
    if (testing::Test::HasFailure()) FAIL() << session.plan();
}

TEST_P(Chaos, EveryHostHasOneOutcomeAndNothingIsLostOrLeft) {
    if (const char* one = std::getenv("TRELLIS_CHAOS_SEED")) {
        if (GetParam() == 0) try_seed(std::strtoull(one, nullptr, 10));
        return;
    }
    const std::uint64_t seeds = std::getenv("TRELLIS_FULL") ? 10000 : usual_seeds;
    for (std::uint64_t seed = GetParam(); seed < seeds && !HasFailure(); seed += parts)
        try_seed(seed);
}

// Seeds that found defects: late news of a loss, an agent that stood still, a silent host that was to log in.
TEST(ChaosFound, StaysMended) {
    for (const std::uint64_t seed : {56U, 119U, 1517U}) {
        if (HasFailure()) break;
        try_seed(seed);
    }
}

INSTANTIATE_TEST_SUITE_P(Parts, Chaos, testing::Range<std::uint64_t>(0, parts));

}  // namespace
}  // namespace trellis
