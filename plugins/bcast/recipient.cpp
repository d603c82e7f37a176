#include "plugins/bcast/recipient.hpp"

#include <utility>

namespace trellis::plugins::bcast {
namespace {

constexpr std::size_t kept_chunks = 16;
constexpr std::size_t most_members = 64;  // of the crew: who can be served at once, and some more
constexpr int ticks_between_progress = 5;

std::string under(const std::string& directory, const std::string& path) {
    return directory.empty() || path.starts_with('/') ? path : directory + "/" + path;
}

}  // namespace

Recipient::Recipient(RoleContext& context, BcastRequest request)
    : context_(context),
      request_(std::move(request)),
      holding_(context.world().executor, request_.shape, kept_chunks),
      crew_(context.world().executor) {}

Result<void> Recipient::prepare() {
    if (request_.version != bcast_version) return invalid("another version of bcast");
    const Shape& shape = request_.shape;
    if (shape.manifest_bytes == 0 || shape.manifest_bytes > most_manifest_bytes)
        return invalid("a manifest of no possible size");
    FileStore& files = context_.world().files;
    const HostId self = context_.peers().self;
    const auto directory = request_.directories.find(self);
    const std::string destination =
        under(directory == request_.directories.end() ? "" : directory->second, request_.destination);
    const auto path = final_path(files, destination, request_.name, request_.directory);
    if (!path) return path.error();
    const std::string token = request_.token + "-" + std::to_string(static_cast<std::uint32_t>(self));
    staging_ = std::make_unique<Staging>(files, *path, token);
    const Result<void> fit = staging_->check(shape.content_bytes.value_or(0));
    if (!fit) return fit;
    storing_.emplace(files, holding_, *staging_);
    upstream_.emplace(context_, holding_);
    auto listener = context_.world().network.listen(context_.peers());
    if (listener) listener_ = std::move(*listener);
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
    if (listener_) crew_.add(accept_all());
    tell_root(Ready{listener_ ? listener_->endpoint() : Endpoint()});
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
    tell_root(Have{sent_});
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
    Result<void> placed;
    std::function<void()> work = [&] { placed = staging_->commit(); };
    co_await context_.world().files.apart(std::move(work));
    co_return placed;
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
    } else if (auto* sealed = std::get_if<Sealed>(&message)) {
        sealed_ = std::move(*sealed);
    } else {
        finish_ = std::move(std::get<Finish>(message));
    }
    holding_.changed.notify();
}

Task<void> Recipient::keep_time() {
    ChunkNumber told = 0;
    for (int ticks = 0;; ++ticks) {
        co_await context_.world().clock.sleep(tick);
        upstream_->check_silence();
        holding_.changed.notify();
        if (ticks % ticks_between_progress != 0 || holding_.stored() == told) continue;
        told = holding_.stored();
        tell_root(Progress{told});
    }
}

Task<void> Recipient::accept_all() {
    while (true) {
        Result<Network::Incoming> incoming = co_await listener_->accept();
        if (!incoming) co_return;
        if (crew_.size() < most_members) crew_.add(serve(std::move(*incoming)));
    }
}

Task<void> Recipient::serve(Network::Incoming incoming) {
    const std::shared_ptr<ByteStream> stream = std::move(incoming.stream);
    std::string request;
    while (request.size() < request_size) {
        const Result<std::string> bytes = co_await stream->read();
        if (!bytes || bytes->empty()) co_return;
        request += *bytes;
    }
    const auto from = decode<Position>(request);
    if (!from || from->offset > chunk_size) co_return;
    FeederParts parts;
    parts.write = [stream](std::string bytes) { return stream->write(std::move(bytes)); };
    parts.read_again = [this](ChunkNumber chunk) { return storing_->read(chunk); };
    Feeder feeder(holding_, context_.world().clock, std::move(parts), *from);
    (void)co_await feeder.run();
    sent_ += feeder.sent();
}

}  // namespace trellis::plugins::bcast
