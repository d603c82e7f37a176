// The agent side of `estimate record`: answers probes, and measures others when the root says so.
#include "trellis/plugin.hpp"

#include "plugins/estimate/record/record_role.hpp"

namespace trellis::plugins::estimate {
namespace {

class EstimateRole final : public Role {
  public:
    Task<RoleResult> run(RoleContext& context) override {
        RecordRole record(context);
        co_return co_await record.run();
    }
};

}  // namespace

RoleEntry role() {
    return {"estimate", []() -> std::unique_ptr<Role> { return std::make_unique<EstimateRole>(); }};
}

}  // namespace trellis::plugins::estimate
