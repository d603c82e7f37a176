// The options of `infer`: declared, read, and checked against one another. A value; owned by the command.
#pragma once

#include "trellis/option_set.hpp"
#include "trellis/time.hpp"

#include "plugins/infer/messages.hpp"
#include "plugins/infer/survey/survey.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace trellis::plugins::infer {

class InferOptions {
  public:
    void declare(OptionSet& options);
    // Once, after the words have been read: what is wrong with them, for the user; nothing if all is well.
    [[nodiscard]] std::optional<std::string> complete();

    [[nodiscard]] Method method() const {
        return method_ == "published" ? Method::published : Method::survey;
    }
    [[nodiscard]] const SurveyOptions& survey() const { return survey_; }
    [[nodiscard]] std::uint64_t seed() const { return survey_.seed; }
    [[nodiscard]] bool anew() const { return anew_; }
    [[nodiscard]] bool verify() const { return verify_; }
    [[nodiscard]] bool watch() const { return watch_.has_value(); }
    [[nodiscard]] Duration interval() const { return interval_; }  // of watching
    [[nodiscard]] const std::optional<std::string>& rtt_file() const { return rtt_file_; }
    // The topology as the user wants it printed.
    [[nodiscard]] std::string render(const Topology& topology) const;

  private:
    [[nodiscard]] std::optional<std::string> contradiction() const;
    [[nodiscard]] std::optional<std::string> read_confidence();
    [[nodiscard]] std::optional<std::string> read_interval();

    bool json_ = false;
    bool dot_ = false;
    bool newick_ = false;
    bool gentle_ = false;
    bool anew_ = false;
    bool verify_ = false;
    std::optional<std::string> watch_;
    Duration interval_ = std::chrono::seconds(10);
    std::uint64_t seed_ = 0;
    std::string method_ = "default";
    std::optional<std::string> confidence_;
    std::optional<std::string> rtt_file_;
    SurveyOptions survey_;
};

}  // namespace trellis::plugins::infer
