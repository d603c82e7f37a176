#include "shell/hosts/host_sources.hpp"

#include "agentd/model/host_range.hpp"
#include "shell/hosts/trimmed.hpp"
#include "shell/language/nearest.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <map>
#include <utility>

namespace trellis {
namespace {

constexpr std::size_t most_depth = 64;  // of groups in groups

Failure at_line(const std::string& source, std::size_t line, const std::string& cause) {
    return invalid(source + ":" + std::to_string(line) + ": " + cause);
}

// Calls `take` with each line that holds something beside a comment, and its number, until one is refused.
template <class Take>
Result<void> for_each_line(const HostText& text, Take take) {
    std::string_view left = text.text;
    for (std::size_t number = 1; !left.empty(); ++number) {
        const std::size_t end = std::min(left.find('\n'), left.size());
        std::string_view line = left.substr(0, end);
        left.remove_prefix(std::min(end + 1, left.size()));
        line = line.substr(0, line.find('#'));
        if (line.find_first_not_of(white_space) == std::string_view::npos) continue;
        const Result<void> taken = take(line, number);
        if (!taken) return at_line(text.source, number, taken.error().message());
    }
    return {};
}

// Names that add up within the bound of a source.
class BoundedNames {
  public:
    Result<void> add(std::string_view ranges) {
        Result<std::vector<std::string>> names = expand_hosts(ranges);
        if (!names) return names.error();
        count_ += names->size();
        if (count_ > most_names_of_a_source)
            return invalid("more than " + std::to_string(most_names_of_a_source) + " hosts");
        for (std::string& name : *names)
            list_.add(std::move(name));
        return {};
    }
    [[nodiscard]] std::vector<std::string> take() { return list_.take(); }

  private:
    NameList list_;
    std::size_t count_ = 0;
};

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
        const std::size_t end = std::min(line.find_first_of(white_space), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
    return words;
}

// Whether other machines may have the address; nothing if it is none.
std::optional<bool> belongs_to_a_host(std::string_view text) {
    const std::string word(text.substr(0, text.find('%')));  // without the interface
    in_addr v4{};
    in6_addr v6{};
    if (::inet_pton(AF_INET, word.c_str(), &v4) == 1) {
        const auto first = ntohl(v4.s_addr) >> 24U;
        return first != 127 && first != 0 && first < 224;
    }
    if (::inet_pton(AF_INET6, word.c_str(), &v6) != 1) return std::nullopt;
    return !IN6_IS_ADDR_LOOPBACK(&v6) && !IN6_IS_ADDR_UNSPECIFIED(&v6) && v6.s6_addr[0] < 0xfe;
}

struct GroupLine {
    const HostText* file;
    std::size_t number;
    std::string_view hosts;
};
using GroupLines = std::map<std::string, std::vector<GroupLine>>;

Result<GroupLines> read_groups(const std::vector<HostText>& files) {
    GroupLines groups;
    for (const HostText& file : files) {
        GroupLines own;
        const auto take = [&](std::string_view line, std::size_t number) -> Result<void> {
            const std::size_t colon = line.find(':');
            if (colon == std::string_view::npos) return invalid("expected GROUP: HOSTS");
            own[std::string(trimmed(line.substr(0, colon)))].push_back(
                {&file, number, line.substr(colon + 1)});
            return {};
        };
        const Result<void> read = for_each_line(file, take);
        if (!read) return read.error();
        groups.merge(own);
    }
    return groups;
}

// Pieces between commas and white space that stand outside brackets.
std::vector<std::string_view> node_sets(std::string_view text) {
    std::vector<std::string_view> sets;
    std::size_t begin = 0, depth = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        const char c = at < text.size() ? text[at] : ' ';
        if (c == '[') ++depth;
        if (c == ']' && depth > 0) --depth;
        const bool between = c == ',' || std::string_view(white_space).find(c) != std::string_view::npos;
        if (at < text.size() && (depth > 0 || !between)) continue;
        if (at > begin) sets.push_back(text.substr(begin, at - begin));
        begin = at + 1;
    }
    return sets;
}

std::string no_such_group(const GroupLines& groups, const std::string& group) {
    std::vector<std::string> names;
    names.reserve(groups.size());
    for (const auto& [name, lines] : groups)
        names.push_back(name);
    return "no group is called " + group + did_you_mean(group, names);
}

// The hosts of one group and of those that it refers to, each group once.
class GroupExpansion {
  public:
    explicit GroupExpansion(const GroupLines& groups) : groups_(groups) {}

    // The group must be there.
    Result<void> add(const std::string& group) {
        if (!done_.insert(group).second) return {};
        path_.push_back(group);
        for (const GroupLine& line : groups_.at(group)) {
            for (const std::string_view set : node_sets(line.hosts)) {
                Result<void> added = set.starts_with('@') ? refer(set, line) : add_hosts(set, line);
                if (!added) return added;
            }
        }
        path_.pop_back();
        return {};
    }
    [[nodiscard]] std::vector<std::string> take() { return names_.take(); }

  private:
    Result<void> add_hosts(std::string_view hosts, const GroupLine& line) {
        if (hosts.find_first_of("!&^") != std::string_view::npos)
            return refused(line,
                           "operators (! & ^) are not understood here: " + std::string(hosts.substr(0, 80)));
        const Result<void> added = names_.add(hosts);
        return added ? added : refused(line, added.error().message());
    }

    Result<void> refer(std::string_view reference, const GroupLine& line) {
        const Result<std::vector<std::string>> groups = expand_hosts(reference.substr(1));
        if (!groups) return refused(line, groups.error().message());
        for (const std::string& group : *groups) {
            if (!groups_.contains(group)) return refused(line, no_such_group(groups_, group));
            if (std::find(path_.begin(), path_.end(), group) != path_.end())
                return refused(line, "group " + group + " contains itself");
            if (path_.size() == most_depth)
                return refused(line,
                               "more than " + std::to_string(most_depth) + " groups within one another");
            Result<void> added = add(group);
            if (!added) return added;
        }
        return {};
    }

    static Failure refused(const GroupLine& line, const std::string& cause) {
        return at_line(line.file->source, line.number, cause);
    }

    const GroupLines& groups_;
    BoundedNames names_;
    std::set<std::string> done_;
    std::vector<std::string> path_;
};

}  // namespace

Result<std::vector<std::string>> hosts_of_list(const HostText& list) {
    BoundedNames names;
    const Result<void> read =
        for_each_line(list, [&](std::string_view line, std::size_t) { return names.add(line); });
    if (!read) return read.error();
    return names.take();
}

Result<std::vector<std::string>> hosts_of_table(const HostText& table,
                                                const std::optional<HostPattern>& pattern) {
    BoundedNames names;
    const auto take = [&](std::string_view line, std::size_t) -> Result<void> {
        const std::vector<std::string_view> words = words_of(line);
        const std::optional<bool> wanted = belongs_to_a_host(words[0]);
        if (!wanted || words.size() < 2)
            return invalid("expected an address and names, found '" + std::string(words[0].substr(0, 80)) +
                           (wanted ? "' alone" : "'"));
        for (std::size_t i = 1; *wanted && i < words.size(); ++i)
            if (!pattern || pattern->matches(std::string(words[i]))) return names.add(words[i]);
        return {};
    };
    const Result<void> read = for_each_line(table, take);
    if (!read) return read.error();
    return names.take();
}

Result<std::vector<std::string>> hosts_of_group(const std::string& group,
                                                const std::vector<HostText>& files) {
    const Result<GroupLines> groups = read_groups(files);
    if (!groups) return groups.error();
    if (!groups->contains(group)) {
        std::string sources;
        for (const HostText& file : files)
            sources += (sources.empty() ? " in " : ", ") + file.source;
        return invalid(no_such_group(*groups, group) + sources);
    }
    GroupExpansion expansion(*groups);
    const Result<void> added = expansion.add(group);
    if (!added) return added.error();
    return expansion.take();
}

}  // namespace trellis
