// Estimation: the answer to a question, from a history or from given distributions. Pure: everything of the
// session that it needs is given. Owned by the command.
#pragma once

#include "plugins/estimate/collective/simulation.hpp"
#include "plugins/estimate/collective/transfer.hpp"
#include "plugins/estimate/model/model_file.hpp"
#include "plugins/estimate/question.hpp"

#include <vector>

namespace trellis::plugins::estimate {

class Estimation {
  public:
    // Topology and transfers outlive it. `topology`: null if none is known.
    Estimation(Question question, const Topology* topology, const Transfers& transfers)
        : question_(std::move(question)), topology_(topology), transfers_(transfers) {}

    // Of hosts as recorded. Refused if hosts are unknown, if the algorithm needs what is not known, or if the
    // closed form does not apply.
    [[nodiscard]] Result<Answer> of_history(const History& history);
    [[nodiscard]] Result<Answer> of_model(const std::vector<NamedDistribution>& hosts);

  private:
    [[nodiscard]] Choice choose(const History& filled);
    void describe_hosts(const History& filled, const std::vector<HostForecast>& forecast);
    [[nodiscard]] Result<void> compute();
    [[nodiscard]] Result<void> compute_at_once();
    [[nodiscard]] Result<void> compute_by_lot(const Collective& collective);
    [[nodiscard]] Result<Collective> collective() const;
    [[nodiscard]] Result<Schedule> schedule() const;
    [[nodiscard]] Result<Distribution> latency(std::size_t from, std::size_t to) const;
    [[nodiscard]] std::string node_name(std::size_t node) const;
    [[nodiscard]] bool in_topology() const;
    [[nodiscard]] Result<double> expectation(const std::vector<Distribution>& hosts) const;
    void bootstrap(const History& filled);
    void share_links(const History& filled);
    [[nodiscard]] std::vector<Distribution> distributions() const;

    Question question_;
    const Topology* topology_;
    const Transfers& transfers_;
    const History* history_ = nullptr;
    Choice choice_;
    Answer answer_;
    std::vector<Distribution> shared_;
    std::vector<std::vector<std::size_t>> shared_of_;  // by host
};

}  // namespace trellis::plugins::estimate
