#include "plugins/infer/survey/survey.hpp"

#include "plugins/infer/survey/cluster_sweep.hpp"
#include "plugins/infer/survey/host_groups.hpp"
#include "plugins/infer/survey/inference_result.hpp"
#include "plugins/infer/survey/inside_pairs.hpp"
#include "plugins/infer/survey/wide_survey.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::infer {

class Survey::State {
  public:
    State(std::vector<std::string> names, const SurveyOptions& options)
        : names_(std::move(names)),
          options_(options),
          out_(names_.size(), false),
          groups_(names_.size(), options.seed, options.confidence),
          inside_(names_.size()) {}

    std::optional<Batch> next() {
        while (stage_ != Stage::over)
            if (std::optional<Batch> batch = next_of_stage()) return batch;
        return std::nullopt;
    }

    void take(std::span<const PairSample> samples) {
        for (const PairSample& sample : samples)
            pairs_.push_back(std::minmax(sample.a, sample.b));
        if (stage_ == Stage::sweeping) sweep_->take(samples);
        if (stage_ == Stage::dividing) groups_.take(samples);
        if (stage_ == Stage::inside) inside_.take(samples);
        if (stage_ == Stage::between) wide_->take(samples);
    }

    void leave_out(HostNumber host) { out_[host] = true; }
    [[nodiscard]] const InferenceResult& result() const { return result_; }
    [[nodiscard]] std::size_t pairs() const {
        std::vector<std::pair<HostNumber, HostNumber>> all = pairs_;
        std::ranges::sort(all);
        return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
    }

  private:
    // In this order: rough distances between all, the division of large clusters, all pairs within groups and
    // some of them again, pairs between clusters.
    enum class Stage { begin, sweeping, dividing, inside, between, over };

    // Nothing if the next stage has begun.
    std::optional<Batch> next_of_stage() {
        switch (stage_) {
            case Stage::begin:
                sweep_.emplace(present(), names_.size(), options_.seed);
                stage_ = Stage::sweeping;
                return std::nullopt;
            case Stage::sweeping:
                if (std::optional<Batch> batch = sweep_->next()) return batch;
                groups_.add_clusters(sweep_->clusters());
                stage_ = Stage::dividing;
                return std::nullopt;
            case Stage::dividing:
                if (std::optional<Batch> batch = groups_.next()) return batch;
                stage_ = Stage::inside;
                return groups_.all_inside();
            case Stage::inside:
                return next_of_inside();
            case Stage::between:
                if (std::optional<Batch> batch = wide_->next()) return batch;
                if (wide_->tree()) result_ = describe(*wide_->tree(), wide_->clusters(), names_);
                stage_ = Stage::over;
                return std::nullopt;
            case Stage::over:
                return std::nullopt;
        }
        return std::nullopt;
    }

    [[nodiscard]] std::vector<HostNumber> present() const {
        std::vector<HostNumber> hosts;
        for (HostNumber host = 0; host < out_.size(); ++host)
            if (!out_[host]) hosts.push_back(host);
        return hosts;
    }
    std::optional<Batch> next_of_inside() {
        std::vector<SolvedCluster> clusters = groups_.solve(inside_, out_);
        if (!std::exchange(measured_again_, true)) {
            Batch batch = inside_.worst_again(clusters);
            if (batch.pairs() > 0) return batch;
        }
        wide_.emplace(std::move(clusters), names_.size(), options_.confidence);
        stage_ = Stage::between;
        return std::nullopt;
    }

    std::vector<std::string> names_;
    SurveyOptions options_;
    std::vector<bool> out_;  // by host number
    Stage stage_ = Stage::begin;
    std::optional<ClusterSweep> sweep_;
    HostGroups groups_;
    InsidePairs inside_;
    bool measured_again_ = false;
    std::optional<WideSurvey> wide_;
    std::vector<std::pair<HostNumber, HostNumber>> pairs_;  // that were measured
    InferenceResult result_;
};

Survey::Survey(std::vector<std::string> names, const SurveyOptions& options)
    : state_(std::make_unique<State>(std::move(names), options)) {}
Survey::~Survey() = default;
Survey::Survey(Survey&&) noexcept = default;
Survey& Survey::operator=(Survey&&) noexcept = default;

std::optional<Batch> Survey::next() {
    return state_->next();
}
void Survey::take(std::span<const PairSample> samples) {
    state_->take(samples);
}
void Survey::leave_out(HostNumber host) {
    state_->leave_out(host);
}
Topology Survey::topology() const {
    return state_->result().topology;
}
std::vector<std::string> Survey::remarks() const {
    return state_->result().remarks;
}
std::size_t Survey::measured_pairs() const {
    return state_->pairs();
}

}  // namespace trellis::plugins::infer
