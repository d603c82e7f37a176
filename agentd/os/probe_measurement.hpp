// ProbeMeasurement: measures the round trips to one peer, each set over a connection of its own, on the probe
// loop. All of them stay open until the end, by which the peer knows it (probe_reception.hpp). Owned by the
// session that asked; destroying it closes the connection without a result. A round trip counts as the
// kernels saw it (round_trip_clock.hpp), of which they keep the least of each connection; where they do not
// tell, from sending a probe to its answer.
#pragma once

#include "trellis/prober.hpp"

#include "agentd/core/pair_hello.hpp"
#include "agentd/core/probe_message.hpp"
#include "agentd/core/probe_sets.hpp"
#include "agentd/os/listening_sockets.hpp"
#include "agentd/os/probe_loop.hpp"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace trellis {

class ProbeMeasurement : public ProbeLoop::Handler {
  public:
    using Done = std::function<void(Result<ProbeResult>)>;
    struct Target {
        HostId peer{};
        std::string name;                // for messages
        std::vector<Address> addresses;  // in the order in which to try them
        std::uint16_t port = 0;
        SecretKey key;  // of the pair
    };
    // `keys` outlives it. `done` is called once, on the loop's thread, never from start(); it may destroy the
    // measurement.
    ProbeMeasurement(ProbeLoop& loop, const PairKeys& keys, Target target, ProbePlan plan, Done done);
    ~ProbeMeasurement() override;

  private:
    enum class Stage { idle, connecting, greeting, pausing, probing };

    void ready() override;
    void expired() override;
    void try_address();
    void next_address(FailureKind kind, const std::string& cause);
    void connected();
    void welcomed();
    void replied();
    void next_set();
    void pause(TimePoint last);
    void send_probe();
    void prepare();
    bool fill(std::size_t wanted);
    void give_up(FailureKind kind, const std::string& cause);
    void finish(Result<ProbeResult> result);
    [[nodiscard]] std::string where() const;

    const PairKeys& keys_;
    Target target_;
    ProbePlan plan_;
    Done done_;
    ProbeSets sets_;
    Stage stage_ = Stage::idle;
    std::size_t address_ = 0;
    TimePoint connect_by_{};
    TimePoint address_by_{};
    FileDescriptor socket_;
    std::vector<FileDescriptor> used_;  // of the sets before
    std::string hello_;
    std::array<char, welcome_size> buffer_{};
    std::size_t filled_ = 0;
    std::optional<ProbeMessages> messages_;
    std::uint64_t sequence_ = 0;
    ProbeMessage request_{};
    ProbeMessage expected_{};
    TimePoint sent_{};
    TimePoint set_begun_{};
    Duration probing_{0};
};

}  // namespace trellis
