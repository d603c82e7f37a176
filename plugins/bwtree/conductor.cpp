#include "plugins/bwtree/conductor.hpp"

#include "plugins/bwtree/flow_timing.hpp"

#include <algorithm>
#include <utility>

namespace trellis::plugins::bwtree {
namespace {

// A link's rate for each byte of a stream: 1448 of the 1538 bytes that a full Ethernet frame takes on the
// wire (with its preamble, gap, IP and TCP headers and timestamps) are the stream's.
constexpr double bits_per_byte = 8.0 * 1538 / 1448;
// Less than this cannot be measured.
constexpr std::uint64_t least_bytes = 512 * 1024;

std::uint32_t microseconds_of(Duration duration) {
    return static_cast<std::uint32_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(duration).count());
}

}  // namespace

Conductor::Conductor(CommandContext& context, Operation& operation, const Topology& topology,
                     std::vector<Host> hosts, MeasuringPlan& plan, std::uint64_t budget)
    : context_(context),
      operation_(operation),
      paths_(topology),
      hosts_(std::move(hosts)),
      plan_(plan),
      budget_(budget) {
    for (TopologyNode node = 0; node < hosts_.size(); ++node)
        nodes_[hosts_[node].id] = node;
}

Task<void> Conductor::run() {
    bool going = true;
    while (going && !all_ready())
        going = co_await step();
    while (going) {
        const std::optional<Round> round = plan_.next();
        if (!round) break;
        if (budget_ / round->size() < least_bytes) {
            conducted_.budget_spent = true;
            break;
        }
        going = co_await carry_out(*round);
        plan_.take(rates_);
    }
}

bool Conductor::all_ready() const {
    for (TopologyNode node = 0; node < hosts_.size(); ++node)
        if (!ports_.contains(node) && !is_out(node)) return false;
    return true;
}

std::optional<TopologyNode> Conductor::node_of(HostId host) const {
    const auto found = nodes_.find(host);
    return found == nodes_.end() ? std::nullopt : std::optional(found->second);
}

// One event; false: there will be no more.
Task<bool> Conductor::step() {
    const auto event = co_await operation_.next();
    if (!event) co_return false;
    const auto node = node_of(event->host);
    if (!node) co_return true;
    if (const auto* message = std::get_if<HostMessage>(&event->what)) {
        if (const auto news = decode<ToRoot>(message->body)) take(*node, *news);
    } else if (const auto* result = std::get_if<RoleResult>(&event->what)) {
        leave_out(*node, result->outcome.detail);
    } else if (const auto* suspicion = std::get_if<HostSuspicion>(&event->what)) {
        if (suspicion->suspect) leave_out(*node, "silent");
    }
    co_return true;
}

Task<bool> Conductor::carry_out(const Round& round) {
    round_ = round;
    rates_.assign(round.size(), {});
    ++conducted_.rounds;
    send(round);
    bool going = true;
    while (going && !measuring_.empty())
        going = co_await step();
    stop();
    while (going && !draining_.empty())
        going = co_await step();
    co_return going;
}

void Conductor::send(const Round& round) {
    std::map<TopologyNode, Assignment> assignments;
    const std::uint64_t most = budget_ / round.size();
    std::map<std::uint32_t, std::size_t> companions;  // by group
    for (const Flow& flow : round)
        ++companions[flow.group];
    for (FlowNumber i = 0; i < round.size(); ++i) {
        const Flow& flow = round[i];
        if (is_out(flow.from) || is_out(flow.to)) continue;
        const FlowTiming timing = timing_for(2 * paths_.delay(flow.from, flow.to), companions[flow.group]);
        measuring_.insert(i);
        draining_.insert(flow.to);
        assignments[flow.from].sending.push_back(
            {i, hosts_[flow.to].id, ports_.at(flow.to), timing.streams, most});
        assignments[flow.to].receiving.push_back({i, hosts_[flow.from].id, microseconds_of(timing.slot),
                                                  microseconds_of(timing.warm_up),
                                                  microseconds_of(timing.most), most});
    }
    for (auto& [node, assignment] : assignments) {
        assignment.round = static_cast<std::uint32_t>(conducted_.rounds);
        operation_.send(hosts_[node].id, encode(ToRole(std::move(assignment))));
    }
    context_.progress("bwtree: round " + std::to_string(conducted_.rounds) + ", " +
                      std::to_string(round.size()) + " flows");
}

void Conductor::stop() {
    std::set<TopologyNode> told;
    for (const Flow& flow : round_)
        told.insert({flow.from, flow.to});
    const Stop stop{static_cast<std::uint32_t>(conducted_.rounds)};
    for (const TopologyNode node : told)
        if (!is_out(node)) operation_.send(hosts_[node].id, encode(ToRole(stop)));
}

void Conductor::take(TopologyNode from, const ToRoot& message) {
    if (const auto* ready = std::get_if<Ready>(&message)) ports_[from] = ready->port;
    if (const auto* arrival = std::get_if<Arrival>(&message)) take_arrival(from, *arrival);
    const auto* idle = std::get_if<Idle>(&message);
    if (idle == nullptr || idle->round != conducted_.rounds || draining_.erase(from) == 0) return;
    conducted_.bytes += idle->received;
    budget_ -= std::min(budget_, idle->received);
}

void Conductor::take_arrival(TopologyNode from, const Arrival& arrival) {
    if (arrival.round != conducted_.rounds || !measuring_.contains(arrival.flow)) return;
    const Flow& flow = round_[arrival.flow];
    if (from != flow.from && from != flow.to) return;
    measuring_.erase(arrival.flow);
    if (arrival.rate > 0 && from == flow.to) {
        rates_[arrival.flow] = {arrival.rate * bits_per_byte, arrival.standard_error * bits_per_byte};
    } else if (conducted_.failures++ == 0) {
        conducted_.failure = hosts_[flow.from].name + " to " + hosts_[flow.to].name + ": " + arrival.why;
    }
}

// What it took part in is void.
void Conductor::leave_out(TopologyNode host, const std::string& why) {
    if (!conducted_.out.emplace(host, why).second) return;
    plan_.leave_out(host);
    draining_.erase(host);
    std::erase_if(measuring_, [&](FlowNumber i) { return round_[i].from == host || round_[i].to == host; });
}

}  // namespace trellis::plugins::bwtree
