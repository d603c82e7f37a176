#include "agentd/core/tunnel_role.hpp"

#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trellis {
namespace {

constexpr std::uint32_t tunnel_stream = 1;
constexpr std::string_view connected = "connected";

class TunnelRole final : public Role {
  public:
    Task<RoleResult> run(RoleContext& context) override {
        RoleResult result;
        const auto request = decode<TunnelRequest>(context.request());
        if (!request) {
            result.outcome = Outcome::of(request.error());
            co_return result;
        }
        auto stream = co_await context.world().dialer.dial(request->host, request->port, request->timeout);
        if (!stream) {
            result.outcome = Outcome::of(stream.error());
            co_return result;
        }
        context.send(root_id, std::string(connected));
        using namespace asio::experimental::awaitable_operators;
        co_await (upwards(context, **stream) || downwards(context, **stream));
        context.finish(tunnel_stream);
        co_return result;
    }

  private:
    static Task<void> upwards(RoleContext& context, ByteStream& from) {
        for (;;) {
            auto bytes = co_await from.read();
            if (!bytes || bytes->empty()) co_return;
            const Result<void> written = co_await context.write(tunnel_stream, std::move(*bytes));
            if (!written) co_return;
        }
    }

    static Task<void> downwards(RoleContext& context, ByteStream& to) {
        for (;;) {
            auto bytes = co_await context.read(tunnel_stream);
            if (!bytes || bytes->empty()) co_return;
            const Result<void> written = co_await to.write(std::move(*bytes));
            if (!written) co_return;
        }
    }
};

class Tunnel final : public ByteStream {
  public:
    Tunnel(std::unique_ptr<Operation> operation, HostId via) : operation_(std::move(operation)), via_(via) {}

    Task<Result<std::string>> read() override {
        for (;;) {
            auto event = co_await operation_->next();
            if (!event) co_return std::string();
            if (auto* data = std::get_if<StreamData>(&event->what)) co_return std::move(data->bytes);
            if (std::holds_alternative<RoleResult>(event->what)) co_return std::string();
        }
    }
    Task<Result<void>> write(std::string bytes) override {
        co_return co_await operation_->write(via_, tunnel_stream, std::move(bytes));
    }
    void close() override { operation_->cancel(CancelLevel::kill); }

  private:
    std::unique_ptr<Operation> operation_;
    HostId via_;
};

}  // namespace

RoleEntry tunnel_role() {
    return {"tunnel", []() -> std::unique_ptr<Role> { return std::make_unique<TunnelRole>(); }};
}

Task<Result<std::unique_ptr<ByteStream>>> open_tunnel(Operations& operations, HostId via,
                                                      TunnelRequest request) {
    OperationRequest start;
    start.kind = "tunnel";
    start.hosts = {via};
    start.body = encode(request);
    auto operation = operations.start(std::move(start));
    while (auto event = co_await operation->next()) {
        if (std::holds_alternative<HostMessage>(event->what)) {
            co_return std::make_unique<Tunnel>(std::move(operation), via);
        }
        if (const auto* result = std::get_if<RoleResult>(&event->what)) {
            co_return Failure{result->outcome.kind, "open a tunnel", request.host, result->outcome.detail};
        }
    }
    co_return Failure{FailureKind::lost, "open a tunnel", request.host, "the relay is gone"};
}

}  // namespace trellis
