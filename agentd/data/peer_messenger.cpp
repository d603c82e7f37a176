#include "agentd/data/peer_messenger.hpp"

#include "trellis/message.hpp"

#include "agentd/core/pair_key.hpp"

#include <exception>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trellis {
namespace {

constexpr std::size_t max_body = max_peer_message - 64;

// What goes over the tree between participants.
struct TreeMessage {
    std::uint64_t sequence = 0;
    std::string body;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(sequence, body);
    }
};

// Never throws, so that whatever runs beside it ends with it.
Task<void> keep_result(Task<RoleResult> work, std::optional<RoleResult>& result, std::exception_ptr& thrown) {
    try {
        result = co_await std::move(work);
    } catch (...) {
        thrown = std::current_exception();
    }
}

}  // namespace

bool PeerMessenger::Sequences::add(std::uint64_t number) {
    if (number < all_below_ || !above_.insert(number).second) return false;
    while (above_.erase(all_below_) > 0)
        ++all_below_;
    return true;
}

PeerMessenger::PeerMessenger(RoleContext& context, PeerPatience patience)
    : context_(context), changed_(context.world().executor) {
    const auto deliver_direct = [this](HostId from, std::uint64_t sequence, std::string body) {
        deliver(from, sequence, std::move(body), PeerWay::direct);
    };
    connections_ =
        std::make_shared<PeerConnections>(context.world(), context.peers(), patience, deliver_direct);
    connections_->open();
}

PeerMessenger::~PeerMessenger() {
    connections_->close();
}

void PeerMessenger::deliver(HostId from, std::uint64_t sequence, std::string body, PeerWay way) {
    if (from != root_id && !received_[from].add(sequence)) return;
    inbox_.push_back({from, std::move(body), way});
    changed_.notify();
}

void PeerMessenger::take_from_tree(RoleMessage message) {
    if (message.from == root_id) {
        deliver(root_id, 0, std::move(message.body), PeerWay::tree);
        return;
    }
    Result<TreeMessage> tree = decode<TreeMessage>(message.body);
    if (tree) deliver(message.from, tree->sequence, std::move(tree->body), PeerWay::tree);
}

Task<void> PeerMessenger::receive_from_tree() {
    while (!ended_) {
        Result<RoleMessage> message = co_await context_.receive();
        if (message) {
            take_from_tree(std::move(*message));
        } else {
            ended_ = message.error();
        }
    }
    changed_.notify();
    // The work decides when all ends: until then there is nothing more to do here.
    Signal never(context_.world().executor);
    while (true)
        co_await never.wait();
}

Task<RoleResult> PeerMessenger::run(Task<RoleResult> work) {
    using namespace asio::experimental::awaitable_operators;
    std::optional<RoleResult> result;
    std::exception_ptr thrown;
    Task<void> working = keep_result(std::move(work), result, thrown);
    Task<void> receiving = receive_from_tree();
    co_await (std::move(working) || std::move(receiving));
    connections_->close();
    if (thrown) std::rethrow_exception(thrown);
    co_return std::move(*result);
}

Task<Result<PeerWay>> PeerMessenger::send(HostId to, std::string body) {
    const bool takes_part = to == root_id || find_participant(context_.peers(), to) != nullptr;
    if (!takes_part || body.size() > max_body) {
        const char* cause = takes_part ? "the message is too long" : "the receiver takes no part";
        co_return Failure{FailureKind::invalid, "send to a peer", "", cause};
    }
    if (to == root_id) {
        context_.send(to, std::move(body));
        co_return PeerWay::tree;
    }
    const std::uint64_t sequence = next_[to]++;
    const bool arrived = co_await connections_->send(to, sequence, body);
    if (arrived) co_return PeerWay::direct;
    // Perhaps it has arrived all the same: the sequence number lets the peer drop the second one.
    const TreeMessage message{sequence, std::move(body)};
    context_.send(to, encode(message));
    co_return PeerWay::tree;
}

Task<Result<PeerMessage>> PeerMessenger::receive() {
    while (inbox_.empty() && !ended_)
        co_await changed_.wait();
    if (inbox_.empty()) co_return *ended_;
    PeerMessage next = std::move(inbox_.front());
    inbox_.pop_front();
    co_return next;
}

}  // namespace trellis
