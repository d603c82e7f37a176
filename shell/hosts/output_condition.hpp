// OutputCondition: a condition on what the last command printed on a host, or on how it ended, as users write
// it:
//   stdout ~ EXPRESSION   stderr !~ EXPRESSION   status = NUMBER   status != NUMBER
// An expression is found anywhere in a line; with !~ in none. A value.
#pragma once

#include "trellis/outcome.hpp"
#include "trellis/result.hpp"

#include "shell/hosts/regular_expression.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace trellis {

// The beginning of what a command printed on one host: at most `most_kept` bytes of each stream.
struct LastOutput {
    static constexpr std::size_t most_kept = 16384;
    std::string out;
    std::string err;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(out, err);
    }
};

class OutputCondition {
  public:
    [[nodiscard]] static Result<OutputCondition> parse(std::string_view text);
    [[nodiscard]] bool holds(const LastOutput& output, const Outcome& outcome) const;

  private:
    enum class Field { out, err, status };
    Field field_ = Field::out;
    bool negated_ = false;
    int status_ = 0;
    std::optional<RegularExpression> expression_;
};

}  // namespace trellis
