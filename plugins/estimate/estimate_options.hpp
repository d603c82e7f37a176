// The options of `estimate` and its subcommands: declared, read and checked. A value; owned by the command.
#pragma once

#include "trellis/option_set.hpp"
#include "trellis/time.hpp"

#include "plugins/estimate/evaluation/error_table.hpp"
#include "plugins/estimate/question.hpp"

#include <optional>
#include <string>

namespace trellis::plugins::estimate {

struct RecordPlan {
    std::string path;
    Duration interval = std::chrono::seconds(1);
    std::optional<Duration> length;  // nothing: until Ctrl-C
    bool between_all = false;
};

class EstimateOptions {
  public:
    void declare(OptionSet& options);
    // Once, after the words have been read: what is wrong with them, for the user; nothing if all is well.
    [[nodiscard]] std::optional<std::string> complete();

    [[nodiscard]] bool evaluates() const { return evaluate_->parsed(); }
    [[nodiscard]] bool records() const { return record_->parsed(); }
    [[nodiscard]] bool json() const { return json_; }
    [[nodiscard]] const std::optional<std::string>& from() const { return from_; }
    [[nodiscard]] const std::optional<std::string>& model() const { return model_; }
    [[nodiscard]] double ms_per_unit() const;
    [[nodiscard]] const std::optional<std::string>& plot() const { return plot_; }
    [[nodiscard]] const Question& question() const { return question_; }
    [[nodiscard]] const EvaluationPlan& evaluation() const { return evaluation_; }
    [[nodiscard]] const RecordPlan& recording() const { return recording_; }

  private:
    void declare_evaluate(OptionSet& options);
    void declare_record(OptionSet& options);
    [[nodiscard]] Result<void> read_question();
    [[nodiscard]] Result<void> read_evaluation();
    [[nodiscard]] Result<void> read_recording();
    [[nodiscard]] Result<void> read_c();

    OptionSet* evaluate_ = nullptr;
    OptionSet* record_ = nullptr;
    bool json_ = false, all_pairs_ = false;
    std::optional<std::string> from_, model_, hosts_, horizon_, bytes_, c_, skip_, plot_, length_;
    std::optional<int> window_;
    std::string root_, method_ = "auto", op_ = "bcast", algorithm_ = "one-stage", unit_ = "ms";
    std::string quantiles_ = "0.5,0.95,0.99", file_, interval_ = "1s";
    std::string windows_ = "2,4,...,1024", horizons_ = "1,2,4,...,256,360";
    Question question_;
    EvaluationPlan evaluation_;
    RecordPlan recording_;
};

}  // namespace trellis::plugins::estimate
