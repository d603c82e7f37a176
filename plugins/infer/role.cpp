// The agent side of `infer`: one host's part in the method that the request names.
#include "trellis/plugin.hpp"

#include "plugins/infer/published/published_role.hpp"
#include "plugins/infer/survey/survey_role.hpp"

namespace trellis::plugins::infer {
namespace {

class InferRole final : public Role {
  public:
    Task<RoleResult> run(RoleContext& context) override {
        const auto request = decode<InferRequest>(context.request());
        if (!request) co_return RoleResult{Outcome::of(request.error()), {}};
        if (request->method == Method::published) {
            PublishedRole published(context, *request);
            co_return co_await published.run();
        }
        SurveyRole survey(context);
        co_return co_await survey.run();
    }
};

}  // namespace

RoleEntry role() {
    return {"infer", []() -> std::unique_ptr<Role> { return std::make_unique<InferRole>(); }};
}

}  // namespace trellis::plugins::infer
