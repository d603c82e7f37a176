// RankFile: an order of ranks as MPI launchers read it, and the command line that starts a program by it.
// Pure.
#pragma once

#include "trellis/result.hpp"

#include "agentd/model/rank_order.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trellis::plugins::rankmap {

enum class Format : std::uint8_t {
    openmpi,   // Open MPI 4: a rankfile, "rank 0=a00 slot=0" for each rank
    openmpi5,  // Open MPI 5 (PRRTE): the same, mapped with --map-by rankfile:file=FILE
    mpich,     // MPICH's Hydra: a host file, "a00:2" in the order of the ranks
    slurm,     // srun -m arbitrary: the file that SLURM_HOSTFILE names, a host for each rank
    json       // as RanksValue
};
inline constexpr std::array<std::string_view, 5> format_names{"openmpi", "openmpi5", "mpich", "slurm",
                                                              "json"};

// The text of the file; not for json. Refused: a host whose name has other characters than letters, digits,
// '.', '-' and
// '_', which these files cannot hold.
[[nodiscard]] Result<std::string> rank_file(const RankOrder& order, Format format);

// For /bin/sh: `program`, word by word, started on all ranks by the file at `path`. `launcher`: what starts
// it, with options of its own, as sh reads it; empty: the one of that format which is found first, under
// Debian's name or the usual one. Not for json either.
[[nodiscard]] std::string launch_command(const RankOrder& order, Format format, const std::string& path,
                                         const std::string& launcher,
                                         const std::vector<std::string>& program);

}  // namespace trellis::plugins::rankmap
