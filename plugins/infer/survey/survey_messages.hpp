// What the parts of `infer` say to one another in the default method. Hosts are numbered by their place in
// Roll::hosts, batches from 1.
#pragma once

#include "plugins/infer/messages.hpp"
#include "plugins/infer/survey/batch.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace trellis::plugins::infer {

// Root to all, once: who takes part.
struct Roll {
    std::vector<Participant> hosts;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(hosts);
    }
};

// Root to one host: its part of a batch. Sent when all who take part have completed the one before: what is
// left of that, turns in which nobody came, is dropped.
struct Assignment {
    std::uint32_t batch = 0;
    Probing probing;
    std::vector<Turn> turns;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(batch, probing, turns);
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

using ToSurveyRole = std::variant<Roll, Assignment, Skip, Forgone>;
using ToSurveyor = std::variant<Ready, Answer>;

}  // namespace trellis::plugins::infer
