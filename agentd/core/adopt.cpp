#include "agentd/core/adopt.hpp"

#include <utility>

namespace trellis {
namespace {

Failure no_greeting(const SpawnRequest& request, std::string cause) {
    return {FailureKind::cannot_start, "start the agent", request.name, std::move(cause)};
}

Task<Result<Hello>> receive_hello(Link& link, const SpawnRequest& request) {
    const Result<Frame> frame = co_await link.receive();
    if (!frame) co_return no_greeting(request, frame.error().cause);
    if (frame->type != FrameType::hello) co_return no_greeting(request, "it does not greet");
    const auto hello = decode<Hello>(frame->body);
    if (!hello || hello->version != protocol_version) {
        co_return no_greeting(request, "the agent there speaks another version of the protocol");
    }
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

void announce(Node& node, const Host& host) {
    Frame frame;
    frame.type = FrameType::joined;
    frame.source = host.id;
    frame.destination = root_id;
    const Joined joined{host, node.self()};
    frame.body = encode(joined);
    node.send(std::move(frame));
}

}  // namespace

Task<Result<Host>> adopt(std::shared_ptr<Node> node, Spawner& spawner, SpawnRequest request,
                         LoginAuthority& authority, std::unique_ptr<ByteStream> transport) {
    auto link = co_await spawner.spawn(request, authority, std::move(transport));
    if (!link) co_return link.error();
    auto hello = co_await receive_hello(**link, request);
    if (!hello) co_return hello.error();
    send_welcome(**link, request, node->settings());
    Host host = host_of(request, std::move(*hello));
    node->attach_child(host.id, std::move(*link));
    announce(*node, host);
    co_return host;
}

}  // namespace trellis
