// What the parts of `infer` say to one another: the command at the root, the roles on the hosts. Here what
// both methods say, and the published one; survey_messages.hpp has the other.
// Hosts are numbered by their place among those who take part; positions are places in the order of
// insertion.
#pragma once

#include "trellis/host.hpp"
#include "trellis/message.hpp"

#include "plugins/infer/published/travelling_tree.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace trellis::plugins::infer {

enum class Method : std::uint8_t { survey, published };

struct InferRequest {
    Method method = Method::survey;
    // How the published method measures each pair: Shirai 2007, section 4.1.
    std::int32_t sets = 3;
    std::int32_t round_trips = 30;
    std::int32_t patience = 10;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(method, sets, round_trips, patience);
    }
};

// Role to root: ready to be measured, listening on these ports (no talk_port: it does not listen for talk).
struct Ready {
    std::uint16_t probe_port = 0;
    std::uint16_t talk_port = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(probe_port, talk_port);
    }
};

struct Participant {
    HostId id{};
    Ready ports;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(id, ports);
    }
};

// Root to all: who takes part, and in which order they are inserted.
struct Begin {
    std::vector<Participant> hosts;
    std::vector<HostNumber> order;
    std::uint64_t seed = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(hosts, order, seed);
    }
};

// Root to all: this host is gone or silent; go round it.
struct Skip {
    HostNumber host = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(host);
    }
};

// Host to host: the tree travels. `whole`: it holds all hosts before the receiver; else it is the early one.
struct TreePassed {
    bool whole = false;
    TravellingTree tree;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(whole, tree);
    }
};

// Role to root: this host has passed the tree on.
struct Placed {
    bool inserted = false;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(inserted);
    }
};

// The last host to the root.
struct Finished {
    TravellingTree tree;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(tree);
    }
};

using ToRole = std::variant<Begin, Skip, TreePassed>;
using ToRoot = std::variant<Ready, Placed, Finished>;

}  // namespace trellis::plugins::infer
