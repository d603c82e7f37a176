#include "tests/bench/infer_change_report.hpp"

namespace trellis {
namespace {

using ChangeTrials = std::vector<ChangeTrial>;

TrialRow<ChangeTrial> share_of_changes(const char* name, const char* goal, bool ChangeTrial::*right) {
    return {name, goal,
            [right](const ChangeTrials& trials, double runs) { return share(sum(trials, right), runs); }};
}

std::vector<TrialRow<ChangeTrial>> change_rows() {
    return {
        share_of_changes("tree after the join as from scratch", "99%", &ChangeTrial::joined_same),
        share_of_changes("tree after the leave as from scratch", "99%", &ChangeTrial::left_same),
        share_of_changes("true tree from scratch", "", &ChangeTrial::scratch_right),
        share_of_changes("true tree after the join", "", &ChangeTrial::joined_right),
        share_of_changes("joined without measuring all anew", "", &ChangeTrial::placed),
        {"pairs measured by the join, mean", "at most 40",
         [](const ChangeTrials& trials, double) {
             return number("%.1f", mean(trials, &ChangeTrial::pairs));
         }},
        {"pairs measured by the join, most", "",
         [](const ChangeTrials& trials, double) {
             return number("%.0f", largest(trials, &ChangeTrial::pairs));
         }},
        {"virtual time of the join, mean", "0.3 s",
         [](const ChangeTrials& trials, double) {
             return positive("%.3f s", mean(trials, &ChangeTrial::seconds));
         }},
        {"virtual time of the join, longest", "",
         [](const ChangeTrials& trials, double) {
             return positive("%.3f s", largest(trials, &ChangeTrial::seconds));
         }},
    };
}

}  // namespace

std::vector<ChangeFamily> change_families() {
    return {
        {{"join-levels",
          "one host in 256 joins, and one leaves: switches of 16 to 48 under levels of switches",
          [](std::uint64_t seed) { return sim::levels_of_switches(256, seed); }},
         1000,
         20},
        {{"join-wan", "one host in 256 joins, and one leaves: the networks of wan",
          [](std::uint64_t seed) { return sim::clusters_at_two_routers(seed, sim::wan_noise); }},
         1000,
         20},
    };
}

std::string change_table(const ChangeFamily& family, const std::vector<TrialColumn<ChangeTrial>>& columns) {
    return trial_table(family.networks.name + ": " + family.networks.description, "goal", change_rows(),
                       columns);
}

}  // namespace trellis
