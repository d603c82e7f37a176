// What the parts of `infer` say to one another in the default method. Batches are numbered from 1.
#pragma once

#include "trellis/peer.hpp"

#include "plugins/infer/messages.hpp"
#include "plugins/infer/survey/batch.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace trellis::plugins::infer {

// A host, to another one that it has a turn with. Without addresses: it measures that one, not the other way.
struct TurnPeer {
    HostNumber number = 0;
    HostId id{};
    PublicKey key;
    Endpoint at;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(number, id, key, at);
    }
};

// Root to one host: its part of a batch, and all that it must know of the others in it. Sent when all who
// take part have completed the one before: what is left of that, turns in which nobody came, is dropped.
struct Assignment {
    std::uint32_t batch = 0;
    HostNumber self = 0;
    Probing probing;
    std::vector<Turn> turns;
    std::vector<TurnPeer> peers;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(batch, self, probing, turns, peers);
    }
};

// Host to host: in this batch I measure you no more; do not wait for me.
struct Forgone {
    std::uint32_t batch = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(batch);
    }
};

// A pair that a host could not measure.
struct Miss {
    HostNumber peer = 0;
    std::string why;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(peer, why);
    }
};

// Role to root, several for each batch: what is new since the last one.
struct Answer {
    std::uint32_t batch = 0;
    bool complete = false;  // this host measures nothing more in this batch
    std::vector<PairSample> samples;
    std::vector<Miss> misses;
    std::uint64_t probes = 0;      // that it sent for these
    double probes_per_second = 0;  // the most that it sent
    template <class Archive>
    void serialize(Archive& archive) {
        archive(batch, complete, samples, misses, probes, probes_per_second);
    }
};

using ToSurveyRole = std::variant<Assignment, Skip, Forgone>;
using ToSurveyor = std::variant<Ready, Answer>;

}  // namespace trellis::plugins::infer
