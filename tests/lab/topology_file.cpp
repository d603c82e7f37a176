#include "tests/lab/topology_file.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace trellis::lab {
namespace {

constexpr std::size_t most_nodes = 65536;
constexpr std::size_t deepest = 16;

using Words = std::vector<std::string_view>;

// Carries the message out of the nested readers; it never leaves this file.
struct Malformed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

[[noreturn]] void fail(std::string message) {
    throw Malformed(std::move(message));
}

std::string quoted(std::string_view text) {
    return "'" + std::string(text) + "'";
}

Words split(std::string_view line) {
    Words words;
    line = line.substr(0, line.find('#'));
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    for (std::size_t at = 0; at < line.size();) {
        if (blank(line[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < line.size() && !blank(line[end]))
            ++end;
        words.push_back(line.substr(at, end - at));
        at = end;
    }
    return words;
}

int parse_integer(std::string_view text, int lowest, int highest, const std::string& what) {
    int value = 0;
    auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || rest != text.data() + text.size() || value < lowest || value > highest) {
        fail(what + " " + quoted(text) + ": expected a number from " + std::to_string(lowest) + " to " +
             std::to_string(highest));
    }
    return value;
}

void check_name(std::string_view name) {
    const auto fits = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
    };
    bool good =
        !name.empty() && name.size() <= 63 && name[0] != '-' && std::all_of(name.begin(), name.end(), fits);
    if (!good) fail("name " + quoted(name) + ": expected up to 63 letters, digits, '-' or '_'");
}

int default_prefix(const Address& address) {
    if (address.v6) return 64;
    const auto& b = address.bytes;
    if (b[0] == 10) return 8;
    if (b[0] == 172 && b[1] >= 16 && b[1] < 32) return 12;
    return b[0] == 192 && b[1] == 168 ? 16 : 24;
}

void render(Address& address) {
    char text[INET6_ADDRSTRLEN];
    inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.bytes.data(), text, sizeof text);
    address.text = text;
}

Address parse_address(std::string_view text) {
    Address address;
    auto slash = text.find('/');
    std::string bare(text.substr(0, slash));
    address.v6 = bare.find(':') != std::string::npos;
    if (inet_pton(address.v6 ? AF_INET6 : AF_INET, bare.c_str(), address.bytes.data()) != 1) {
        fail("address " + quoted(text) + ": expected an IPv4 or IPv6 address");
    }
    render(address);
    address.prefix = default_prefix(address);
    if (slash != std::string_view::npos) {
        address.prefix = parse_integer(text.substr(slash + 1), 1, address.v6 ? 128 : 32, "prefix length");
    }
    return address;
}

std::vector<Address> parse_addresses(std::string_view text) {
    std::vector<Address> addresses;
    while (true) {
        auto comma = text.find(',');
        addresses.push_back(parse_address(text.substr(0, comma)));
        if (comma == std::string_view::npos) return addresses;
        text.remove_prefix(comma + 1);
    }
}

void step(Address& address) {
    for (std::size_t i = address.v6 ? 16 : 4; i-- > 0;) {
        if (++address.bytes[i] != 0) break;
    }
    render(address);
}

double parse_loss(std::string_view text) {
    double value = -1;
    auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    bool whole = error == std::errc{} && rest == text.data() + text.size();
    return whole && value >= 0 && value <= 1 ? value : -1;
}

void apply_option(LinkShape& shape, std::string_view word) {
    auto equals = word.find('=');
    auto key = word.substr(0, equals);
    auto value = equals == std::string_view::npos ? std::string_view{} : word.substr(equals + 1);
    const auto need = [&](bool good, const char* expected) {
        if (!good) fail("option " + quoted(word) + ": expected " + expected);
    };
    if (key == "rate") {
        auto rate = parse_rate(value);
        need(rate.has_value(), "a rate such as rate=100mbit or rate=1gbit");
        shape.rate = *rate;
    } else if (key == "delay") {
        auto delay = parse_delay(value);
        need(delay.has_value(), "a delay such as delay=5us or delay=2ms");
        shape.delay = *delay;
    } else if (key == "queue") {
        auto queue = parse_size(value);
        need(queue.has_value(), "a size such as queue=512k");
        shape.queue = *queue;
    } else if (key == "loss") {
        shape.loss = parse_loss(value);
        need(shape.loss >= 0, "a share from 0 to 1 such as loss=0.01");
    } else {
        fail("unknown option " + quoted(word) + ": expected rate=, delay=, queue= or loss=");
    }
}

LinkShape parse_shape(const Words& words, std::size_t first) {
    LinkShape shape;
    for (std::size_t i = first; i < words.size(); ++i)
        apply_option(shape, words[i]);
    return shape;
}

// PATTERN with its one %d or %0Nd replaced by the number.
std::string numbered(std::string_view pattern, int number) {
    auto at = pattern.find('%');
    auto end = pattern.find('d', at == std::string_view::npos ? pattern.size() : at);
    if (end == std::string_view::npos) fail("pattern " + quoted(pattern) + ": expected one %d or %02d in it");
    auto width = pattern.substr(at + 1, end - at - 1);
    std::size_t digits = width.empty() ? 0 : static_cast<std::size_t>(parse_integer(width, 0, 9, "width"));
    std::string text = std::to_string(number);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return std::string(pattern.substr(0, at)) + text + std::string(pattern.substr(end + 1));
}

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
    if (words.size() < least) fail("too few words; expected: " + std::string(usage));
}

void Reader::statement(const Words& words) {
    const auto& verb = words[0];
    if (verb == "mtu") {
        need_words(words, 2, "mtu BYTES");
        file_.mtu = parse_integer(words[1], 576, 65535, "mtu");
    } else if (verb == "tmp") {
        need_words(words, 2, "tmp SIZE");
        auto size = parse_size(words[1]);
        if (!size || *size < 65536)
            fail("tmp " + quoted(words[1]) + ": expected a size from 64k up such as 256m");
        file_.tmp_size = *size;
    } else if (verb == "switch") {
        add_switch(words);
    } else if (verb == "host" || verb == "nic") {
        add_hosts(words, false, verb == "host");
    } else if (verb == "hosts" || verb == "nics") {
        add_hosts(words, true, verb == "hosts");
    } else {
        fail("unknown statement " + quoted(verb) + ": expected mtu, tmp, switch, host, hosts, nic or nics");
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
    if (found == nodes_.end()) fail("no switch " + quoted(name) + " above this line");
    if (!file_.nodes[found->second].is_switch()) fail(quoted(name) + " is a host; expected a switch");
    return found->second;
}

std::size_t Reader::host_named(const std::string& name) const {
    auto found = hosts_.find(name);
    if (found == hosts_.end()) fail("no host " + quoted(name) + " above this line");
    return found->second;
}

std::size_t Reader::add_host(const std::string& name) {
    check_name(name);
    if (nodes_.contains(name)) fail("name " + quoted(name) + " is used twice");
    hosts_[name] = file_.hosts.size();
    file_.hosts.push_back({name, {}});
    return file_.hosts.size() - 1;
}

void Reader::attach(std::size_t host, Node node) {
    std::size_t index = file_.hosts[host].nics.size();
    node.host = host;
    node.name = file_.hosts[host].name + (index == 0 ? "" : "." + std::to_string(index));
    for (const Address& address : node.addresses) {
        if (!addresses_.insert(address.text).second) fail("address " + address.text + " is used twice");
    }
    file_.hosts[host].nics.push_back(add_node(std::move(node)));
}

std::size_t Reader::add_node(Node node) {
    if (node.is_switch()) check_name(node.name);
    if (file_.nodes.size() >= most_nodes) fail("more than " + std::to_string(most_nodes) + " nodes");
    if (node.parent != no_node) node.depth = file_.nodes[node.parent].depth + 1;
    if (node.depth > deepest) fail("the tree is deeper than " + std::to_string(deepest) + " links");
    std::size_t index = file_.nodes.size();
    if (!nodes_.emplace(node.name, index).second) fail("name " + quoted(node.name) + " is used twice");
    file_.nodes.push_back(std::move(node));
    return index;
}

TopologyFile Reader::finish() {
    if (file_.hosts.empty()) fail("the file describes no host");
    bool v6 = std::any_of(file_.nodes.begin(), file_.nodes.end(), [](const Node& node) {
        return std::any_of(node.addresses.begin(), node.addresses.end(),
                           [](const Address& a) { return a.v6; });
    });
    if (v6 && file_.mtu < 1280) fail("IPv6 needs an mtu of at least 1280");
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
            auto words = split(text.substr(0, end));
            if (!words.empty()) reader.statement(words);
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        }
        return reader.finish();
    } catch (const Malformed& malformed) {
        return ParseError{line, malformed.what()};
    }
}

}  // namespace trellis::lab
