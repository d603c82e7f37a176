// The options of `bwtree`: declared, read, and checked against one another. A value; owned by the command.
#pragma once

#include "trellis/option_set.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trellis::plugins::bwtree {

// A number of bytes: "500M", "1.5G"; k, M, G, T are powers of 1000. Nothing if it is malformed or 0.
[[nodiscard]] std::optional<std::uint64_t> bytes_in(const std::string& text);

class BwtreeOptions {
  public:
    void declare(OptionSet& options);
    // Once, after the words have been read: what is wrong with them, for the user; nothing if all is well.
    [[nodiscard]] std::optional<std::string> complete();

    // Two hosts: `query A B`; else empty.
    [[nodiscard]] const std::vector<std::string>& query() const { return query_; }
    [[nodiscard]] bool published() const { return method_ == "published"; }
    [[nodiscard]] bool plan() const { return plan_; }
    [[nodiscard]] bool json() const { return json_; }
    [[nodiscard]] std::uint64_t budget() const { return budget_; }  // bytes; the greatest number: no limit

  private:
    std::vector<std::string> query_;
    std::string method_ = "default";
    bool plan_ = false;
    bool json_ = false;
    std::optional<std::string> budget_text_;
    std::uint64_t budget_ = UINT64_MAX;
};

}  // namespace trellis::plugins::bwtree
