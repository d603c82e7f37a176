#include "shell/commands/explore_sources.hpp"

#include "agentd/model/host_range.hpp"
#include "shell/running/line_source.hpp"
#include "shell/session/session_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>
#include <utility>

#include <boost/asio/this_coro.hpp>

namespace trellis {
namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 20;  // of one source

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

Result<HostText> read_file(const std::string& file) {
    Result<std::string> text = read_whole_file(file, most_bytes);
    if (!text) return text.error();
    return HostText{file, std::move(*text)};
}

Task<Result<HostText>> read_standard_input() {
    const Executor executor = co_await asio::this_coro::executor;
    const std::unique_ptr<LineSource> lines = descriptor_lines(executor, STDIN_FILENO);
    HostText input{"standard input", ""};
    while (const std::optional<std::string> line = co_await lines->next()) {
        input.text += *line + "\n";
        if (input.text.size() > most_bytes)
            co_return invalid("standard input is too long for a list of hosts");
    }
    co_return input;
}

Result<std::vector<std::string>> hosts_of_slurm() {
    for (const char* name : {"SLURM_JOB_NODELIST", "SLURM_NODELIST"})
        if (const std::string nodes = variable(name); !nodes.empty())
            return hosts_of_list({std::string("$") + name, nodes});
    return invalid("--slurm: $SLURM_JOB_NODELIST is not set: run within an allocation of SLURM");
}

Result<std::vector<std::string>> hosts_of_pbs() {
    const std::string file = variable("PBS_NODEFILE");
    if (file.empty()) return invalid("--pbs: $PBS_NODEFILE is not set: run within a job of PBS");
    const Result<HostText> text = read_file(file);
    if (!text) return invalid("--pbs: " + text.error().message());
    return hosts_of_list(*text);
}

// The directories of ClusterShell's configuration, the most personal one first.
std::vector<std::filesystem::path> clustershell_directories() {
    std::vector<std::filesystem::path> directories;
    const std::string own = variable("CLUSTERSHELL_CFGDIR"), config = variable("XDG_CONFIG_HOME"),
                      home = variable("HOME");
    if (!own.empty()) directories.emplace_back(own);
    if (!config.empty())
        directories.push_back(std::filesystem::path(config) / "clustershell");
    else if (!home.empty())
        directories.push_back(std::filesystem::path(home) / ".config/clustershell");
    if (!home.empty()) directories.push_back(std::filesystem::path(home) / ".local/etc/clustershell");
    directories.emplace_back("/etc/clustershell");
    return directories;
}

}  // namespace

std::vector<std::string> clustershell_group_files() {
    std::vector<std::string> files;
    for (const auto& directory : clustershell_directories()) {
        for (const char* name : {"groups", "groups.d/local.cfg"}) {
            std::error_code ignored;
            const auto file = directory / name;
            if (std::filesystem::is_regular_file(file, ignored)) files.push_back(file.string());
        }
    }
    return files;
}

void ExploreSources::declare(OptionSet& options) {
    options.option("hosts", ranges_, "Host ranges such as a[00-15]").type_name("HOSTS");
    const auto several = [&](const char* name, std::vector<std::string>& values,
                             const char* what) -> Option& {
        return options.option(name, values, what).one_each_time();  // one for each time it is given
    };
    several("-f,--file", lists_,
            "Also the hosts of a file: names or ranges, # begins a comment; - is standard input")
        .type_name("FILE");
    several("--table", tables_, "Also those of a table such as /etc/hosts").type_name("FILE");
    options.flag("--slurm", slurm_, "Also the nodes of this SLURM job ($SLURM_JOB_NODELIST)");
    options.flag("--pbs", pbs_, "Also the nodes of this PBS job ($PBS_NODEFILE)");
    several("--group", groups_, "Also the nodes of a group of ClusterShell").type_name("NAME");
    options.option("--group-file", group_file_, "Where groups are, instead of ClusterShell's own places")
        .type_name("FILE");
    options
        .option("--pick", pick_, "Of all these only the names that match: a range, wildcards, /expression/")
        .type_name("PATTERN");
}

bool ExploreSources::given() const {
    return slurm_ || pbs_ || !(ranges_.empty() && lists_.empty() && tables_.empty() && groups_.empty());
}

Task<ExploreSources::Names> ExploreSources::read_list(ShellContext& context, std::string file) const {
    Result<HostText> text = HostText{};
    if (file != "-") {
        text = read_file(file);
    } else if (context.commands_on_standard_input()) {
        co_return invalid("-f -: standard input holds the commands");
    } else {
        text = co_await read_standard_input();
    }
    if (!text) co_return text.error();
    Names names = hosts_of_list(*text);
    if (names && names->empty()) co_return invalid(text->source + ": no hosts in it");
    co_return names;
}

ExploreSources::Names ExploreSources::read_table(const std::string& file) const {
    const Result<HostText> table = read_file(file);
    if (!table) return table.error();
    std::optional<HostPattern> pattern;
    if (!pick_.empty()) {
        Result<HostPattern> parsed = HostPattern::parse(pick_);
        if (!parsed) return parsed.error();
        pattern = std::move(*parsed);
    }
    return hosts_of_table(*table, pattern);
}

ExploreSources::Names ExploreSources::read_groups(const std::string& group) const {
    std::vector<HostText> files;
    for (const std::string& file :
         group_file_.empty() ? clustershell_group_files() : std::vector<std::string>{group_file_}) {
        Result<HostText> text = read_file(file);
        if (!text) return text.error();
        files.push_back(std::move(*text));
    }
    if (!files.empty()) return hosts_of_group(group, files);
    std::string places;
    for (const auto& directory : clustershell_directories())
        places += " " + (directory / "groups").string();
    return invalid("--group " + group + ": no file of groups is there; looked for" + places +
                   " (--group-file names another)");
}

Task<Result<std::vector<std::string>>> ExploreSources::read(ShellContext& context) const {
    std::vector<Names> sources;
    sources.reserve(ranges_.size() + lists_.size() + tables_.size() + groups_.size() + 2);
    for (const std::string& range : ranges_)
        sources.push_back(expand_hosts(range));
    for (const std::string& file : lists_) {
        Names names = co_await read_list(context, file);
        sources.push_back(std::move(names));
    }
    for (const std::string& file : tables_)
        sources.push_back(read_table(file));
    if (slurm_) sources.push_back(hosts_of_slurm());
    if (pbs_) sources.push_back(hosts_of_pbs());
    for (const std::string& group : groups_)
        sources.push_back(read_groups(group));
    NameList all;
    for (Names& names : sources) {
        if (!names) co_return names.error();
        for (std::string& name : *names)
            all.add(std::move(name));
    }
    std::vector<std::string> names = all.take();
    if (names.empty() && pick_.empty()) co_return invalid("no hosts are named there");
    co_return picked(std::move(names));
}

Result<std::vector<std::string>> ExploreSources::picked(std::vector<std::string> names) const {
    if (pick_.empty()) return names;
    const Result<HostPattern> pattern = HostPattern::parse(pick_);
    if (!pattern) return pattern.error();
    std::erase_if(names, [&](const std::string& name) { return !pattern->matches(name); });
    if (names.empty()) return invalid("--pick " + pick_ + ": no host matches");
    return names;
}

}  // namespace trellis
