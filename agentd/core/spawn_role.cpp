#include "agentd/core/spawn_role.hpp"

#include "agentd/core/adopt.hpp"
#include "agentd/core/gathered.hpp"
#include "agentd/core/mailbox.hpp"
#include "agentd/core/spawn_messages.hpp"

#include <map>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis {
namespace {

// What happens within this time is told together.
constexpr Duration hold = std::chrono::milliseconds(1);

// Shared by the role and its logins, which may outlast it by a moment.
struct Asking {
    explicit Asking(RoleContext& role_context)
        : context(&role_context),
          answered(role_context.world().executor),
          events(std::make_shared<Gathered<SpawnEvent>>(
              role_context.world().executor, role_context.world().clock, hold, [this](const SpawnNews& news) {
                  if (context) context->send(root_id, encode(news));
              })) {}
    RoleContext* context;  // null once the operation has ended
    Signal answered;
    std::shared_ptr<Gathered<SpawnEvent>> events;
    std::uint32_t tickets = 0;
    std::map<std::uint32_t, AuthorityAnswer> answers;

    void tell(SpawnEvent event) { events->add(std::move(event)); }
};

// The root's LoginAuthority, asked over the tree.
class RemoteAuthority final : public LoginAuthority {
  public:
    explicit RemoteAuthority(std::shared_ptr<Asking> asking, HostId id)
        : asking_(std::move(asking)), id_(id) {}

    Task<Result<void>> check_host_key(const SpawnRequest&, std::string lookup, std::string key) override {
        const HostKeyQuestion question{++asking_->tickets, id_, std::move(lookup), std::move(key)};
        asking_->tell(question);
        auto reply = co_await answer_to(question.ticket);
        if (!reply) co_return reply.error();
        co_return Result<void>{};
    }

    Task<Result<std::string>> ask_agent(std::string request) override {
        const AgentQuestion question{++asking_->tickets, id_, std::move(request)};
        asking_->tell(question);
        co_return co_await answer_to(question.ticket);
    }

    Task<Result<std::string>> full_agent(std::uint64_t from) override {
        const FullAgentQuestion question{++asking_->tickets, id_, from};
        asking_->tell(question);
        co_return co_await answer_to(question.ticket);
    }

  private:
    Task<Result<std::string>> answer_to(std::uint32_t ticket) {
        while (asking_->context && !asking_->answers.contains(ticket))
            co_await asking_->answered.wait();
        const auto answer = asking_->answers.extract(ticket);
        if (!answer) co_return Failure{FailureKind::cancelled, "", "", "the operation has ended"};
        const auto& failure = answer.mapped().failure;
        if (failure) co_return Failure{failure->kind, "", "", failure->detail};
        co_return answer.mapped().reply;
    }

    std::shared_ptr<Asking> asking_;
    HostId id_;
};

class SpawnRole final : public Role {
  public:
    explicit SpawnRole(Node& node) : node_(node.shared_from_this()) {}

    Task<RoleResult> run(RoleContext& context) override {
        auto asking = std::make_shared<Asking>(context);
        struct Ending {
            Asking& asking;
            ~Ending() {
                asking.context = nullptr;
                asking.answered.notify();
            }
        };
        const Ending ending{*asking};
        while (auto message = co_await context.receive()) {
            if (message->from != root_id) continue;
            auto commands = decode<SpawnCommands>(message->body);
            if (!commands) continue;
            for (SpawnCommand& command : *commands)
                obey(context.world(), asking, std::move(command));
        }
        co_return RoleResult{};
    }

  private:
    void obey(const World& world, const std::shared_ptr<Asking>& asking, SpawnCommand command) {
        if (auto* target = std::get_if<SpawnRequest>(&command)) {
            asio::co_spawn(world.executor, log_in(node_, &world.spawner, asking, std::move(*target)),
                           asio::detached);
        } else {
            auto& answer = std::get<AuthorityAnswer>(command);
            asking->answers[answer.ticket] = std::move(answer);
            asking->answered.notify();
        }
    }

    static Task<void> log_in(std::shared_ptr<Node> node, Spawner* spawner, std::shared_ptr<Asking> asking,
                             SpawnRequest target) {
        const HostId id = target.id;
        RemoteAuthority authority(asking, id);
        const auto host = co_await adopt(std::move(node), *spawner, std::move(target), authority, nullptr);
        SpawnReport report{id, Outcome::success()};
        if (!host) report.outcome = Outcome::of(host.error());
        asking->tell(report);
    }

    std::shared_ptr<Node> node_;
};

}  // namespace

std::unique_ptr<Role> make_spawn_role(Node& node) {
    return std::make_unique<SpawnRole>(node);
}

}  // namespace trellis
