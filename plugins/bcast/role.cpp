// The agent side of `bcast`.
#include "trellis/plugin.hpp"

#include "plugins/bcast/giver.hpp"
#include "plugins/bcast/recipient.hpp"

#include <utility>

namespace trellis::plugins::bcast {
namespace {

class BcastRole final : public Role {
  public:
    Task<RoleResult> run(RoleContext& context) override {
        auto request = decode<BcastRequest>(context.request());
        if (!request) co_return RoleResult{Outcome::of(request.error()), {}};
        if (request->version != bcast_version) {
            const Failure other = invalid("another version of bcast");
            co_return RoleResult{Outcome::of(other), {}};
        }
        if (request->describe) {
            std::string path = std::move(request->source_path);
            co_return co_await describe_source(context, std::move(path));
        }
        if (request->source == context.peers().self) {
            Giver giver(context, std::move(*request));
            co_return co_await giver.run();
        }
        Recipient recipient(context, std::move(*request));
        co_return co_await recipient.run();
    }
};

}  // namespace

RoleEntry role() {
    return {"bcast", []() -> std::unique_ptr<Role> { return std::make_unique<BcastRole>(); }};
}

}  // namespace trellis::plugins::bcast
