// What the daemon answers at its control socket.
#include "tests/lab/lab_daemon.hpp"
#include "tests/lab/lab_error.hpp"
#include "tests/lab/net_device.hpp"

#include <algorithm>
#include <sstream>

namespace trellis::lab {
namespace {

std::vector<std::string> split(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;)
        words.push_back(word);
    return words;
}

Answer refusal(std::string text) {
    return {false, std::move(text)};
}

}  // namespace

Answer LabDaemon::handle(const std::string& request) {
    Words words = split(request);
    try {
        if (words.empty()) return refusal("empty request");
        if (words[0] == "status") return status();
        if (words[0] == "links") return links();
        if (words[0] == "down") {
            fabric_.stop();
            return {};
        }
        if (words.size() < 2) return refusal(words[0] + ": expected a host or a link");
        bool host = words[0] == "exec" || words[0] == "kill" || words[0] == "start";
        return host ? on_host(words) : on_link(words);
    } catch (const LabError& error) {
        return refusal(error.what());
    }
}

Answer LabDaemon::on_host(const Words& words) {
    auto index = find_host(file_, words[1]);
    if (!index) return refusal("no host '" + words[1] + "' in this laboratory");
    HostProcess& host = hosts_[*index];
    if (words[0] == "start") {
        if (host.running()) return refusal(host.name() + " is running");
        host.start();
        host.await_ready();
        return {};
    }
    if (!host.running())
        return refusal(host.name() + " is not running (it was killed; 'lab start' brings it back)");
    if (words[0] == "kill") {
        host.kill_all();
        return {};
    }
    Answer answer;
    answer.pass = host.pidfd();
    return answer;
}

Answer LabDaemon::on_link(const Words& words) {
    auto link = find_link(file_, words[1]);
    if (!link) return refusal("no link '" + words[1] + "': expected a host or switch with a parent, or A-B");
    if (words[0] == "cut") return cut(*link, words.size() > 2 && words[2] == "--visible");
    if (words[0] == "heal") return heal(*link);
    if (words[0] != "rate") return refusal("unknown request '" + words[0] + "'");
    auto rate = words.size() > 2 ? parse_rate(words[2]) : std::nullopt;
    if (!rate) return refusal("rate: expected a rate such as 100mbit (0: unlimited)");
    file_.nodes[*link].up.rate = *rate;
    file_.nodes[*link].up.down = 0;
    fabric_.model().set_rate(*link, *rate);
    return {};
}

Answer LabDaemon::cut(std::size_t link, bool visible) {
    if (visible && file_.nodes[link].is_switch()) {
        return refusal("no host can see that a link between switches is cut: leave --visible out");
    }
    if (visible) set_carrier(fabric_.card(link), false);
    carrier_lost_[link] = visible;
    fabric_.model().cut(link, true);
    return {};
}

Answer LabDaemon::heal(std::size_t link) {
    if (carrier_lost_[link]) set_carrier(fabric_.card(link), true);
    carrier_lost_[link] = false;
    fabric_.model().cut(link, false);
    return {};
}

Answer LabDaemon::status() const {
    std::ostringstream out;
    const FabricCount& count = fabric_.count();
    auto switches =
        std::count_if(file_.nodes.begin(), file_.nodes.end(), [](auto& node) { return node.is_switch(); });
    out << hosts_.size() << " hosts, " << switches << " switches\n";
    out << "packets: " << count.in << " in, " << count.out << " out, " << count.dropped << " dropped, "
        << count.refused << " refused; lateness "
        << (count.out > 0 ? count.lateness_ns / static_cast<std::int64_t>(count.out) : 0)
        << " ns on average, " << count.latest_ns / 1000 << " us at worst\n";
    const NetworkModel& model = fabric_.model();
    for (std::size_t i = 0; i < file_.nodes.size(); ++i) {
        if (model.is_cut(i))
            out << "cut " << file_.nodes[i].name << (carrier_lost_[i] ? " --visible\n" : "\n");
    }
    for (const HostProcess& host : hosts_)
        out << host.name() << (host.running() ? " running\n" : " killed\n");
    return {true, out.str()};
}

Answer LabDaemon::links() const {
    std::ostringstream out;
    const NetworkModel& model = fabric_.model();
    out << "link up-packets up-bytes up-dropped down-packets down-bytes down-dropped\n";
    for (std::size_t i = 0; i < file_.nodes.size(); ++i) {
        const Node& node = file_.nodes[i];
        if (node.parent == no_node) continue;
        out << node.name << '-' << file_.nodes[node.parent].name;
        for (auto direction : {NetworkModel::Direction::up, NetworkModel::Direction::down}) {
            const LinkCount& count = model.count(i, direction);
            out << ' ' << count.packets << ' ' << count.bytes << ' ' << count.dropped;
        }
        out << '\n';
    }
    return {true, out.str()};
}

}  // namespace trellis::lab
