#include "plugins/rankmap/rank_file.hpp"

#include <algorithm>
#include <optional>

namespace trellis::plugins::rankmap {
namespace {

bool plain_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

std::optional<std::string> host_that_files_cannot_hold(const RankOrder& order) {
    for (const RankPlace& place : order.ranks)
        if (place.host.empty() || !std::ranges::all_of(place.host, plain_letter)) return place.host;
    return std::nullopt;
}

std::string rankfile_lines(const RankOrder& order) {
    std::string text;
    for (std::size_t rank = 0; rank < order.ranks.size(); ++rank)
        text += "rank " + std::to_string(rank) + "=" + order.ranks[rank].host +
                " slot=" + std::to_string(order.ranks[rank].slot) + "\n";
    return text;
}

// As many ranks as follow one another on a host are one line.
std::string hydra_lines(const RankOrder& order) {
    std::string text;
    for (std::size_t first = 0; first < order.ranks.size();) {
        const std::string& host = order.ranks[first].host;
        std::size_t end = first;
        while (end < order.ranks.size() && order.ranks[end].host == host)
            ++end;
        text += host + ":" + std::to_string(end - first) + "\n";
        first = end;
    }
    return text;
}

std::string slurm_lines(const RankOrder& order) {
    std::string text;
    for (const RankPlace& place : order.ranks)
        text += place.host + "\n";
    return text;
}

std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
}

// The first of these programs that there is; the last one if there is none, so that sh names it.
std::string first_found(std::string_view names) {
    return "$(for i in " + std::string(names) + "; do command -v $i && break; done || echo $i)";
}

std::string launcher_of(Format format) {
    if (format == Format::slurm) return "srun";
    return format == Format::mpich ? first_found("mpiexec.hydra mpirun.mpich mpiexec")
                                   : first_found("mpirun.openmpi mpirun");
}

}  // namespace

Result<std::string> rank_file(const RankOrder& order, Format format) {
    if (const auto host = host_that_files_cannot_hold(order))
        return invalid("a file for " + std::string(format_names[static_cast<std::size_t>(format)]) +
                       " cannot hold the host name '" + *host + "'");
    if (format == Format::mpich) return hydra_lines(order);
    return format == Format::slurm ? slurm_lines(order) : rankfile_lines(order);
}

std::string launch_command(const RankOrder& order, Format format, const std::string& path,
                           const std::string& launcher, const std::vector<std::string>& program) {
    const std::string file = quoted(path), ranks = std::to_string(order.ranks.size());
    std::string command = launcher.empty() ? launcher_of(format) : launcher;
    if (format == Format::openmpi) command += " --rankfile " + file + " -np " + ranks;
    if (format == Format::openmpi5)
        command += " --map-by " + quoted("rankfile:file=" + path) + " -np " + ranks;
    if (format == Format::mpich) command += " -f " + file + " -n " + ranks;
    if (format == Format::slurm)
        command = "SLURM_HOSTFILE=" + file + " " + command + " -m arbitrary -n " + ranks + " -N " +
                  std::to_string(hosts_by_rank(order).size());
    for (const std::string& word : program)
        command += " " + quoted(word);
    return command;
}

}  // namespace trellis::plugins::rankmap
