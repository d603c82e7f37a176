#include "agentd/os/bootstrap.hpp"
#include "agentd/os/child_stream.hpp"
#include "agentd/os/spawn_ways.hpp"
#include "agentd/os/ssh_login_plan.hpp"
#include "agentd/os/stream_link.hpp"

#include <algorithm>
#include <array>

namespace trellis {

namespace {

std::string last_line(const std::string& text) {
    const std::size_t end = text.find_last_not_of("\r\n ");
    if (end == std::string::npos) return "";
    const std::size_t begin = text.find_last_of("\r\n", end);
    return text.substr(begin == std::string::npos ? 0 : begin + 1,
                       end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

// Words of OpenSSH's messages and what they mean.
struct Meaning {
    std::string_view words;
    FailureKind kind;
};
constexpr std::array<Meaning, 14> meanings{{{"Host key verification failed", FailureKind::refused},
                                            {"Permission denied", FailureKind::refused},
                                            {"Too many authentication failures", FailureKind::refused},
                                            {"Unable to negotiate", FailureKind::refused},
                                            {"timed out", FailureKind::timed_out},
                                            {"Connection refused", FailureKind::unreachable},
                                            {"Could not resolve", FailureKind::unreachable},
                                            {"No route to host", FailureKind::unreachable},
                                            {"Network is unreachable", FailureKind::unreachable},
                                            {"Connection closed", FailureKind::lost},
                                            {"Connection reset", FailureKind::lost},
                                            {"kex_exchange_identification", FailureKind::lost},
                                            {"Bad configuration option", FailureKind::invalid},
                                            {"Could not create directory", FailureKind::invalid}}};

Task<SpawnedLink> start_and_link(SpawnMeans means, SpawnRequest request, ProcessSpec process,
                                 StartupSpec spec, LoginAuthority& authority, SpawnProgress& progress) {
    auto stream = ChildStream::start(means.executor, means.children, std::move(process));
    if (!stream) co_return stream.error();
    const Result<std::string> rest = co_await bootstrap(**stream, means.image, spec, authority, progress);
    if (!rest && rest.error().kind != FailureKind::lost) co_return rest.error();
    if (!rest) {
        const ExitStatus status = co_await (*stream)->wait();
        if (request.way == SpawnWay::ssh_program && !status.signalled && status.code == 255)
            co_return explain_ssh_failure((*stream)->complaint(), status);
        co_return explain_early_end(rest.error(), (*stream)->complaint());
    }
    (*stream)->keep();
    co_return std::make_unique<StreamLink>(means.executor, std::move(*stream), *rest, request.name);
}

}  // namespace

Failure explain_early_end(const Failure& failure, const std::string& complaint) {
    if (failure.kind != FailureKind::lost) return failure;
    std::string cause = last_line(complaint);
    if (cause.empty()) cause = failure.cause;
    if (cause.empty()) cause = "the login ended without a word";
    return Failure{FailureKind::cannot_start, "start the agent", "", std::move(cause)};
}

Failure explain_ssh_failure(const std::string& complaint, ExitStatus status) {
    const auto found = std::find_if(meanings.begin(), meanings.end(), [&](const Meaning& meaning) {
        return complaint.find(meaning.words) != std::string::npos;
    });
    std::string cause = last_line(complaint);
    if (cause.empty()) cause = "ssh ended with status " + std::to_string(status.code);
    const FailureKind kind = found == meanings.end() ? FailureKind::unreachable : found->kind;
    return Failure{kind, "log in", "", std::move(cause)};
}

Task<SpawnedLink> spawn_by_ssh_program(SpawnMeans means, SpawnRequest request, LoginAuthority& authority,
                                       SpawnProgress& progress) {
    Result<StartupSpec> spec = make_startup_spec(means.image, request, progress);
    if (!spec) co_return spec.error();
    const Result<std::string> line = startup_line(*spec);
    if (!line) co_return line.error();
    progress.logging_in();
    const Duration patience =
        request.connect_timeout > Duration::zero() ? request.connect_timeout : request.timeout;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience).count();
    ProcessSpec process;
    process.argv = {"ssh", "-T", "-x", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=10", "-o"};
    process.argv.push_back("ConnectTimeout=" + std::to_string(std::max<long>(1, seconds)));
    const std::vector<std::string>& own = request.settings["sshoptions"];
    process.argv.insert(process.argv.end(), own.begin(), own.end());
    if (request.forward_agent) process.argv.emplace_back("-A");
    process.argv.insert(process.argv.end(), {"--", request.target, *line});
    co_return co_await start_and_link(means, std::move(request), std::move(process), std::move(*spec),
                                      authority, progress);
}

Task<SpawnedLink> spawn_locally(SpawnMeans means, SpawnRequest request, LoginAuthority& authority,
                                SpawnProgress& progress) {
    Result<StartupSpec> spec = make_startup_spec(means.image, request, progress);
    if (!spec) co_return spec.error();
    progress.starting();
    ProcessSpec process;
    process.argv = {means.image.path(), "--serve", spec->nonce, request.name};
    if (!request.door.empty()) process.argv = {means.image.path(), "--knock", spec->nonce, request.door};
    co_return co_await start_and_link(means, std::move(request), std::move(process), std::move(*spec),
                                      authority, progress);
}

}  // namespace trellis
