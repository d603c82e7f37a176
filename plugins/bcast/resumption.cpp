#include "plugins/bcast/resumption.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace trellis::plugins::bcast {

Task<Result<void>> Resumption::check(Storing& storing) {
    Result<void> opened;
    std::function<void()> work = [&] { opened = remains_.open(); };
    co_await storing.apart(std::move(work));
    if (!opened) co_return opened;
    storing.know(remains_.manifest());
    for (; right_ < remains_.listed().size(); ++right_) {
        if (holding_.shape().in_manifest(right_)) continue;
        Digest digest = remains_.listed()[right_];
        const bool right = co_await storing.is_right(right_, std::move(digest));
        if (!right) break;
    }
    co_return opened;
}

Kept Resumption::kept() const {
    return {right_, digest_of_first(remains_.listed(), right_), remains_.other_source()};
}

Task<Result<void>> Resumption::settle(Storing& storing, bool agreed) {
    Result<void> settled;
    const std::uint64_t right = holding_.shape().content_before(right_);
    std::function<void()> work = [&] { settled = agreed ? staging_.complete(right) : remains_.drop(); };
    std::vector<Digest> digests(remains_.listed().begin(),
                                remains_.listed().begin() + static_cast<std::ptrdiff_t>(right_));
    co_await storing.apart(std::move(work));
    if (!settled) co_return settled;
    if (agreed)
        holding_.go_on_from(std::move(digests));
    else
        storing.know("");
    co_return settled;
}

Task<std::vector<HostId>> agreeing(Holding& holding, std::vector<Claim> claims) {
    ChunkNumber most = 0;
    for (const Claim& claim : claims)
        most = std::max(most, claim.kept.chunks);
    holding.want(most);
    while (holding.chunks() < most && !holding.finished() && !holding.stopped())
        co_await holding.changed.wait();
    std::map<ChunkNumber, Digest> digests;
    std::vector<HostId> hosts;
    for (const Claim& claim : claims) {
        const ChunkNumber chunks = claim.kept.chunks;
        if (chunks > holding.chunks()) continue;
        if (!digests.contains(chunks)) digests[chunks] = holding.digest_of_first(chunks);
        if (digests[chunks] == claim.kept.digest) hosts.push_back(claim.host);
    }
    co_return hosts;
}

}  // namespace trellis::plugins::bcast
