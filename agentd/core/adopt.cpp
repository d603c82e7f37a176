#include "agentd/core/adopt.hpp"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis {
namespace {

Failure no_greeting(const SpawnRequest& request, std::string cause) {
    return {FailureKind::cannot_start, "start the agent", request.name, std::move(cause)};
}

// A link on which a greeting is awaited; null when that is over.
struct Awaited {
    explicit Awaited(Link* awaited) : link(awaited) {}
    Link* link;
    bool late = false;
};

Task<void> close_late(Clock& clock, TimePoint deadline, std::shared_ptr<Awaited> awaited) {
    co_await clock.sleep_until(deadline);
    if (!awaited->link) co_return;
    awaited->late = true;
    awaited->link->close();
}

Task<Result<Frame>> receive_until(Node& node, Link& link, TimePoint deadline) {
    const auto awaited = std::make_shared<Awaited>(&link);
    struct Over {
        Awaited& awaited;
        ~Over() { awaited.link = nullptr; }
    };
    const Over over{*awaited};
    asio::co_spawn(node.executor(), close_late(node.clock(), deadline, awaited), asio::detached);
    Result<Frame> frame = co_await link.receive();
    if (awaited->late) co_return Failure{FailureKind::timed_out, "", "", "the agent does not greet"};
    co_return frame;
}

Task<Result<Hello>> receive_hello(Node& node, Link& link, const SpawnRequest& request, TimePoint deadline) {
    const Result<Frame> frame = co_await receive_until(node, link, deadline);
    if (!frame && frame.error().kind == FailureKind::timed_out) co_return frame.error();
    if (!frame && frame.error().kind == FailureKind::lost) {
        co_return no_greeting(request, "it ended before it greeted");
    }
    if (!frame) co_return no_greeting(request, frame.error().cause);
    if (frame->type != FrameType::hello) co_return no_greeting(request, "it does not greet");
    const auto hello = decode<Hello>(frame->body);
    if (!hello || hello->version != protocol_version) {
        co_return no_greeting(request, "the agent there speaks another version of the protocol");
    }
    const HostId expected = request.door.empty() ? HostId{} : request.id;
    if (hello->id != expected) co_return no_greeting(request, "it is another agent");
    co_return *hello;
}

void send_welcome(Link& link, const SpawnRequest& request, const TreeSettings& settings) {
    Frame frame;
    frame.type = FrameType::welcome;
    frame.destination = request.id;
    const Welcome welcome{request.id, Incarnation{1}, request.name, settings};
    frame.body = encode(welcome);
    link.send(std::move(frame));
}

Host host_of(const SpawnRequest& request, Hello hello) {
    return {request.id,
            Incarnation{1},
            request.name,
            std::move(hello.machine),
            std::move(hello.addresses),
            std::move(hello.key)};
}

}  // namespace

Task<Result<Host>> adopt(std::shared_ptr<Node> node, Spawner& spawner, SpawnRequest request,
                         LoginAuthority& authority, std::unique_ptr<ByteStream> transport) {
    auto link = co_await spawner.spawn(request, authority, std::move(transport));
    if (!link) co_return link.error();
    const TimePoint deadline = node->clock().now() + request.timeout;
    auto hello = co_await receive_hello(*node, **link, request, deadline);
    if (!hello) co_return hello.error();
    send_welcome(**link, request, node->settings());
    std::vector<HostId> below = std::move(hello->below);
    Host host = host_of(request, std::move(*hello));
    node->attach_child(host.id, std::move(*link), below);
    Joined joined{host, node->self(), std::move(below)};
    node->announce(std::move(joined));
    co_return host;
}

}  // namespace trellis
