#include "tests/lab/topology_file.hpp"

#include "tests/lab/topology_fields.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace trellis::lab {
namespace {

constexpr std::size_t most_nodes = 65536;
constexpr std::size_t deepest = 16;

class Reader {
  public:
    void statement(const Words& words);
    TopologyFile finish();

  private:
    void add_switch(const Words& words);
    void add_hosts(const Words& words, bool many, bool new_host);
    std::size_t switch_named(std::string_view name) const;
    std::size_t add_node(Node node);
    void attach(std::size_t host, Node node);
    std::size_t add_host(const std::string& name);
    std::size_t host_named(const std::string& name) const;

    TopologyFile file_;
    std::map<std::string, std::size_t, std::less<>> nodes_;
    std::map<std::string, std::size_t, std::less<>> hosts_;
    std::set<std::string> addresses_;
};

void need_words(const Words& words, std::size_t least, const char* usage) {
    if (words.size() < least) fail_field("too few words; expected: " + std::string(usage));
}

void Reader::statement(const Words& words) {
    const auto& verb = words[0];
    if (verb == "mtu") {
        need_words(words, 2, "mtu BYTES");
        file_.mtu = parse_integer(words[1], 576, 65535, "mtu");
    } else if (verb == "tmp") {
        need_words(words, 2, "tmp SIZE [huge]");
        auto size = parse_size(words[1]);
        if (!size || *size < 65536)
            fail_field("tmp " + quoted(words[1]) + ": expected a size from 64k up such as 256m");
        file_.tmp_size = *size;
        if (words.size() > 2 && words[2] != "huge")
            fail_field("tmp: unknown word " + quoted(words[2]) + ": expected huge");
        file_.huge_pages = words.size() > 2;
    } else if (verb == "switch") {
        add_switch(words);
    } else if (verb == "host" || verb == "nic") {
        add_hosts(words, false, verb == "host");
    } else if (verb == "hosts" || verb == "nics") {
        add_hosts(words, true, verb == "hosts");
    } else {
        fail_field("unknown statement " + quoted(verb) +
                   ": expected mtu, tmp, switch, host, hosts, nic or nics");
    }
}

void Reader::add_switch(const Words& words) {
    need_words(words, 2, "switch NAME [PARENT [options]]");
    Node node;
    node.name = std::string(words[1]);
    if (words.size() > 2) {
        node.parent = switch_named(words[2]);
        node.up = parse_shape(words, 3);
    }
    add_node(std::move(node));
}

void Reader::add_hosts(const Words& words, bool many, bool new_host) {
    need_words(words, many ? 6 : 4,
               many ? "hosts|nics PATTERN FIRST LAST SWITCH ADDRESS [options]"
                    : "host|nic NAME SWITCH ADDRESS [options]");
    std::size_t at = many ? 4 : 2;
    int first = many ? parse_integer(words[2], 0, 999999, "first number") : 0;
    int last = many ? parse_integer(words[3], first, 999999, "last number") : 0;
    Node pattern;
    pattern.parent = switch_named(words[at]);
    pattern.addresses = parse_addresses(words[at + 1]);
    pattern.up = parse_shape(words, at + 2);
    for (int number = first; number <= last; ++number) {
        std::string name = many ? numbered(words[1], number) : std::string(words[1]);
        attach(new_host ? add_host(name) : host_named(name), pattern);
        for (Address& address : pattern.addresses)
            step(address);
    }
}

std::size_t Reader::switch_named(std::string_view name) const {
    auto found = nodes_.find(name);
    if (found == nodes_.end()) fail_field("no switch " + quoted(name) + " above this line");
    if (!file_.nodes[found->second].is_switch()) fail_field(quoted(name) + " is a host; expected a switch");
    return found->second;
}

std::size_t Reader::host_named(const std::string& name) const {
    auto found = hosts_.find(name);
    if (found == hosts_.end()) fail_field("no host " + quoted(name) + " above this line");
    return found->second;
}

std::size_t Reader::add_host(const std::string& name) {
    check_name(name);
    if (nodes_.contains(name)) fail_field("name " + quoted(name) + " is used twice");
    hosts_[name] = file_.hosts.size();
    file_.hosts.push_back({name, {}});
    return file_.hosts.size() - 1;
}

void Reader::attach(std::size_t host, Node node) {
    std::size_t index = file_.hosts[host].nics.size();
    node.host = host;
    node.name = file_.hosts[host].name + (index == 0 ? "" : "." + std::to_string(index));
    for (const Address& address : node.addresses) {
        if (!addresses_.insert(address.text).second) fail_field("address " + address.text + " is used twice");
    }
    file_.hosts[host].nics.push_back(add_node(std::move(node)));
}

std::size_t Reader::add_node(Node node) {
    if (node.is_switch()) check_name(node.name);
    if (file_.nodes.size() >= most_nodes) fail_field("more than " + std::to_string(most_nodes) + " nodes");
    if (node.parent != no_node) node.depth = file_.nodes[node.parent].depth + 1;
    if (node.depth > deepest) fail_field("the tree is deeper than " + std::to_string(deepest) + " links");
    std::size_t index = file_.nodes.size();
    if (!nodes_.emplace(node.name, index).second) fail_field("name " + quoted(node.name) + " is used twice");
    file_.nodes.push_back(std::move(node));
    return index;
}

TopologyFile Reader::finish() {
    if (file_.hosts.empty()) fail_field("the file describes no host");
    bool v6 = std::any_of(file_.nodes.begin(), file_.nodes.end(), [](const Node& node) {
        return std::any_of(node.addresses.begin(), node.addresses.end(),
                           [](const Address& a) { return a.v6; });
    });
    if (v6 && file_.mtu < 1280) fail_field("IPv6 needs an mtu of at least 1280");
    return std::move(file_);
}

}  // namespace

std::variant<TopologyFile, ParseError> parse_topology(std::string_view text) {
    Reader reader;
    int line = 0;
    try {
        while (!text.empty()) {
            ++line;
            auto end = text.find('\n');
            auto words = split_line(text.substr(0, end));
            if (!words.empty()) reader.statement(words);
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        }
        return reader.finish();
    } catch (const Malformed& malformed) {
        return ParseError{line, malformed.what()};
    }
}

}  // namespace trellis::lab
