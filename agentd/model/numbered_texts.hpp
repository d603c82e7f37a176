// NumberedTexts: different texts, numbered from 0 in the order in which they came; fewer than 2^32. A value
// that forgets none. The texts lie one behind the other and the table that finds them is flat: a node and a
// string for each would cost several times as much where there are many.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

class NumberedTexts {
  public:
    // The number of a text, which is added if it is new.
    std::size_t number_of(std::string_view text) {
        if (2 * ends_.size() >= slots_.size()) grow();
        const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>{}(text));
        Slot& slot = slots_[find(hash, text)];
        if (slot.number == none) {
            slot = {hash, static_cast<std::uint32_t>(ends_.size())};
            all_ += text;
            ends_.push_back(all_.size());
        }
        return slot.number;
    }
    // Until the next text is added.
    [[nodiscard]] std::string_view text_of(std::size_t number) const {
        const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
        return std::string_view(all_).substr(begin, ends_[number] - begin);
    }

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t number = none;
    };

    // Where the text is, or the free slot where it belongs.
    [[nodiscard]] std::size_t find(std::uint32_t hash, std::string_view text) const {
        std::size_t at = hash & (slots_.size() - 1);
        while (slots_[at].number != none && (slots_[at].hash != hash || text_of(slots_[at].number) != text))
            at = (at + 1) & (slots_.size() - 1);
        return at;
    }

    void grow() {
        std::vector<Slot> old(std::max<std::size_t>(16, 4 * slots_.size()));
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.number != none) slots_[find(slot.hash, text_of(slot.number))] = slot;
    }

    std::string all_;
    std::vector<std::size_t> ends_;
    std::vector<Slot> slots_;  // a power of two, at most half of them taken
};

}  // namespace trellis
