#include "agentd/os/os_spawner.hpp"

#include "agentd/os/steady_clock.hpp"

#include <filesystem>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trellis {

namespace {
constexpr std::chrono::seconds usual_timeout{15};

// Returns when the deadline has passed, which may move meanwhile.
Task<void> run_out(const SpawnProgress& progress) {
    SteadyClock clock;
    while (clock.now() < progress.deadline)
        co_await clock.sleep_until(progress.deadline);
}
}  // namespace

std::string agent_beside_this_program() {
    std::error_code ignored;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const std::filesystem::path beside = program.parent_path() / "trellis-agentd";
    const std::filesystem::path apart =
        program.parent_path().parent_path() / "libexec" / "trellis" / "trellis-agentd";
    return std::filesystem::exists(beside, ignored) ? beside.string() : apart.string();
}

OsSpawner::OsSpawner(const Executor& executor, std::string agent_file, bool at_root,
                     std::vector<std::string> ssh_options)
    : executor_(executor),
      children_(executor),
      image_(std::move(agent_file)),
      ssh_options_(std::move(ssh_options)),
      logins_(executor, children_, at_root) {
    ssh_init();
}

// A file that lies there may not run all the same, as where hosts with other libraries share the directory.
Task<SpawnedLink> OsSpawner::start(SpawnRequest request, LoginAuthority& authority,
                                   std::unique_ptr<ByteStream> transport, SpawnProgress& progress) {
    const bool twice = !transport && request.door.empty();
    SpawnedLink link = co_await attempt(request, authority, std::move(transport), progress);
    const bool failed = !link && link.error().kind == FailureKind::cannot_start && progress.agent_found;
    if (!failed || !twice) co_return link;
    progress.found_one_failed = true;
    co_return co_await attempt(std::move(request), authority, nullptr, progress);
}

Task<SpawnedLink> OsSpawner::attempt(SpawnRequest request, LoginAuthority& authority,
                                     std::unique_ptr<ByteStream> transport, SpawnProgress& progress) {
    const SpawnMeans means{executor_, children_, image_, logins_};
    switch (request.way) {
        case SpawnWay::libssh:
            co_return co_await spawn_by_libssh(means, std::move(request), authority, std::move(transport),
                                               progress);
        case SpawnWay::ssh_program:
            if (!ssh_options_.empty()) request.settings.emplace("sshoptions", ssh_options_);
            co_return co_await spawn_by_ssh_program(means, std::move(request), authority, progress);
        case SpawnWay::local:
            co_return co_await spawn_locally(means, std::move(request), authority, progress);
    }
    co_return Failure{FailureKind::invalid, "log in", "", "unknown way"};
}

Task<Result<std::unique_ptr<Link>>> OsSpawner::spawn(SpawnRequest request, LoginAuthority& authority,
                                                     std::unique_ptr<ByteStream> transport) {
    using asio::experimental::awaitable_operators::operator||;
    if (request.timeout <= Duration::zero()) request.timeout = usual_timeout;
    const std::string name = request.name;
    SpawnProgress progress(request.timeout);
    auto expiry = run_out(progress);
    auto started = start(std::move(request), authority, std::move(transport), progress);
    auto race = std::move(started) || std::move(expiry);
    auto outcome = co_await std::move(race);
    Failure failure{progress.kind, "log in", "", progress.cause};
    if (outcome.index() == 0) {
        SpawnedLink& link = std::get<0>(outcome);
        if (link) co_return std::move(*link);
        failure = link.error();
    }
    failure.operation = failure.kind == FailureKind::cannot_start ? "start the agent" : "log in";
    failure.host = name;
    co_return failure;
}

}  // namespace trellis
