#include "plugins/infer/published/published_inference.hpp"

#include "plugins/infer/published/planner.hpp"

namespace trellis::plugins::infer {
namespace {

// Why the host of this event takes part no longer; nothing if it may go on.
std::optional<std::string> reason_to_leave_out(const OperationEvent& event) {
    if (const auto* result = std::get_if<RoleResult>(&event.what)) return result->outcome.detail;
    const auto* suspicion = std::get_if<HostSuspicion>(&event.what);
    if (suspicion != nullptr && suspicion->suspect) return "silent";
    return std::nullopt;
}

}  // namespace

// Each host measures only hosts placed before it, so that no pair is measured twice.
Task<std::optional<Finding>> PublishedInference::run() {
    while (!tree_) {
        const auto event = co_await operation_.next();
        if (!event) co_return std::nullopt;
        take(*event);
        if (!roster_.closed() && roster_.everybody_answered()) begin();
        context_.progress("infer: " + std::to_string(placed_) + " of " +
                          std::to_string(roster_.hosts().size()) + " hosts placed");
    }
    co_return Finding{to_topology(*tree_, roster_.participant_names()), tree_->measured_pairs, {}};
}

void PublishedInference::take(const OperationEvent& event) {
    if (const auto* message = std::get_if<HostMessage>(&event.what)) {
        if (const auto news = decode<ToRoot>(message->body)) handle(event.host, *news);
    }
    const auto why = reason_to_leave_out(event);
    if (!why || !roster_.leave_out(event.host, *why)) return;
    if (const auto number = roster_.number_of(event.host)) {
        const ToRole message = Skip{*number};
        operation_.send_all(encode(message));
    }
}

void PublishedInference::handle(HostId from, const ToRoot& message) {
    if (const auto* ready = std::get_if<Ready>(&message)) {
        roster_.ready(from, *ready);
    } else if (const auto* placed = std::get_if<Placed>(&message)) {
        ++placed_;
        if (!placed->inserted)
            roster_.leave_out(from, "could not be placed: too few hosts answer its probes");
    } else if (roster_.closed()) {
        const TravellingTree& tree = std::get<Finished>(message).tree;
        if (validate(tree, roster_.participants().size())) tree_ = tree;
    }
}

void PublishedInference::begin() {
    roster_.close();
    if (!roster_.closed()) return;
    Begin begin;
    begin.hosts = roster_.participants();
    begin.seed = seed_;
    begin.order = insertion_order(begin.hosts.size(), seed_);
    const ToRole message = std::move(begin);
    operation_.send_all(encode(message));
}

}  // namespace trellis::plugins::infer
