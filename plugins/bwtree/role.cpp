// The agent side of `bwtree`.
#include "trellis/plugin.hpp"

#include "plugins/bwtree/flow_work.hpp"

namespace trellis::plugins::bwtree {
namespace {

class BwtreeRole final : public Role {
  public:
    Task<RoleResult> run(RoleContext& context) override {
        const Held work(context);
        if (const Result<void> opened = work->open(); !opened)
            co_return RoleResult{Outcome::of(opened.error()), {}};
        while (auto received = co_await context.receive()) {
            if (received->from != root_id) continue;
            if (auto message = decode<ToRole>(received->body)) work->handle(std::move(*message));
        }
        co_return RoleResult{};
    }

  private:
    // Closes it however the role ends.
    class Held {
      public:
        explicit Held(RoleContext& context) : work_(std::make_shared<FlowWork>(context)) {}
        ~Held() { work_->close(); }
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;
        FlowWork* operator->() const { return work_.get(); }

      private:
        std::shared_ptr<FlowWork> work_;
    };
};

}  // namespace

RoleEntry role() {
    return {"bwtree", []() -> std::unique_ptr<Role> { return std::make_unique<BwtreeRole>(); }};
}

}  // namespace trellis::plugins::bwtree
