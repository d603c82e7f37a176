// The agent side of `bcast`.
#include "trellis/plugin.hpp"

#include "plugins/bcast/recipient.hpp"

#include <utility>

namespace trellis::plugins::bcast {
namespace {

class BcastRole final : public Role {
  public:
    Task<RoleResult> run(RoleContext& context) override {
        auto request = decode<BcastRequest>(context.request());
        if (!request) co_return RoleResult{Outcome::of(request.error()), {}};
        Recipient recipient(context, std::move(*request));
        co_return co_await recipient.run();
    }
};

}  // namespace

RoleEntry role() {
    return {"bcast", []() -> std::unique_ptr<Role> { return std::make_unique<BcastRole>(); }};
}

}  // namespace trellis::plugins::bcast
