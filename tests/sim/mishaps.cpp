#include "tests/sim/mishaps.hpp"

#include <array>
#include <random>
#include <sstream>
#include <string_view>

namespace trellis::sim {
namespace {

using std::chrono::milliseconds;
using Kind = Mishap::Kind;

constexpr std::array<std::string_view, 8> kind_words{
    "kill the agent of", "stop the agent of", "break the link of", "cut silently",
    "cut visibly",       "slow down",         "refuse logins to",  "power off"};

class Dice {
  public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}
    std::size_t below(std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
    }
    Duration between(Duration least, Duration most) {
        return std::uniform_int_distribution<std::int64_t>(least.count(), most.count())(random_) *
               Duration(1);
    }
    double share() { return std::uniform_real_distribution<double>(0, 1)(random_); }
    const std::string& one_of(const std::vector<std::string>& names) { return names[below(names.size())]; }

  private:
    std::mt19937_64 random_;
};

bool lasts(Kind kind) {
    return kind != Kind::kill_agent && kind != Kind::break_connection && kind != Kind::power_off;
}

bool of_a_link(Kind kind) {
    return kind == Kind::cut_silently || kind == Kind::cut_visibly || kind == Kind::slow_link;
}

Mishap draw(Dice& dice, const MishapPlan& plan) {
    Mishap mishap;
    mishap.kind = static_cast<Kind>(dice.below(kind_words.size()));
    const bool trunk = of_a_link(mishap.kind) && !plan.trunks.empty() && dice.below(4) == 0;
    const bool relay = !plan.relays.empty() && dice.below(2) == 0;
    mishap.what = dice.one_of(trunk ? plan.trunks : relay ? plan.relays : plan.hosts);
    mishap.at = dice.between(Duration(0), plan.within);
    // As many short ones as long ones.
    const Duration most = dice.below(2) == 0 ? plan.longest : plan.longest / 8;
    if (lasts(mishap.kind)) mishap.lasts = dice.between(milliseconds(1), most);
    mishap.strength = dice.share();
    return mishap;
}

void slow_down(SimNetwork& network, const Mishap& mishap) {
    network.set_rate(mishap.what, 1e6 + 50e6 * (1 - mishap.strength));
    network.set_loss(mishap.what, 0.05 * mishap.strength);
}

void restore(SimNetwork& network, const std::string& link) {
    const std::size_t node = lab::find_link(network.file(), link).value();
    network.set_rate(link, network.file().nodes[node].up.rate);
    network.set_loss(link, network.file().nodes[node].up.loss);
}

// Returns what ends it.
std::function<void()> happen(SimWorld& world, const Mishap& mishap) {
    const std::string& what = mishap.what;
    switch (mishap.kind) {
        case Kind::kill_agent:
            world.kill(what);
            return {};
        case Kind::break_connection:
            world.break_link(what);
            return {};
        case Kind::power_off:
            world.crash(what);
            return {};
        case Kind::stop_agent: {
            SimProcess& agent = world.machines().agent(what);
            agent.stop();
            return [&agent] { agent.resume(); };
        }
        case Kind::cut_silently:
        case Kind::cut_visibly:
            world.cut(what, mishap.kind == Kind::cut_visibly ? Cut::visible : Cut::silent);
            return [&world, what] { world.heal(what); };
        case Kind::slow_link:
            slow_down(world.network(), mishap);
            return [&world, what] { restore(world.network(), what); };
        case Kind::refuse_logins:
            world.login(what).kind = LoginBehaviour::Kind::refuses;
            return [&world, what] { world.login(what).kind = LoginBehaviour::Kind::works; };
    }
    return {};
}

}  // namespace

std::vector<Mishap> draw_mishaps(std::uint64_t seed, const MishapPlan& plan) {
    Dice dice(seed);
    std::vector<Mishap> mishaps(1 + dice.below(plan.most));
    for (Mishap& mishap : mishaps)
        mishap = draw(dice, plan);
    return mishaps;
}

std::string describe(const std::vector<Mishap>& mishaps) {
    std::ostringstream text;
    for (const Mishap& mishap : mishaps) {
        const auto in_seconds = [](Duration time) { return std::chrono::duration<double>(time).count(); };
        text << "  after " << in_seconds(mishap.at)
             << " s: " << kind_words[static_cast<std::size_t>(mishap.kind)] << ' ' << mishap.what;
        if (mishap.lasts > Duration(0)) text << " for " << in_seconds(mishap.lasts) << " s";
        text << '\n';
    }
    return text.str();
}

void schedule(SimWorld& world, const std::vector<Mishap>& mishaps) {
    const TimePoint begin = world.time().now();
    for (const Mishap& mishap : mishaps) {
        world.time().at(begin + mishap.at, [&world, mishap] {
            auto end = happen(world, mishap);
            if (end) world.time().at(world.time().now() + mishap.lasts, std::move(end));
        });
    }
}

}  // namespace trellis::sim
