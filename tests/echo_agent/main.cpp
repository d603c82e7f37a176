// echo_agent: stands in for trellis-agentd where only spawning is tested. Guarded as the real one, it sends
// every frame back that comes, and ends when its parent does.
#include "agentd/os/fd_stream.hpp"
#include "agentd/os/guardian.hpp"
#include "agentd/os/startup_line.hpp"
#include "agentd/os/stream_link.hpp"

#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

namespace {

using namespace trellis;

Task<void> echo(Link& link, asio::io_context& context) {
    for (;;) {
        Result<Frame> frame = co_await link.receive();
        if (!frame) break;
        link.send(std::move(*frame));
        co_await link.drained();
    }
    context.stop();
}

int serve(const std::string& nonce) {
    asio::io_context context{1};
    auto stream = std::make_unique<FdStream>(context.get_executor(), FileDescriptor(0), FileDescriptor(1));
    const std::string line = started_line(nonce);
    if (::write(1, line.data(), line.size()) < 0) return 1;
    StreamLink link(context.get_executor(), std::move(stream));
    asio::co_spawn(context, echo(link, context), asio::detached);
    context.run();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string(argv[1]) == "--version") return 0;
    if (argc < 3 || std::string(argv[1]) != "--serve") return 2;
    return trellis::run_guarded([&] { return serve(argv[2]); });
}
