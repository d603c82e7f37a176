#include "plugins/bcast/recipient.hpp"

#include "plugins/bcast/final_path.hpp"
#include "plugins/bcast/piped_command.hpp"
#include "plugins/bcast/user_path.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

namespace trellis::plugins::bcast {
namespace {

// In memory few, which stay in the processor's cache; those that lie in a file take none.
constexpr std::size_t kept_in_memory = 4, kept_in_files = 16;

}  // namespace

Recipient::Recipient(RoleContext& context, BcastRequest request)
    : context_(context),
      request_(std::move(request)),
      holding_(context.world().executor, request_.about.shape,
               request_.filing ? kept_in_files : kept_in_memory),
      crew_(context.world().executor) {}

Task<Result<void>> Recipient::prepare() {
    const Shape& shape = request_.about.shape;
    if (shape.manifest_bytes == 0 || shape.manifest_bytes > most_manifest_bytes)
        co_return invalid("a manifest of no possible size");
    if (!is_digest_key(request_.digest_key) || (request_.filing && request_.digest_key.empty()))
        co_return invalid("a key of no possible size");
    if (!request_.about.name.empty() && !is_name(request_.about.name))
        co_return invalid("a name that leads elsewhere");
    Result<void> found;
    std::function<void()> work = [&] { found = find_place(); };
    co_await files_->apart(std::move(work));
    if (!found) co_return found;
    if (request_.resume && shape.content_bytes)
        resumption_.emplace(*files_, holding_, *staging_, request_.about);
    Remains* remains = resumption_ ? &resumption_->remains() : nullptr;
    storing_.emplace(*files_, holding_, *staging_, remains, Digester(request_.digest_key));
    upstream_.emplace(context_, holding_, crew_, request_.filing ? &*storing_ : nullptr,
                      [this] { return service_->ahead(); });
    service_.emplace(
        context_, holding_, crew_, [this](ChunkNumber chunk) { return storing_->read(chunk); },
        [this](std::shared_ptr<ByteStream> connection) {
            return upstream_->take_over(std::move(connection));
        });
    co_return found;
}

Result<void> Recipient::find_place() {
    const HostId self = context_.peers().self;
    const auto directory = request_.directories.find(self);
    const std::string destination = from_home(
        path_from(directory == request_.directories.end() ? "" : directory->second, request_.destination));
    auto path = final_path(*files_, destination, request_.about.name, request_.about.directory);
    if (!request_.pipe.empty()) {
        directory_ = destination;
        path = path_from(destination, "bcast");
    }
    if (!path) return path.error();
    const std::string number = std::to_string(static_cast<std::uint32_t>(self));
    const std::string token = request_.resume ? kept_token() : request_.token + "-" + number;
    staging_ = std::make_unique<Staging>(*files_, *path, token);
    return request_.resume ? Result<void>() : staging_->check(request_.about.room);
}

Task<RoleResult> Recipient::run() {
    RoleResult result;
    std::exception_ptr thrown;
    try {
        Task<RoleResult> part = take_part();
        result = co_await crew_.run(std::move(part));
        name_finally(result.outcome.detail);
    } catch (...) {
        thrown = std::current_exception();
    }
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    co_await clear_away();
    if (thrown) std::rethrow_exception(thrown);
    co_return result;
}

// What has not been given its final name is removed, which may take long.
Task<void> Recipient::clear_away() {
    std::function<void()> work = [this] {
        storing_.reset();
        resumption_.reset();
        staging_.reset();
    };
    co_await files_->apart(std::move(work));
}

// In the same words as on other hosts, where temporary names differ. What --resume leaves is named as it is.
void Recipient::name_finally(std::string& cause) const {
    if (!staging_ || request_.resume) return;
    const std::size_t at = cause.find(staging_->temporary());
    if (at != std::string::npos) cause.replace(at, staging_->temporary().size(), staging_->path());
}

Task<RoleResult> Recipient::take_part() {
    const Result<void> prepared = co_await prepare();
    if (!prepared) co_return RoleResult{Outcome::of(prepared.error()), {}};
    crew_.add(receive_messages());
    crew_.add(keep_time());
    const Result<void> looked = co_await look_for_remains();
    if (!looked) co_return RoleResult{Outcome::of(looked.error()), {}};
    tell_root(Ready{service_->open(), resumption_ ? resumption_->kept() : Kept{}});
    while (!begin_ && !finish_)
        co_await holding_.changed.wait();
    Result<void> done = unavailable("it was ready too late");
    if (begin_) {
        done = co_await go_on();
    }
    if (done) {
        upstream_->begin(*begin_);
        if (!request_.pipe.empty()) crew_.add(pipe());
        done = co_await receive_object();
        if (done) done = co_await put_in_place();
    }
    if (finish_ && !finish_->cause.empty()) done = unavailable(finish_->cause);
    if (!done) co_return RoleResult{Outcome::of(done.error()), {}};
    tell_root(Have{});
    while (!finish_)
        co_await holding_.changed.wait();
    co_return RoleResult{};
}

// The same for every broadcast to this place on this host, which may share its files with others.
std::string Recipient::kept_token() const {
    const PeerSession& peers = context_.peers();
    const auto self = std::ranges::find(peers.participants, peers.self, &Host::id);
    const Digest digest = digest_of(self == peers.participants.end() ? "" : self->name);
    std::string token = "kept-";
    for (const char byte : digest.substr(0, 6)) {
        token += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4];
        token += "0123456789abcdef"[static_cast<unsigned char>(byte) & 0xf];
    }
    return token;
}

Task<Result<void>> Recipient::look_for_remains() {
    if (!resumption_) co_return Result<void>();
    const Result<void> checked = co_await resumption_->check(*storing_);
    if (!checked) co_return checked;
    const std::uint64_t there = holding_.shape().content_before(resumption_->right());
    co_return staging_->check_room(request_.about.room - std::min(request_.about.room, there));
}

Task<Result<void>> Recipient::go_on() {
    if (!resumption_) co_return Result<void>();
    const bool agreed = std::ranges::find(begin_->go_on, context_.peers().self) != begin_->go_on.end();
    co_return co_await resumption_->settle(*storing_, agreed);
}

// Fetching and storing go on side by side; what is stored last may prove damaged when all has been fetched.
Task<Result<void>> Recipient::receive_object() {
    crew_.add(fetch());
    while (true) {
        if (finish_) co_return Failure{FailureKind::cancelled, "", "", "stopped"};
        if (storing_->failed()) co_return *storing_->failed();
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
    if (sealed_->digest != holding_.digest_of_all()) co_return spoilt("what came is not what was sent");
    if (request_.verify) {
        const Result<void> verified = co_await storing_->verify();
        if (!verified) co_return spoilt(verified.error().cause);
    }
    if (!request_.pipe.empty()) co_return co_await end_pipe();
    Result<void> placed;
    std::function<void()> work = [&] { placed = staging_->commit(); };
    co_await storing_->apart(std::move(work));
    co_return placed;
}

// The command reads behind what is stored, so that one that is slow holds up nobody; it sees the end of its
// input only when all has come and is right.
Task<void> Recipient::pipe() {
    ProcessSpec spec;
    spec.argv = {"/bin/sh", "-c", std::string(request_.pipe)};
    spec.directory = directory_;
    spec.inputs = {0};
    const auto number = std::make_shared<ChunkNumber>(holding_.shape().manifest_chunks());
    std::function<Task<Result<std::string>>()> next = [this, number]() -> Task<Result<std::string>> {
        while (*number >= holding_.stored() && !complete_)
            co_await holding_.changed.wait();
        if (*number >= holding_.stored()) co_return std::string();
        const auto chunk = co_await storing_->read((*number)++);
        if (!chunk) co_return chunk.error();
        co_return (*chunk)->bytes;
    };
    const World& world = context_.world();
    piped_ = co_await run_command(world.processes, world.executor, std::move(spec), std::move(next));
    holding_.changed.notify();
}

Task<Result<void>> Recipient::end_pipe() {
    complete_ = true;
    holding_.changed.notify();
    while (!piped_ && !finish_)
        co_await holding_.changed.wait();
    if (!piped_) co_return Failure{FailureKind::cancelled, "", "", "stopped"};
    co_return *piped_;
}

// Nothing of it is of use later.
Failure Recipient::spoilt(std::string cause) {
    if (resumption_) (void)resumption_->remains().drop();
    return Failure{FailureKind::invalid, "", "", std::move(cause)};
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
    } else if (auto* finish = std::get_if<Finish>(&message)) {
        finish_ = std::move(*finish);
    }
    holding_.changed.notify();
}

Task<void> Recipient::keep_time() {
    for (std::size_t ticks = 0;; ++ticks) {
        co_await context_.world().clock.sleep(tick);
        upstream_->check_silence();
        if (storing_->hangs()) tell_root(Hangs{});
        holding_.changed.notify();
        holding_.grown.notify();
        const bool less_comes = coming_.slackens(holding_.end().bytes());
        const bool less_goes = going_.slackens(static_cast<double>(service_->sent()));
        const bool at_once = (less_comes || less_goes) && !holding_.finished();
        const std::size_t usual =
            begin_ ? ticks_between_progress(begin_->chain.size()) : most_ticks_between_progress;
        if (ticks % usual != 0 && !at_once) continue;
        if (begin_) tell_root(Progress{holding_.end(), holding_.stored()});
        if (!begin_ && resumption_) tell_root(Progress{{}, resumption_->right()});
    }
}

}  // namespace trellis::plugins::bcast
