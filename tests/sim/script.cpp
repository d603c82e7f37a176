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
    : time_(time), host_(std::move(host)), spec_(std::move(spec)), changed_(time.context().get_executor()) {
    const auto fed = std::find(spec_.inputs.begin(), spec_.inputs.end(), 0);
    pipes_[0].closed = !spec_.terminal && fed == spec_.inputs.end();
}

void Script::start() {
    asio::co_spawn(time_.context(), run(shared_from_this()), asio::detached);
}

Task<void> Script::run(std::shared_ptr<Script> self) {
    for (const auto& words : split(self->spec_.argv.back())) {
        if (self->ended_) co_return;
        co_await self->execute(words);
        while (self->stopped())
            co_await self->changed_.wait();
    }
    self->end(self->status_);
}

Task<void> Script::execute(const std::vector<std::string>& words) {
    const std::string& name = words.front();
    const std::string argument = words.size() > 1 ? words[1] : "";
    status_.code = 0;
    if (name == "hostname") {
        co_await write(Process::out, host_ + "\n");
    } else if (name == "echo") {
        co_await write(Process::out, joined(words));
    } else if (name == "err") {
        co_await write(Process::err, joined(words));
    } else if (name == "pwd") {
        std::string directory = spec_.directory.empty() ? "/home" : spec_.directory;
        co_await write(Process::out, directory + "\n");
    } else if (name == "cd") {
        co_await change_directory(words);
    } else if (name == "printenv") {
        const auto place = spec_.env.find(argument);
        status_.code = place == spec_.env.end() ? 1 : 0;
        if (place != spec_.env.end()) co_await write(Process::out, place->second + "\n");
    } else if (name == "yes") {
        std::size_t left = std::strtoull(argument.c_str(), nullptr, 10);
        for (std::string block; left > 0 && !ended_; left -= block.size()) {
            block.clear();
            while (block.size() < std::min(left, pipe_size / 2))
                block += block.size() % 2 == 0 ? 'y' : '\n';
            co_await write(Process::out, block);
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
    } else if (name == "copy") {
        co_await copy(std::atoi(argument.c_str()), std::atoi(words.back().c_str()));
    } else if (name == "take") {
        std::string taken = co_await get(0, std::strtoull(argument.c_str(), nullptr, 10));
        co_await write(Process::out, std::move(taken));
    } else if (name == "lines") {
        co_await write_lines(std::atoi(argument.c_str()), std::atoi(words.back().c_str()));
    } else if (name == "answer") {
        co_await answer(std::atoi(argument.c_str()), std::atoi(words.back().c_str()));
    } else if (name == "exit") {
        status_.code = std::atoi(argument.c_str());
        end(status_);
    } else {
        status_.code = 127;
        co_await write(Process::err, "sh: " + name + ": not found\n");
    }
}

// `cd DIRECTORY > /dev/null && pwd`
Task<void> Script::change_directory(const std::vector<std::string>& words) {
    std::string to = words.size() < 2 || words[1] == ">" ? "/home" : words[1];
    if (to.starts_with("\"${OLDPWD")) to = spec_.env["OLDPWD"];
    if (to.empty() || to == "/nowhere") {
        status_.code = 2;
        std::string cause = "sh: cd: can't cd to " + to + "\n";
        co_return co_await write(Process::err, std::move(cause));
    }
    spec_.directory = to;
    to += "\n";
    if (words.back() == "pwd") co_await write(Process::out, std::move(to));
}

Task<void> Script::wait_until(TimePoint when) {
    time_.at(when, [self = shared_from_this()] { self->changed_.notify(); });
    while (!ended_ && (stopped_ || time_.now() < when))
        co_await changed_.wait();
}

Task<void> Script::write(int output, std::string text) {
    const Pipe& pipe = pipes_[output];
    while (!ended_ && !pipe.closed && (stopped_ || pipe.bytes.size() >= pipe_size))
        co_await changed_.wait();
    if (ended_) co_return;
    if (pipe.closed) co_return end({true, SIGPIPE});
    pipes_[output].bytes += text;
    changed_.notify();
}

Task<std::string> Script::get(int input, std::size_t most) {
    Pipe& pipe = pipes_[input];
    while (!ended_ && !pipe.closed && pipe.bytes.empty())
        co_await changed_.wait();
    std::string bytes = pipe.bytes.substr(0, most);
    pipe.bytes.erase(0, most);
    changed_.notify();
    co_return bytes;
}

Task<void> Script::copy(int from, int to) {
    while (!ended_) {
        std::string bytes = co_await get(from, pipe_size);
        if (bytes.empty()) co_return;
        co_await write(to, std::move(bytes));
    }
}

Task<void> Script::write_lines(int count, int to) {
    for (int i = 0; i < count && !ended_; ++i) {
        std::string line = host_ + " " + std::to_string(i) + "\n";
        co_await write(to, std::move(line));
    }
}

Task<void> Script::answer(int from, int to) {
    for (std::string unfinished; !ended_;) {
        std::string bytes = co_await get(from, pipe_size);
        if (bytes.empty()) co_return;
        unfinished += bytes;
        for (std::size_t end = 0; (end = unfinished.find('\n')) != std::string::npos;) {
            std::string line = host_ + " " + unfinished.substr(0, end + 1);
            unfinished.erase(0, end + 1);
            co_await write(to, std::move(line));
        }
    }
}

void Script::end(ExitStatus status) {
    if (ended_) return;
    ended_ = true;
    status_ = status;
    changed_.notify();
}

Task<std::string> Script::read(int output) {
    const auto self = shared_from_this();
    Pipe& pipe = pipes_[output];
    while (pipe.bytes.empty() && running() && !pipe.closed)
        co_await changed_.wait();
    std::string bytes = std::exchange(pipe.bytes, {});
    changed_.notify();
    co_return bytes;
}

Task<Result<void>> Script::feed(int input, std::string bytes) {
    const auto self = shared_from_this();
    Pipe& pipe = pipes_[input];
    while (!ended_ && pipe.bytes.size() >= pipe_size)
        co_await changed_.wait();
    if (ended_) co_return Failure{FailureKind::lost, "write", "", "Broken pipe"};
    pipe.bytes += bytes;
    changed_.notify();
    co_return Result<void>{};
}

void Script::close(int descriptor) {
    pipes_[descriptor].closed = true;
    changed_.notify();
}

Task<ExitStatus> Script::wait() {
    const auto self = shared_from_this();
    while (!ended_)
        co_await changed_.wait();
    co_return status_;
}

void Script::signal(int number) {
    if (number == SIGSTOP || number == SIGCONT) return stop(number == SIGSTOP);
    if (stopped() && number != SIGKILL) return waiting_signals_.push_back(number);
    if (ignored_.contains(number)) return;
    if (time_.now() < held_until_) {
        held_until_ = TimePoint{};
        changed_.notify();
    }
    end({true, number});
}

void Script::stop(bool stopped) {
    stopped_ = stopped;
    changed_.notify();
    if (stopped) return;
    for (const int number : std::exchange(waiting_signals_, {}))
        signal(number);
}

ScriptProcess::~ScriptProcess() {
    script_->signal(SIGKILL);
}

}  // namespace trellis::sim
