// The default inference in the simulated world: how long it takes in virtual time, on one cluster of the
// published method's source, with noise, CPU cost and queues, and how far its tree is from the truth.
//
//   infer_survey_bench [HOSTS...]   (default: 64 256)
#include "agentd/model/topology_compare.hpp"
#include "tests/scenario/sim_shell.hpp"
#include "tests/sim/source_networks.hpp"
#include "tests/sim/topology_lab.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace trellis;

void infer(std::size_t hosts, std::uint64_t seed) {
    const sim::SourceNetwork network = sim::one_cluster(hosts);
    sim::RoundTripNoise noise(seed);
    SimShell shell(sim::lab_of(network.truth, {1e9, std::chrono::microseconds(5)}), seed);
    std::optional<TimePoint> first;
    TimePoint last{};
    shell.world().set_noise([&](sim::MachineIndex from, sim::MachineIndex to, Duration passed) {
        const auto a = static_cast<TopologyNode>(from), b = static_cast<TopologyNode>(to);
        last = shell.world().time().now();
        if (!first) first = last;
        return std::chrono::duration_cast<Duration>(noise.sample(network.noise(a, b), a, b, passed));
    });
    shell.explore_all();
    shell.said();
    const TimePoint begun = shell.world().time().now();
    shell.run("infer --seed " + std::to_string(seed));
    const Duration taken = shell.world().time().now() - begun;
    const auto seconds = [](Duration time) { return std::chrono::duration<double>(time).count(); };
    std::printf(
        "%zu hosts, seed %llu: %.3f s, the first probe's answer after %.3f s, the last after %.3f s\n%s",
        hosts, static_cast<unsigned long long>(seed), seconds(taken), seconds(first.value_or(begun) - begun),
        seconds(last - begun), shell.said().c_str());
    const auto found = shell.topology();
    if (!found) return;
    const auto comparison = compare_topologies(network.truth, found->topology(), {100'000, seed});
    if (comparison) std::printf("Robinson-Foulds distance %zu\n", comparison->robinson_foulds());
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::size_t> sizes;
    for (int i = 1; i < argc; ++i)
        sizes.push_back(std::strtoul(argv[i], nullptr, 10));
    if (sizes.empty()) sizes = {64, 256};
    for (const std::size_t hosts : sizes)
        infer(hosts, 1);
}
