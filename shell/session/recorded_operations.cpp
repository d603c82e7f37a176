#include "shell/session/recorded_operations.hpp"

namespace trellis {

class RecordedOperations::Recorded final : public Operation {
  public:
    Recorded(RecordedOperations& owner, std::unique_ptr<Operation> inner)
        : owner_(owner), inner_(std::move(inner)) {}
    Task<std::optional<OperationEvent>> next() override {
        std::optional<OperationEvent> event = co_await inner_->next();
        if (event)
            if (const auto* result = std::get_if<RoleResult>(&event->what))
                owner_.end(event->host, result->outcome);
        co_return event;
    }
    void send(HostId to, std::string body) override { inner_->send(to, std::move(body)); }
    void send_all(std::string body) override { inner_->send_all(std::move(body)); }
    Task<Result<void>> write(HostId to, std::uint32_t stream, std::string bytes) override {
        return inner_->write(to, stream, std::move(bytes));
    }
    void finish(HostId to, std::uint32_t stream) override { inner_->finish(to, stream); }
    Task<Result<std::unique_ptr<ByteStream>>> connect(HostId to, Endpoint at, Duration timeout) override {
        return inner_->connect(to, std::move(at), timeout);
    }
    void cancel(CancelLevel level) override { inner_->cancel(level); }
    void abandon() override { inner_->abandon(); }
    [[nodiscard]] OperationId id() const override { return inner_->id(); }

  private:
    RecordedOperations& owner_;
    std::unique_ptr<Operation> inner_;
};

std::unique_ptr<Operation> RecordedOperations::start(OperationRequest request) {
    for (const HostId host : request.hosts)
        ++started_[host];
    return std::make_unique<Recorded>(*this, inner_.start(std::move(request)));
}

void RecordedOperations::end(HostId host, const Outcome& outcome) {
    --started_[host];
    if (!outcome.ok()) failed_.insert(host);
    record(name_(host), outcome);
}

HostCounts RecordedOperations::hosts() const {
    HostCounts counts;
    counts.all = started_.size();
    for (const auto& [host, left] : started_)
        if (left > 0) ++counts.running;
    counts.failed = failed_.size();
    return counts;
}

void RecordedOperations::record(const std::string& host, const Outcome& outcome) {
    const auto [found, added] = outcomes_.try_emplace(host, outcome);
    if (!added && found->second.ok()) found->second = outcome;
}

}  // namespace trellis
