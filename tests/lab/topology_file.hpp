// The description of an emulated cluster: switches, hosts, their network cards and the links between them.
// It is read from a small text file and is at once the plan that the laboratory and the simulated world build
// and the truth that inference is compared with. A plain value, owned by whoever parsed it; it never opens a
// file, a socket or a device.
//
// One statement a line; '#' starts a comment:
//     mtu 1500                                 largest packet of every link, in bytes
//     tmp 256m [huge]                          size of each host's private /tmp, /var/tmp, /dev/shm and home;
//     huge: of
//                                              huge pages, where writing costs as little as in file systems
//                                              with large folios
//     switch NAME [PARENT [options]]           a switch without a parent is the root of a network
//     host NAME SWITCH ADDR[,ADDR] [options]
//     hosts PATTERN FIRST LAST SWITCH ADDR[,ADDR] [options]
//     nic HOST SWITCH ADDR[,ADDR] [options]    one more network card of a host that stands above
//     nics PATTERN FIRST LAST SWITCH ADDR[,ADDR] [options]
// PATTERN holds one %d or %02d; the addresses count up from the one that is given. ADDR is IPv4 or IPv6, with
// or without a prefix length (10.1.0.1, 192.168.0.1/24, fd00:1::1/64). The options describe the link towards
// the parent:
//     rate=1gbit down=200mbit delay=5us queue=512k loss=0.01
// `down` is the rate from the parent, where it is another one than that to it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace trellis::lab {

// One link; but for its rate the same in both directions.
struct LinkShape {
    std::chrono::nanoseconds delay{0};  // one way
    double rate = 0;                    // bits per second; 0: unlimited
    double down = 0;                    // from the parent; 0: as `rate`
    std::uint64_t queue =
        std::uint64_t{256} * 1024;  // bytes that wait in each direction before packets are dropped
    double loss = 0;                // share of packets lost in each direction, 0 to 1

    [[nodiscard]] double rate_down() const { return down > 0 ? down : rate; }
};

struct Address {
    std::string text;  // without the prefix length
    bool v6 = false;
    std::array<std::uint8_t, 16> bytes{};  // network order; an IPv4 address takes the first four
    int prefix = 0;
};

inline constexpr std::size_t no_node = static_cast<std::size_t>(-1);

// A switch or a network card. A host's first card has the host's name, its next ones NAME.1, NAME.2.
struct Node {
    std::string name;
    std::size_t parent = no_node;  // index of a switch
    std::size_t depth = 0;         // links up to the root
    std::size_t host = no_node;    // of a card: index of its host; a switch has none
    std::vector<Address> addresses;
    LinkShape up;  // the link to the parent; meaningless for a root
    bool is_switch() const { return host == no_node; }
};

struct Host {
    std::string name;
    std::vector<std::size_t> nics;  // indices of nodes, in the order of the file
};

struct TopologyFile {
    int mtu = 1500;
    std::uint64_t tmp_size = 256 << 20;
    bool huge_pages = false;
    std::vector<Node> nodes;  // parents stand before children
    std::vector<Host> hosts;
};

struct ParseError {
    int line = 0;  // from 1
    std::string message;
};

// Reads a description. The error names the first line that is wrong, what was found and what was expected.
std::variant<TopologyFile, ParseError> parse_topology(std::string_view text);

// "1gbit", "5us", "512k": a number and a unit; nothing if they are malformed, negative or absurdly large.
std::optional<double> parse_rate(std::string_view text);  // bits per second
std::optional<std::chrono::nanoseconds> parse_delay(std::string_view text);
std::optional<std::uint64_t> parse_size(std::string_view text);  // bytes

// A link of the tree, named by its lower end.
struct ParentLink {
    std::string child;
    std::string parent;
    LinkShape shape;
};

// The names of all nodes, switches and cards, in the order of the file.
std::vector<std::string> node_names(const TopologyFile& file);

// The whole as a list of links from child to parent; roots are the names that are no link's child.
std::vector<ParentLink> parent_links(const TopologyFile& file);

// Index of the node or host of that name (a host stands for its first card).
std::optional<std::size_t> find_node(const TopologyFile& file, std::string_view name);
std::optional<std::size_t> find_host(const TopologyFile& file, std::string_view name);

// The link that a user means by "CHILD" (the link to its parent) or by "A-B" (the link between two
// neighbours; for a host with several cards, the one whose card is on that switch). Answers the index of the
// lower node.
std::optional<std::size_t> find_link(const TopologyFile& file, std::string_view name);

// Nodes from one to the other, both included; empty if they are on different networks.
std::vector<std::size_t> tree_path(const TopologyFile& file, std::size_t from, std::size_t to);

// Sum of the link delays between two nodes, or between two hosts by name (over their first cards, or over the
// first pair of cards that share a network). Nothing if they share no network or are unknown.
std::optional<std::chrono::nanoseconds> one_way_delay(const TopologyFile& file, std::size_t from,
                                                      std::size_t to);
std::optional<std::chrono::nanoseconds> one_way_delay(const TopologyFile& file, std::string_view from,
                                                      std::string_view to);

}  // namespace trellis::lab
