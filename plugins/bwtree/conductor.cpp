#include "plugins/bwtree/conductor.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace trellis::plugins::bwtree {
namespace {

// A link's rate for each byte of a stream: 1448 of the 1538 bytes that a full Ethernet frame takes on the
// wire (with its preamble, gap, IP and TCP headers and timestamps) are the stream's.
constexpr double bits_per_byte = 8.0 * 1538 / 1448;
// The flows of a group are measured once the sum of their rates is as sure as this.
constexpr double steady_error = 0.02;
// No rate is surer than this share of it.
constexpr double least_error = 0.002;
// Less than this cannot be measured.
constexpr std::uint64_t least_bytes = std::uint64_t{512} * 1024;
// More than a flow of any network brings in its time.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;
constexpr const char* silent = "silent";

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
        suspicion->suspect ? leave_out(*node, silent) : take_back(*node);
    }
    co_return true;
}

template <class Message>
void Conductor::tell_all() {
    const Message message{static_cast<std::uint32_t>(conducted_.rounds)};
    for (const TopologyNode node : busy_)
        operation_.send(hosts_[node].id, encode(ToRole(message)));
}

Task<bool> Conductor::carry_out(const Round& round) {
    round_ = round;
    rates_.assign(round.size(), {});
    progress_.assign(round.size(), {});
    ++conducted_.rounds;
    send(round);
    bool going = true;
    while (going && !connecting_.empty())
        going = co_await step();
    tell_all<Go>();
    while (going && !measuring_.empty())
        going = co_await step();
    tell_all<Stop>();
    while (going && !busy_.empty())
        going = co_await step();
    co_return going;
}

void Conductor::send(const Round& round) {
    std::map<TopologyNode, Assignment> assignments;
    const std::uint64_t most = std::min(budget_ / round.size(), most_bytes);
    measuring_.clear();
    connecting_.clear();
    for (FlowNumber i = 0; i < round.size(); ++i)
        if (!is_out(round[i].from) && !is_out(round[i].to)) measuring_[round[i].group].push_back(i);
    for (const auto& [group, flows] : measuring_) {
        const FlowTiming timing = timing_of(flows);
        for (const FlowNumber i : flows) {
            const auto [from, to, unused] = round[i];
            busy_.insert({from, to});
            connecting_.insert(i);
            assignments[from].sending.push_back({i, hosts_[to].id, ports_.at(to), timing.streams,
                                                 microseconds_of(timing.meter.slot),
                                                 microseconds_of(timing.meter.warm_up), most});
            assignments[to].receiving.push_back({i, hosts_[from].id});
        }
    }
    for (auto& [node, assignment] : assignments) {
        assignment.round = static_cast<std::uint32_t>(conducted_.rounds);
        const std::uint64_t may_send = most * assignment.sending.size();
        budget_ -= may_send;
        may_send_[{assignment.round, node}] = may_send;
        operation_.send(hosts_[node].id, encode(ToRole(std::move(assignment))));
    }
    context_.progress("bwtree: round " + std::to_string(conducted_.rounds) + ", " +
                      std::to_string(round.size()) + " flows");
}

FlowTiming Conductor::timing_of(const std::vector<FlowNumber>& flows) const {
    Delay longest{0};
    std::map<TopologyNode, std::size_t> of_host;
    std::size_t most = 1;
    for (const FlowNumber i : flows) {
        const auto [from, to, unused] = round_[i];
        longest = std::max(longest, 2 * paths_.delay(from, to));
        most = std::max({most, ++of_host[from], ++of_host[to]});
    }
    return timing_for(longest, most);
}

void Conductor::take(TopologyNode from, const ToRoot& message) {
    if (const auto* ready = std::get_if<Ready>(&message)) {
        ports_[from] = ready->port;
        take_back(from);
    }
    const auto* connected = std::get_if<Connected>(&message);
    if (connected != nullptr && connected->round == conducted_.rounds) connecting_.erase(connected->flow);
    if (const auto* arrival = std::get_if<Arrival>(&message)) take_arrival(from, *arrival);
    if (const auto* idle = std::get_if<Idle>(&message)) take_idle(from, *idle);
}

// Late, too, from a host that was left out meanwhile.
void Conductor::take_idle(TopologyNode from, const Idle& idle) {
    if (idle.round == conducted_.rounds) busy_.erase(from);
    const auto may_send = may_send_.extract({idle.round, from});
    if (may_send.empty()) return;
    conducted_.bytes += idle.sent;
    budget_ += may_send.mapped() - std::min(may_send.mapped(), idle.sent);
}

void Conductor::take_arrival(TopologyNode from, const Arrival& arrival) {
    if (arrival.round != conducted_.rounds || arrival.flow >= round_.size()) return;
    const Flow& flow = round_[arrival.flow];
    Progress& progress = progress_[arrival.flow];
    if (from != flow.from || progress.ended) return;
    for (const float rate : arrival.rates)
        progress.slots.push_back(rate * bits_per_byte);
    progress.ended = arrival.last;
    if (progress.ended) connecting_.erase(arrival.flow);
    if (!arrival.why.empty() && conducted_.failures++ == 0)
        conducted_.failure = hosts_[flow.from].name + " to " + hosts_[flow.to].name + ": " + arrival.why;
    settle(flow.group);
}

// A host may be told late to begin, and what others bring meanwhile is not to be added to what it brings.
// Those that stay ahead by more than a report began earlier: by up to another one, since each tells when it
// has one.
std::size_t Conductor::Progress::early() const {
    const std::size_t ahead = std::min(lead, slots.size());
    return ahead > slots_of_report ? std::min(ahead + slots_of_report, slots.size()) : 0;
}

void Conductor::align(std::span<const FlowNumber> flows) {
    std::size_t least = most_slots;
    for (const FlowNumber i : flows)
        if (progress_[i].tells()) least = std::min(least, progress_[i].slots.size());
    for (const FlowNumber i : flows)
        if (least > 0 && !progress_[i].ended)
            progress_[i].lead = std::min(progress_[i].lead, progress_[i].slots.size() - least);
}

// By the same slots of all its flows, the later half or ten: while one is steady, another one may be held up.
void Conductor::settle(std::uint32_t group) {
    const auto found = measuring_.find(group);
    if (found == measuring_.end()) return;
    align(found->second);
    std::size_t count = most_slots;
    bool ended = true;
    for (const FlowNumber i : found->second) {
        ended &= progress_[i].ended;
        if (progress_[i].tells()) count = std::min(count, progress_[i].slots.size() - progress_[i].early());
    }
    if (!ended && count < slots_of_reading) return;
    const std::size_t from = std::min(count / 2, count - std::min(count, slots_of_reading));
    const double error = read(found->second, from, count);
    if (ended || count == most_slots || error < steady_error) measuring_.erase(found);
}

// The rates of the flows of a group over some slots; the standard error of their sum, as a share of it. What
// one flow has less another one has more, and what one slot has less the next ones have more: so it is taken
// from how far the sum runs ahead of an even flow, which for slots that know nothing of each other is the
// same.
double Conductor::read(std::span<const FlowNumber> flows, std::size_t from, std::size_t end) {
    const auto count = static_cast<double>(end - from);
    std::vector<double> sums(end - from, 0);
    for (const FlowNumber i : flows) {
        const std::span<const double> slots = std::span(progress_[i].slots).subspan(progress_[i].early());
        if (slots.size() < end) continue;
        rates_[i].bits_per_second = 0;
        for (std::size_t slot = from; slot < end; ++slot) {
            sums[slot - from] += slots[slot];
            rates_[i].bits_per_second += slots[slot] / count;
        }
    }
    const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) / count;
    double ahead = 0, squares = 0;  // of an even flow
    for (const double sum : sums) {
        ahead += sum - mean;
        squares += ahead * ahead;
    }
    const double error =
        count > 1 ? std::max(std::sqrt(6 * squares / count) / count, least_error * mean) : mean;
    const auto adds = [&](FlowNumber i) { return rates_[i].bits_per_second > 0; };
    const auto adding = static_cast<double>(std::ranges::count_if(flows, adds));
    for (const FlowNumber i : flows)
        if (adds(i)) rates_[i].standard_error = error / std::sqrt(adding);
    return error / mean;
}

// What it took part in is void if it is not settled, and it is to end it when it hears again.
void Conductor::leave_out(TopologyNode host, const std::string& why) {
    if (!conducted_.out.insert_or_assign(host, why).second) return;
    conducted_.back.erase(host);
    plan_.leave_out(host);
    if (busy_.erase(host) > 0)
        operation_.send(hosts_[host].id, encode(ToRole(Stop{static_cast<std::uint32_t>(conducted_.rounds)})));
    for (FlowNumber i = 0; i < progress_.size(); ++i) {
        if (round_[i].from != host && round_[i].to != host) continue;
        progress_[i].ended = true;
        give_up(round_[i].group);
    }
}

// What some of its flows bring while they share links with one that falls silent is no load of all. A sum
// that has settled was carried.
void Conductor::give_up(std::uint32_t group) {
    const auto found = measuring_.extract(group);
    if (found.empty()) return;
    for (const FlowNumber i : found.mapped()) {
        connecting_.erase(i);
        rates_[i] = {};
    }
}

// From the next round on.
void Conductor::take_back(TopologyNode host) {
    const auto out = conducted_.out.find(host);
    if (out == conducted_.out.end() || out->second != silent || !ports_.contains(host)) return;
    conducted_.out.erase(out);
    conducted_.back.insert(host);
    plan_.take_back(host);
}

}  // namespace trellis::plugins::bwtree
