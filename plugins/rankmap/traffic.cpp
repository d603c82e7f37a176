#include "plugins/rankmap/traffic.hpp"

#include <algorithm>
#include <numeric>

namespace trellis::plugins::rankmap {
namespace {

bool counts(const Message& message) {
    return message.from != message.to && message.amount > 0;
}

}  // namespace

Traffic::Traffic(std::size_t ranks, const std::vector<Message>& messages) : first_(ranks + 1, 0) {
    for (const Message& message : messages) {
        if (!counts(message)) continue;
        ++first_[message.from + 1];
        ++first_[message.to + 1];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    peers_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (const Message& message : messages) {
        if (!counts(message)) continue;
        peers_[next[message.from]++] = {message.to, message.amount};
        peers_[next[message.to]++] = {message.from, message.amount};
        total_ += message.amount;
    }
    merge_equal_pairs();
}

void Traffic::merge_equal_pairs() {
    std::size_t end = 0, begin = 0;
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
        const auto own = std::span(peers_).subspan(begin, first_[rank + 1] - begin);
        begin = first_[rank + 1];
        std::ranges::stable_sort(own, {}, &TrafficPeer::rank);
        first_[rank] = end;
        for (const TrafficPeer& peer : own) {
            if (end > first_[rank] && peers_[end - 1].rank == peer.rank)
                peers_[end - 1].amount += peer.amount;
            else
                peers_[end++] = peer;
        }
    }
    first_.back() = end;
    peers_.resize(end);
}

bool Traffic::uniform() const {
    if (peers_.size() != ranks() * (ranks() - 1)) return false;
    return std::ranges::all_of(
        peers_, [this](const TrafficPeer& peer) { return peer.amount == peers_.front().amount; });
}

}  // namespace trellis::plugins::rankmap
