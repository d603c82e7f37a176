// The laboratory's command: up, down, status, exec, cut, heal, rate, kill, start, truth.
#include "agentd/model/topology_json.hpp"
#include "tests/lab/lab_error.hpp"
#include "tests/lab/lab_exec.hpp"
#include "tests/lab/lab_state.hpp"
#include "tests/lab/lab_truth.hpp"
#include "tests/lab/lab_up.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <sys/syscall.h>
#include <unistd.h>

namespace trellis::lab {
namespace {

constexpr const char* usage = R"(usage: lab [--name NAME] COMMAND
  up FILE [options]           start the hosts and the network that FILE describes
     --precise                a processor for the network alone, and none sleeps: steady round trips, less work
     --visible DIR            a directory below /tmp, /root and the like that hosts see too
     --until PID              end when that process ends
  down                        end them; also what a crashed laboratory left
  status [--links]            hosts, cut links, packets; --links: packets, bytes and drops of each link
  exec [-i] [-t] HOST CMD...  run a command on a host; -t: on a terminal of its own
  cut LINK [--visible]        lose all packets of a link; --visible: the host sees that its cable is out
  heal LINK                   undo a cut
  rate LINK RATE              change a link's rate, such as 100mbit; 0: unlimited
  kill HOST                   kill all processes of a host, its sshd too
  start HOST                  start a killed host again
  truth FILE [--without HOST] the network that FILE describes, as trellis-topology(5); needs no root
LINK is the name of its lower end, or A-B. NAME (or the variable LAB_NAME) tells several laboratories apart.
)";

using Words = std::vector<std::string>;

struct BadUsage : LabError {
    using LabError::LabError;
};

// Takes a flag, with its value if it has one, out of the words.
bool take_flag(Words& words, const std::string& flag, std::string* value = nullptr) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] != flag) continue;
        if (value != nullptr && i + 1 == words.size()) throw BadUsage(flag + " needs a value");
        if (value != nullptr) *value = words[i + 1];
        auto at = words.begin() + static_cast<std::ptrdiff_t>(i);
        words.erase(at, at + (value != nullptr ? 2 : 1));
        return true;
    }
    return false;
}

void need(const Words& words, std::size_t count, const std::string& what) {
    if (words.size() != count) throw BadUsage("expected: lab " + what);
}

long number_in(const std::string& value, const std::string& flag) {
    char* end = nullptr;
    long number = std::strtol(value.c_str(), &end, 10);
    if (value.empty() || *end != '\0' || number < 0)
        throw BadUsage(flag + " " + value + ": expected a number");
    return number;
}

int run_up(LabState& state, Words words) {
    LabOptions options;
    options.precise = take_flag(words, "--precise");
    std::string value;
    while (take_flag(words, "--visible", &value))
        options.visible.push_back(value);
    UniqueFd until;
    if (take_flag(words, "--until", &value)) {
        auto pid = static_cast<pid_t>(number_in(value, "--until"));
        until.reset(checked(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)), "--until " + value));
        options.until = until.get();
    }
    need(words, 1, "up FILE [options]");
    lab_up(state, words[0], options);
    return 0;
}

Answer ask_lab(const LabState& state, const std::string& request) {
    if (!state.process()) throw LabError("no laboratory is up here; start one: lab up FILE");
    Answer answer = ask(state.control(), request);
    if (!answer.good) throw LabError(answer.text);
    return answer;
}

int run_exec(const LabState& state, Words words) {
    bool terminal = false;
    while (!words.empty() &&
           (words[0] == "-t" || words[0] == "-i" || words[0] == "-it" || words[0] == "-ti")) {
        terminal = terminal || words[0].find('t') != std::string::npos;
        words.erase(words.begin());
    }
    if (words.size() < 2) throw BadUsage("expected: lab exec [-i] [-t] HOST CMD...");
    Answer answer = ask_lab(state, "exec " + words[0]);
    return exec_in_host(answer.passed.get(), Words(words.begin() + 1, words.end()), terminal);
}

int run_request(const LabState& state, const std::string& command, const Words& words) {
    std::string request = command;
    for (const std::string& word : words)
        request += " " + word;
    std::cout << ask_lab(state, request).text;
    return 0;
}

int run_status(const LabState& state, Words words) {
    bool links = take_flag(words, "--links");
    need(words, 0, "status [--links]");
    if (!state.process()) {
        std::cerr << "lab: no laboratory is up\n";
        return 1;
    }
    return run_request(state, links ? "links" : "status", {});
}

int run_down(LabState& state, const Words& words) {
    need(words, 0, "down");
    lab_down(state);
    return 0;
}

int run_truth(Words words) {
    Words without;
    std::string value;
    while (take_flag(words, "--without", &value))
        without.push_back(value);
    need(words, 1, "truth FILE [--without HOST]");
    std::ifstream in(words[0]);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) throw LabError("cannot read " + words[0]);
    auto file = parse_topology(text.str());
    if (const auto* error = std::get_if<ParseError>(&file))
        throw LabError(words[0] + ":" + std::to_string(error->line) + ": " + error->message);
    auto truth = truth_of(std::get<TopologyFile>(file), without);
    if (!truth) throw LabError(truth.error().message());
    std::cout << topology_file(*truth);
    return 0;
}

int run(Words words) {
    if (words.empty() || words[0] == "help" || words[0] == "--help") {
        std::cout << usage;
        return words.empty() ? 2 : 0;
    }
    const char* variable = std::getenv("LAB_NAME");
    std::string name = variable != nullptr && *variable != '\0' ? variable : "lab";
    if (words[0] == "--name") take_flag(words, "--name", &name);
    if (words.empty()) throw BadUsage("expected a command");
    if (words[0] == "truth") return run_truth({words.begin() + 1, words.end()});
    if (geteuid() != 0) throw LabError("the laboratory needs root (it makes namespaces and network devices)");
    LabState state(name);
    std::string command = words[0];
    words.erase(words.begin());
    if (command == "exec") return run_exec(state, std::move(words));
    if (take_flag(words, "--name", &name)) state = LabState(name);
    if (command == "up") return run_up(state, std::move(words));
    if (command == "down") return run_down(state, words);
    if (command == "status") return run_status(state, std::move(words));
    for (const char* known : {"cut", "heal", "rate", "kill", "start"}) {
        if (command == known) return run_request(state, command, words);
    }
    throw BadUsage("unknown command '" + command + "'");
}

}  // namespace
}  // namespace trellis::lab

int main(int count, char** words) {
    try {
        return trellis::lab::run({words + 1, words + count});
    } catch (const trellis::lab::BadUsage& error) {
        std::cerr << "lab: " << error.what() << "\n" << trellis::lab::usage;
        return 2;
    } catch (const std::exception& error) {
        std::cerr << "lab: " << error.what() << "\n";
        return 125;
    }
}
