// ShellFixture: a session over a FakeCluster whose lines can be run and whose outputs can be read.
#pragma once

#include "agentd/os/steady_clock.hpp"
#include "shell/running/interpreter.hpp"
#include "shell/running/script.hpp"
#include "tests/scenario/capture.hpp"
#include "tests/scenario/fake_cluster.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis {

class ShellFixture : public testing::Test {
  public:
    ShellFixture() {
        std::signal(SIGPIPE, SIG_IGN);  // as main.cpp does
        std::filesystem::create_directories(directory);
    }
    ~ShellFixture() override {
        std::error_code ignored;  // a file may be going away by itself
        std::filesystem::remove_all(directory, ignored);
    }

  protected:
    // Fails on the hosts in the list.
    void fail_on(std::vector<std::string> hosts, int status = 3) {
        cluster.shell = [hosts = std::move(hosts), status](const std::string& host, const ExecRequest&) {
            FakeAnswer answer{host + "\n", "", Outcome::success(), std::nullopt};
            if (std::find(hosts.begin(), hosts.end(), host) != hosts.end())
                answer.outcome = {Outcome::State::exited, status, {}, ""};
            return answer;
        };
    }

    LineResult run(const std::string& line) {
        LineResult result;
        asio::co_spawn(io, interpreter.run_line(line, ""),
                       [&](const std::exception_ptr& error, LineResult ended) {
                           EXPECT_FALSE(error);
                           result = ended;
                           io.stop();
                       });
        io.restart();
        io.run();
        return result;
    }

    int run_lines(const std::string& text, bool stop_on_error = false) {
        int status = -1;
        const auto lines = text_lines(text);
        ScriptSettings settings{"batch.trl", stop_on_error};
        asio::co_spawn(io, run_script(interpreter, *lines, console, seat, news, settings),
                       [&](const std::exception_ptr& error, int ended) {
                           EXPECT_FALSE(error);
                           status = ended;
                           io.stop();
                       });
        io.restart();
        io.run();
        return status;
    }

    std::string file(const std::string& name) { return (directory / name).string(); }
    static std::string contents(const std::string& path) {
        std::stringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
    void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

    std::filesystem::path directory =
        std::filesystem::temp_directory_path() / ("trellis-shell-test-" + std::to_string(::getpid()));
    asio::io_context io{1};
    Capture out, err;
    FakeCluster cluster{io.get_executor()};
    SteadyClock clock;
    Session session{cluster,
                    clock,
                    [] { return 1700000000; },
                    {{HostsValue::type_name, HostsValue::from_json},
                     {SelectionValue::type_name, SelectionValue::from_json}}};
    Seat seat{session};
    HostNews news;
    Console console{io.get_executor(), out.fd(), err.fd()};
    Interrupts interrupts{io.get_executor()};
    Interpreter interpreter{session, seat, console, interrupts, builtin_commands()};
};

}  // namespace trellis
