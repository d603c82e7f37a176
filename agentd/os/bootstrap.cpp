#include "agentd/os/bootstrap.hpp"

#include <array>

#include <openssl/rand.h>

namespace trellis {

namespace {

Failure cannot_start(std::string cause) {
    return Failure{FailureKind::cannot_start, "start the agent", "", std::move(cause)};
}

std::string random_letters() {
    std::array<unsigned char, 16> random{};
    if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1)
        throw std::runtime_error("no random numbers");
    std::string text = "T";
    for (const unsigned char byte : random)
        text += static_cast<char>('a' + byte % 26);
    return text;
}

// Empty if the agent's file runs on such a host.
std::string misfit(const StartupReply& reply, const AgentImage::Identity& image) {
    const bool fits = reply.system == "Linux" && (reply.machine == image.machine ||
                                                  (image.machine == "i686" && reply.machine == "x86_64"));
    if (fits) return "";
    return "the agent is built for Linux " + image.machine + ", this host is " + reply.system + " " +
           reply.machine;
}

// Sends one form: the one that lies here, or, piece by piece, what the authority has.
Task<Result<void>> push(ByteStream& stream, AgentImage& image, AgentForm form, LoginAuthority& authority,
                        SpawnProgress& progress) {
    const auto parcel = image.parcel(form);
    if (!parcel) co_return parcel.error();
    constexpr std::size_t piece = std::size_t{64} << 10;
    for (std::size_t at = 0;;) {
        Result<std::string> part = std::string();
        if (!*parcel) part = co_await authority.full_agent(at);
        if (*parcel && at < (*parcel)->size()) part = (*parcel)->substr(at, piece);
        if (!part) co_return cannot_start(part.error().cause);
        if (part->empty()) co_return Result<void>{};
        at += part->size();
        progress.moved();
        const Result<void> written = co_await stream.write(std::move(*part));
        if (!written) co_return written;
        progress.moved();
    }
}

Task<Result<StartupReply>> next_reply(ByteStream& stream, StartupReader& reader) {
    for (;;) {
        Result<std::optional<StartupReply>> reply = reader.next();
        if (!reply) co_return reply.error();
        if (*reply) co_return std::move(**reply);
        Result<std::string> bytes = co_await stream.read();
        if (!bytes) co_return Failure{FailureKind::lost, "start the agent", "", bytes.error().cause};
        if (bytes->empty()) co_return Failure{FailureKind::lost, "start the agent", "", reader.noise()};
        reader.feed(*bytes);
    }
}

}  // namespace

Result<StartupSpec> make_startup_spec(AgentImage& image, const SpawnRequest& request,
                                      const SpawnProgress& progress) {
    const Result<AgentImage::Identity> identity = image.identity();
    if (!identity) return identity.error();
    StartupSpec spec{random_letters(), identity->hash, default_agent_directories(), request.door,
                     progress.found_one_failed};
    const std::string& directory = request.agent_directory;
    if (!directory.empty())
        spec.directories = {directory.starts_with("~/") ? "$HOME" + directory.substr(1) : directory};
    return spec;
}

Task<Result<std::string>> bootstrap(ByteStream& stream, AgentImage& image, const StartupSpec& spec,
                                    LoginAuthority& authority, SpawnProgress& progress) {
    using Kind = StartupReply::Kind;
    const Result<AgentImage::Identity> identity = image.identity();
    if (!identity) co_return identity.error();
    StartupReader reader(spec.nonce);
    std::string refused;  // the latest reason
    bool sent = false;
    for (;;) {
        const Result<StartupReply> reply = co_await next_reply(stream, reader);
        if (!reply) co_return reply.error();
        progress.moved();
        sent = sent || reply->kind == Kind::need;
        progress.agent_found = reply->kind == Kind::have && !sent;
        if (reply->kind == Kind::started) co_return reader.rest();
        if (reply->kind == Kind::cannot) co_return cannot_start(reply->detail);
        if (reply->kind == Kind::failed) refused = reply->detail;
        if (reply->kind != Kind::need) continue;
        const std::string wrong = misfit(*reply, *identity);
        if (!wrong.empty()) co_return cannot_start(wrong);
        const Result<void> pushed = co_await push(stream, image, reply->form, authority, progress);
        if (pushed || pushed.error().kind != FailureKind::cannot_start) continue;
        co_return cannot_start(refused.empty() ? pushed.error().cause : refused);
    }
}

}  // namespace trellis
