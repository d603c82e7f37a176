// Host names in the texts of other programs: lists, tables such as /etc/hosts, ClusterShell's groups. Pure:
// texts in, names out, in the order written and without repetitions; nothing is opened or resolved here.
// Failures begin with the source and the line: "hosts.txt:12: ...".
#pragma once

#include "trellis/result.hpp"

#include "shell/hosts/host_pattern.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

// Of one source, repetitions included; more are refused.
inline constexpr std::size_t most_names_of_a_source = 1'000'000;

// Names that are added up, each once.
class NameList {
  public:
    void add(std::string name) {
        if (seen_.insert(name).second) names_.push_back(std::move(name));
    }
    [[nodiscard]] std::vector<std::string> take() { return std::move(names_); }

  private:
    std::vector<std::string> names_;
    std::set<std::string> seen_;
};

// A text and what it is called in messages: a file's name, "standard input", a variable.
struct HostText {
    std::string source;
    std::string text;
};

// Host ranges, one or more a line; # begins a comment. This is also the format of $SLURM_JOB_NODELIST, and
// that of $PBS_NODEFILE, which names a host once for each of its processors.
[[nodiscard]] Result<std::vector<std::string>> hosts_of_list(const HostText& list);

// Lines of an address, a name and further names, as in /etc/hosts; # begins a comment. Of each line the first
// name, or the first one that matches; this machine itself (loopback) and multicast addresses are left out.
[[nodiscard]] Result<std::vector<std::string>> hosts_of_table(const HostText& table,
                                                              const std::optional<HostPattern>& pattern);

// The hosts of a group by lines "group: hosts", where hosts are ranges and @group, separated by commas or
// white space; the lines of one group add up; # begins a comment. What an earlier file says of a group hides
// what a later one says. Refused: unknown groups, groups that contain themselves, and operators (! & ^).
[[nodiscard]] Result<std::vector<std::string>> hosts_of_group(const std::string& group,
                                                              const std::vector<HostText>& files);

}  // namespace trellis
