#include "agentd/os/bootstrap.hpp"
#include "agentd/os/spawn_ways.hpp"
#include "agentd/os/ssh_channel_stream.hpp"
#include "agentd/os/stream_link.hpp"

namespace trellis {

Task<SpawnedLink> spawn_by_libssh(SpawnMeans means, SpawnRequest request, LoginAuthority& authority,
                                  std::unique_ptr<ByteStream> transport, SpawnProgress& progress) {
    const Result<StartupSpec> spec = make_startup_spec(means.image, request, progress);
    if (!spec) co_return spec.error();
    const Result<std::string> line = startup_line(*spec);
    if (!line) co_return line.error();
    auto connection = co_await means.logins.log_in(request, authority, std::move(transport), progress);
    if (!connection) co_return connection.error();
    progress.starting();
    auto stream = co_await SshChannelStream::execute(std::move(*connection), *line);
    if (!stream) co_return stream.error();
    const Result<std::string> rest = co_await bootstrap(**stream, means.image, *spec, authority, progress);
    if (!rest) co_return explain_early_end(rest.error(), (*stream)->complaint());
    co_return std::make_unique<StreamLink>(means.executor, std::move(*stream), *rest, request.name);
}

}  // namespace trellis
