#include "agentd/core/ping_role.hpp"

namespace trellis {
namespace {

class PingRole final : public Role {
  public:
    Task<RoleResult> run(RoleContext&) override { co_return RoleResult{}; }
};

}  // namespace

RoleEntry ping_role() {
    return {"ping", []() -> std::unique_ptr<Role> { return std::make_unique<PingRole>(); }};
}

}  // namespace trellis
