#include "tests/sim/script.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace trellis::sim {
namespace {

std::vector<std::vector<std::string>> split(const std::string& command) {
    std::vector<std::vector<std::string>> commands;
    std::istringstream parts(command);
    for (std::string part; std::getline(parts, part, ';');) {
        std::istringstream text(part);
        std::vector<std::string> words;
        for (std::string word; text >> word;)
            words.push_back(word);
        if (!words.empty()) commands.push_back(std::move(words));
    }
    return commands;
}

std::string joined(const std::vector<std::string>& words) {
    std::string line;
    for (std::size_t i = 1; i < words.size(); ++i)
        line += (i > 1 ? " " : "") + words[i];
    return line + "\n";
}

Duration seconds_in(const std::string& text) {
    return Duration(static_cast<Duration::rep>(std::strtod(text.c_str(), nullptr) * 1e9));
}

}  // namespace

Script::Script(VirtualTime& time, std::string host, ProcessSpec spec)
    : time_(time), host_(std::move(host)), spec_(std::move(spec)), changed_(time.context().get_executor()) {}

void Script::start() {
    asio::co_spawn(time_.context(), run(shared_from_this()), asio::detached);
}

Task<void> Script::run(std::shared_ptr<Script> self) {
    for (const auto& words : split(self->spec_.argv.back())) {
        if (self->ended_) co_return;
        co_await self->execute(words);
    }
    self->end(self->status_);
}

Task<void> Script::execute(const std::vector<std::string>& words) {
    const std::string& name = words.front();
    const std::string argument = words.size() > 1 ? words[1] : "";
    status_.code = 0;
    if (name == "hostname") {
        co_await write(Process::Output::out, host_ + "\n");
    } else if (name == "echo") {
        co_await write(Process::Output::out, joined(words));
    } else if (name == "err") {
        co_await write(Process::Output::err, joined(words));
    } else if (name == "pwd") {
        std::string directory = spec_.directory.empty() ? "/home" : spec_.directory;
        co_await write(Process::Output::out, directory + "\n");
    } else if (name == "printenv") {
        const auto place = spec_.env.find(argument);
        status_.code = place == spec_.env.end() ? 1 : 0;
        if (place != spec_.env.end()) co_await write(Process::Output::out, place->second + "\n");
    } else if (name == "yes") {
        std::size_t left = std::strtoull(argument.c_str(), nullptr, 10);
        for (std::string block; left > 0 && !ended_; left -= block.size()) {
            block.clear();
            while (block.size() < std::min(left, pipe_size / 2))
                block += block.size() % 2 == 0 ? 'y' : '\n';
            co_await write(Process::Output::out, block);
        }
    } else if (name == "sleep") {
        co_await wait_until(time_.now() + seconds_in(argument));
    } else if (name == "leave") {
        held_until_ = time_.now() + seconds_in(argument);
        time_.at(held_until_, [self = shared_from_this()] { self->changed_.notify(); });
    } else if (name == "ignore") {
        for (const std::string& word : words) {
            if (word == "INT") ignored_.insert(SIGINT);
            if (word == "TERM") ignored_.insert(SIGTERM);
        }
    } else if (name == "exit") {
        status_.code = std::atoi(argument.c_str());
        end(status_);
    } else {
        status_.code = 127;
        co_await write(Process::Output::err, "sh: " + name + ": not found\n");
    }
}

Task<void> Script::wait_until(TimePoint when) {
    time_.at(when, [self = shared_from_this()] { self->changed_.notify(); });
    while (!ended_ && time_.now() < when)
        co_await changed_.wait();
}

Task<void> Script::write(Process::Output output, std::string text) {
    while (!ended_ && pipe(output).size() >= pipe_size)
        co_await changed_.wait();
    if (ended_) co_return;
    pipe(output) += text;
    changed_.notify();
}

void Script::end(ExitStatus status) {
    if (ended_) return;
    ended_ = true;
    status_ = status;
    changed_.notify();
}

Task<std::string> Script::read(Process::Output output) {
    const auto self = shared_from_this();
    while (pipe(output).empty() && running())
        co_await changed_.wait();
    std::string bytes = std::exchange(pipe(output), {});
    changed_.notify();
    co_return bytes;
}

Task<ExitStatus> Script::wait() {
    const auto self = shared_from_this();
    while (!ended_)
        co_await changed_.wait();
    co_return status_;
}

void Script::signal(int number) {
    if (ignored_.contains(number)) return;
    if (time_.now() < held_until_) {
        held_until_ = TimePoint{};
        changed_.notify();
    }
    end({true, number});
}

ScriptProcess::~ScriptProcess() {
    script_->signal(SIGKILL);
}

}  // namespace trellis::sim
