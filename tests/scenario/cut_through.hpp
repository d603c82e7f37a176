// CutThrough: how long a broadcast through a chain of simulated hosts takes, beside an ideal pipeline.
#pragma once

#include "tests/scenario/sim_shell.hpp"
#include "tests/sim/sim_link.hpp"

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

namespace trellis {

struct CutThrough {
    double taken = 0;      // seconds, from when the hosts are told their places on
    double ideal = 0;      // seconds: the bytes at the rate of the links, and a hop for each host
    std::size_t have = 0;  // hosts with the exact bytes
};

// Every host with a card of 100 Mbit/s. A hop: one record of TLS occupies a card, its first packet two, two
// cables, the time of a processor at both ends.
inline CutThrough cut_through(std::size_t hosts, std::size_t bytes) {
    constexpr double rate = 100e6 / 8;
    constexpr double wire = 1 + sim::packet_overhead / 1448.0;
    constexpr double packet = 1448.0 + sim::packet_overhead;
    constexpr double piece = static_cast<double>(sim::most_stream_piece) * wire;
    constexpr double hop = piece / rate + packet / rate + 2 * 25e-6 + 2 * 5e-6;
    SimShell shell(sim::many_hosts(hosts));
    sim::SimWorld& world = shell.world();
    for (std::size_t i = 0; i < hosts; ++i)
        world.network().set_rate("h" + std::to_string(i), 100e6);
    CutThrough trial;
    if (shell.explore_all() != 0) return trial;
    std::string content(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i)
        content[i] = static_cast<char>(i % 251 + i / 65536 % 5 + 1);
    world.files("ctl").put("/tmp/big", content);
    (void)shell.printed();
    (void)shell.run("bcast --json --order name /tmp/big /tmp");
    trial.taken = nlohmann::json::parse(shell.printed())["seconds"].get<double>();
    trial.ideal = static_cast<double>(bytes) * wire / rate + static_cast<double>(hosts) * hop;
    for (std::size_t i = 0; i < hosts; ++i) {
        sim::SimFiles& files = world.files("h" + std::to_string(i));
        if (files.holds("/tmp/big", content)) ++trial.have;
    }
    return trial;
}

}  // namespace trellis
