#include "shell/hosts/masks.hpp"

#include <utility>

namespace trellis {

Masks::Masks(Mask current, std::map<std::string, Mask> saved, std::vector<Mask> stack)
    : current_(std::move(current)), saved_(std::move(saved)), stack_(std::move(stack)) {}

void Masks::set(Mask mask) {
    if (mask == current_) return;
    if (history_.size() == longest_history) history_.erase(history_.begin());
    history_.push_back(std::exchange(current_, std::move(mask)));
}

void Masks::load(Masks other) {
    set(std::move(other.current_));
    saved_ = std::move(other.saved_);
    stack_ = std::move(other.stack_);
}

Masks Masks::without_history() const {
    Masks masks = *this;
    masks.history_.clear();
    return masks;
}

bool Masks::undo() {
    if (history_.empty()) return false;
    current_ = std::move(history_.back());
    history_.pop_back();
    return true;
}

bool Masks::restore(const std::string& name) {
    const auto place = saved_.find(name);
    if (place == saved_.end()) return false;
    set(place->second);
    return true;
}

bool Masks::pop() {
    if (stack_.empty()) return false;
    set(std::move(stack_.back()));
    stack_.pop_back();
    return true;
}

}  // namespace trellis
