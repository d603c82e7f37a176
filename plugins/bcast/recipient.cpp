#include "plugins/bcast/recipient.hpp"

#include "plugins/bcast/piped_command.hpp"

#include <utility>

namespace trellis::plugins::bcast {
namespace {

constexpr std::size_t kept_chunks = 16;
constexpr int ticks_between_progress = 5;

std::string under(const std::string& directory, const std::string& path) {
    return directory.empty() || path.starts_with('/') ? path : directory + "/" + path;
}

}  // namespace

Recipient::Recipient(RoleContext& context, BcastRequest request)
    : context_(context),
      request_(std::move(request)),
      holding_(context.world().executor, request_.about.shape, kept_chunks),
      crew_(context.world().executor) {}

Result<void> Recipient::prepare() {
    const Shape& shape = request_.about.shape;
    if (shape.manifest_bytes == 0 || shape.manifest_bytes > most_manifest_bytes)
        return invalid("a manifest of no possible size");
    FileStore& files = context_.world().files;
    const HostId self = context_.peers().self;
    const auto directory = request_.directories.find(self);
    const std::string destination =
        under(directory == request_.directories.end() ? "" : directory->second, request_.destination);
    auto path = final_path(files, destination, request_.about.name, request_.about.directory);
    if (!request_.pipe.empty()) {
        directory_ = destination;
        path = under(destination, "bcast");
    }
    if (!path) return path.error();
    const std::string token = request_.token + "-" + std::to_string(static_cast<std::uint32_t>(self));
    staging_ = std::make_unique<Staging>(files, *path, token);
    Result<void> fit = staging_->check(shape.content_bytes.value_or(0));
    if (!fit) return fit;
    storing_.emplace(files, holding_, *staging_);
    upstream_.emplace(context_, holding_, crew_);
    service_.emplace(
        context_, holding_, crew_, [this](ChunkNumber chunk) { return storing_->read(chunk); },
        [this](std::shared_ptr<ByteStream> connection) {
            return upstream_->take_over(std::move(connection));
        });
    return {};
}

Task<RoleResult> Recipient::run() {
    const Result<void> prepared = prepare();
    if (!prepared) co_return RoleResult{Outcome::of(prepared.error()), {}};
    Task<RoleResult> part = take_part();
    co_return co_await crew_.run(std::move(part));
}

Task<RoleResult> Recipient::take_part() {
    crew_.add(receive_messages());
    crew_.add(keep_time());
    tell_root(Ready{service_->open()});
    while (!begin_ && !finish_)
        co_await holding_.changed.wait();
    Result<void> done = unavailable("it was ready too late");
    if (begin_) {
        upstream_->begin(*begin_);
        done = co_await receive_object();
        if (done) done = co_await put_in_place();
    }
    if (finish_ && !finish_->cause.empty()) done = unavailable(finish_->cause);
    if (!done) co_return RoleResult{Outcome::of(done.error()), {}};
    tell_root(Have{service_->sent()});
    while (!finish_)
        co_await holding_.changed.wait();
    co_return RoleResult{};
}

// Fetching and storing go on side by side; what is stored last may prove damaged when all has been fetched.
Task<Result<void>> Recipient::receive_object() {
    crew_.add(fetch());
    while (true) {
        if (finish_) co_return Failure{FailureKind::cancelled, "", "", "stopped"};
        if (holding_.unstored() > 0) {
            const Result<Storing::Outcome> stored = co_await storing_->store_next();
            if (!stored) co_return stored.error();
            if (*stored == Storing::Outcome::stored) continue;
            upstream_->refuse();
            holding_.rewind(holding_.stored());
            if (std::exchange(fetched_, std::nullopt)) crew_.add(fetch());
        } else if (fetched_ && !*fetched_) {
            co_return *fetched_;
        } else if (fetched_ && holding_.finished()) {
            co_return Result<void>();
        } else {
            co_await holding_.changed.wait();
        }
    }
}

Task<void> Recipient::fetch() {
    fetched_.reset();
    fetched_ = co_await upstream_->fetch();
    holding_.changed.notify();
}

Task<Result<void>> Recipient::put_in_place() {
    while (!sealed_ && !finish_)
        co_await holding_.changed.wait();
    if (!sealed_) co_return Failure{FailureKind::cancelled, "", "", "stopped"};
    if (sealed_->digest != holding_.digest_of_all())
        co_return Failure{FailureKind::invalid, "", "", "what came is not what was sent"};
    if (request_.verify) {
        const Result<void> verified = co_await storing_->verify();
        if (!verified) co_return verified;
    }
    if (!request_.pipe.empty()) co_return co_await pipe();
    Result<void> placed;
    std::function<void()> work = [&] { placed = staging_->commit(); };
    co_await context_.world().files.apart(std::move(work));
    co_return placed;
}

Task<Result<void>> Recipient::pipe() {
    ProcessSpec spec;
    spec.argv = {"/bin/sh", "-c", std::string(request_.pipe)};
    spec.directory = directory_;
    spec.inputs = {0};
    const auto number = std::make_shared<ChunkNumber>(holding_.shape().manifest_chunks());
    std::function<Task<Result<std::string>>()> next = [this, number]() -> Task<Result<std::string>> {
        if (*number == holding_.chunks()) co_return std::string();
        const auto chunk = co_await storing_->read((*number)++);
        if (!chunk) co_return chunk.error();
        co_return (*chunk)->bytes;
    };
    const World& world = context_.world();
    co_return co_await run_command(world.processes, world.executor, std::move(spec), std::move(next));
}

Task<void> Recipient::receive_messages() {
    while (const auto message = co_await context_.receive()) {
        if (message->from != root_id) continue;
        Result<ToRole> decoded = decode<ToRole>(message->body);
        if (decoded) handle(std::move(*decoded));
    }
}

void Recipient::handle(ToRole message) {
    if (auto* begin = std::get_if<Begin>(&message)) {
        if (!begin_) begin_ = std::move(*begin);
    } else if (const auto* turn = std::get_if<Turn>(&message)) {
        upstream_->turn(*turn);
    } else if (auto* sealed = std::get_if<Sealed>(&message)) {
        sealed_ = std::move(*sealed);
    } else {
        finish_ = std::move(std::get<Finish>(message));
    }
    holding_.changed.notify();
}

Task<void> Recipient::keep_time() {
    for (int ticks = 0;; ++ticks) {
        co_await context_.world().clock.sleep(tick);
        upstream_->check_silence();
        holding_.changed.notify();
        holding_.grown.notify();
        if (begin_ && ticks % ticks_between_progress == 0)
            tell_root(Progress{holding_.chunks(), holding_.stored()});
    }
}

}  // namespace trellis::plugins::bcast
