#include "agentd/core/root_operations.hpp"

#include "agentd/core/pair_key.hpp"
#include "agentd/core/root_operation.hpp"

#include <algorithm>
#include <utility>

namespace trellis {

RootOperations::RootOperations(Executor executor, Network& network, std::shared_ptr<Node> node,
                               const Membership& membership)
    : executor_(std::move(executor)), network_(network), node_(std::move(node)), membership_(membership) {}

RootOperations::~RootOperations() {
    for (const auto& [id, operation] : running_)
        operation->orphan();
}

StartOperation RootOperations::start_message(const OperationRequest& request) const {
    StartOperation start;
    start.kind = request.kind;
    start.request = request.body;
    start.remaining = request.timeout;
    for (const auto& [id, operation] : running_)
        start.running.push_back(id);
    start.nonce = random_bytes(session_nonce_size);
    start.plain = request.plain;
    if (!request.peers) return start;
    for (const HostId host : request.hosts) {
        if (const Member* member = membership_.find(host)) start.participants.push_back(member->host);
    }
    if (!request.root_meets) return start;
    Host root;
    root.key = request.root_key.empty() ? network_.public_key() : request.root_key;
    start.participants.push_back(std::move(root));
    return start;
}

std::unique_ptr<Operation> RootOperations::start(OperationRequest request) {
    auto operation =
        std::make_unique<RootOperation>(*this, static_cast<OperationId>(++last_id_), request.hosts);
    std::vector<HostId> there;
    for (const HostId host : request.hosts) {
        if (membership_.alive(host)) {
            there.push_back(host);
        } else {
            operation->fail(host, {FailureKind::lost, "", "", "lost"});
        }
    }
    operation->begin(start_message(request), std::move(there));
    return operation;
}

void RootOperations::deliver(Frame frame) {
    const auto place = running_.find(frame.operation);
    if (place != running_.end()) place->second->deliver(std::move(frame));
}

Resume RootOperations::progress(HostId host) const {
    Resume resume;
    for (const auto& [id, operation] : running_)
        if (auto progress = operation->progress(host)) resume.operations.push_back(std::move(*progress));
    return resume;
}

void RootOperations::send_again(HostId host, const Resume& at_host) {
    for (const auto& [id, operation] : running_) {
        const auto told = std::ranges::find(at_host.operations, id, &OperationProgress::operation);
        operation->send_again(host, told == at_host.operations.end() ? nullptr : &*told);
    }
}

void RootOperations::host_changed(HostId host, MemberState state, const std::string& cause) {
    for (const auto& [id, operation] : running_) {
        if (state == MemberState::lost) {
            operation->fail(host, {FailureKind::lost, "", "", "lost: " + cause});
        } else {
            operation->suspicion(host, state == MemberState::suspect);
        }
    }
}

}  // namespace trellis
