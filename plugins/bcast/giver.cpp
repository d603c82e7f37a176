#include "plugins/bcast/giver.hpp"

#include "plugins/bcast/patient_source.hpp"

#include <utility>

namespace trellis::plugins::bcast {

Task<RoleResult> describe_source(RoleContext& context, std::string path) {
    const World& world = context.world();
    SourcePath what{std::move(path)};
    const auto source = co_await open_patiently(world.files.another(), world.clock, std::move(what));
    if (!source) co_return RoleResult{Outcome::of(source.error()), {}};
    co_return RoleResult{Outcome::success(), encode((*source)->about())};
}

Giver::Giver(RoleContext& context, BcastRequest request)
    : context_(context),
      request_(std::move(request)),
      holding_(context.world().executor, request_.about.shape, Producer::kept_chunks),
      crew_(context.world().executor) {}

Task<RoleResult> Giver::run() {
    if (!is_digest_key(request_.digest_key))
        co_return RoleResult{Outcome::of(invalid("a key of no possible size")), {}};
    const World& world = context_.world();
    SourcePath what{request_.source_path, Digester(request_.digest_key), request_.compress};
    auto source = co_await open_patiently(world.files.another(), world.clock, std::move(what));
    if (!source) co_return RoleResult{Outcome::of(source.error()), {}};
    source_ = std::move(*source);
    if (source_->about() != request_.about) {
        const Failure changed = unavailable(request_.source_path + ": changed before it was sent");
        co_return RoleResult{Outcome::of(changed), {}};
    }
    producer_.emplace(*source_, holding_);
    service_.emplace(
        context_, holding_, crew_, [this](ChunkNumber chunk) { return producer_->read_again(chunk); },
        [](std::shared_ptr<ByteStream>) -> Task<void> { co_return; }, request_.slowest_link);
    Task<RoleResult> given = give();
    co_return co_await crew_.run(std::move(given));
}

Task<RoleResult> Giver::give() {
    crew_.add(receive_messages());
    crew_.add(keep_time());
    crew_.add(produce());
    tell_root(Ready{service_->open(), {}});
    while (!finish_ && !holding_.stopped())
        co_await holding_.changed.wait();
    if (holding_.stopped()) co_return RoleResult{Outcome::of(*holding_.stopped()), {}};
    if (!finish_->cause.empty()) co_return RoleResult{Outcome::of(unavailable(finish_->cause)), {}};
    co_return RoleResult{};
}

Task<void> Giver::produce() {
    const Result<void> produced = co_await producer_->run();
    if (produced) tell_root(Sealed{holding_.digest_of_all()});
}

Task<void> Giver::judge(Judge judge) {
    std::vector<HostId> hosts = co_await agreeing(holding_, std::move(judge.claims));
    tell_root(Judged{std::move(hosts)});
}

Task<void> Giver::receive_messages() {
    while (const auto message = co_await context_.receive()) {
        if (message->from != root_id) continue;
        Result<ToRole> decoded = decode<ToRole>(message->body);
        if (!decoded) continue;
        if (const auto* judge = std::get_if<Judge>(&*decoded)) crew_.add(this->judge(*judge));
        if (!std::holds_alternative<Finish>(*decoded)) continue;
        finish_ = std::get<Finish>(std::move(*decoded));
        holding_.changed.notify();
    }
}

Task<void> Giver::keep_time() {
    for (;;) {
        co_await context_.world().clock.sleep(tick);
        holding_.beat(holding_.pulse() + 1);
        tell_root(Progress{holding_.end(), holding_.stored()});
    }
}

}  // namespace trellis::plugins::bcast
