// Masks: which hosts a seat has taken out of its selection, now and before: a history to undo, a stack, and
// masks kept under names. A mask holds the hosts that are not selected, so that hosts that are named later
// are. A value.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace trellis {

using Mask = std::set<std::string>;

class Masks {
  public:
    Masks() = default;
    Masks(Mask current, std::map<std::string, Mask> saved, std::vector<Mask> stack);

    [[nodiscard]] const Mask& current() const { return current_; }
    void set(Mask mask);
    // Back to what was before the last set(); false if there was none, or more than `longest_history` since.
    [[nodiscard]] bool undo();

    void save(const std::string& name) { saved_[name] = current_; }
    // False if no mask of that name is kept.
    [[nodiscard]] bool restore(const std::string& name);
    void push() { stack_.push_back(current_); }
    // False if nothing is on the stack.
    [[nodiscard]] bool pop();
    [[nodiscard]] const std::map<std::string, Mask>& saved() const { return saved_; }
    [[nodiscard]] const std::vector<Mask>& stack() const { return stack_; }

    // Becomes another; undo() brings back the selection alone.
    void load(Masks other);
    // The same with nothing to undo.
    [[nodiscard]] Masks without_history() const;

    static constexpr std::size_t longest_history = 100;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(current_, history_, saved_, stack_);
    }

  private:
    Mask current_;
    std::vector<Mask> history_;
    std::map<std::string, Mask> saved_;
    std::vector<Mask> stack_;
};

}  // namespace trellis
