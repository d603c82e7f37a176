// A real sshd on a free port of the loopback interface, with keys of its own in a temporary directory, for
// the tests of logins. Owned by a test; stopped with it.
#pragma once

#include "trellis/spawner.hpp"

#include "agentd/os/children.hpp"
#include "agentd/os/known_hosts.hpp"

#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <netinet/in.h>
#include <pwd.h>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace trellis::test {

inline int free_port() {
    const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
        throw std::runtime_error("no free port");
    return ntohs(address.sin_port);
}

class LoopbackSshd {
  public:
    // `more`: further lines of sshd_config.
    explicit LoopbackSshd(const std::string& more = {}) : port_(free_port()) {
        std::string pattern = "/tmp/trellis-sshd-XXXXXX";
        directory_ = ::mkdtemp(pattern.data());
        std::filesystem::create_directory(directory_ + "/home");
        make_key("host_key");
        make_key("user_key");
        make_key("stranger_key");
        std::filesystem::copy_file(directory_ + "/user_key.pub", directory_ + "/authorized");
        std::filesystem::create_directories("/run/sshd");
        std::ofstream(config()) << "HostKey " << directory_ << "/host_key\nAuthorizedKeysFile " << directory_
                                << "/authorized\nListenAddress 127.0.0.1\nPort " << port_
                                << "\nUsePAM no\nStrictModes no\nUseDNS no\nPidFile none\n"
                                   "PasswordAuthentication no\nKbdInteractiveAuthentication no\nSetEnv HOME="
                                << directory_ << "/home\n"
                                << more;
        start();
    }
    LoopbackSshd(const LoopbackSshd&) = delete;
    LoopbackSshd& operator=(const LoopbackSshd&) = delete;
    ~LoopbackSshd() {
        for (const pid_t pid : {server_, agent_})
            if (pid > 0) {
                ::kill(pid, SIGTERM);
                ::waitpid(pid, nullptr, 0);
            }
        std::error_code ignored;  // a file may be going away by itself
        std::filesystem::remove_all(directory_, ignored);
    }

    [[nodiscard]] int port() const { return port_; }
    [[nodiscard]] const std::string& directory() const { return directory_; }
    [[nodiscard]] std::string config() const { return directory_ + "/sshd_config"; }
    [[nodiscard]] std::string key(const std::string& name) const { return directory_ + "/" + name; }

    // Settings that lead here, with one identity file.
    [[nodiscard]] SshSettings settings(const std::string& identity = "user_key") const {
        return {{"hostname", {"127.0.0.1"}},
                {"port", {std::to_string(port_)}},
                {"identityfile", {key(identity)}},
                {"kexalgorithms", {"curve25519-sha256"}}};
    }
    [[nodiscard]] std::string host_key() const {
        std::ifstream file(directory_ + "/host_key.pub");
        std::string type, text;
        file >> type >> text;
        return base64_decode(text);
    }
    // The socket of an ssh-agent that holds user_key.
    std::string start_agent() {
        std::string socket = directory_ + "/agent";
        agent_ = ::fork();
        if (agent_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGTERM);
            detach_output();
            ::execlp("ssh-agent", "ssh-agent", "-D", "-a", socket.c_str(), nullptr);
            ::_exit(127);
        }
        for (int i = 0; i < 200 && !std::filesystem::exists(socket); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        run("SSH_AUTH_SOCK=" + socket + " ssh-add -q " + key("user_key"));
        return socket;
    }

  private:
    static void detach_output() {
        const int null = ::open("/dev/null", O_RDWR);
        for (int number = 0; number < 3; ++number)
            ::dup2(null, number);
    }
    static void run(const std::string& command) {
        if (std::system(command.c_str()) != 0) throw std::runtime_error(command);
    }
    void make_key(const std::string& name) {
        run("ssh-keygen -q -t ed25519 -N '' -C " + name + " -f " + directory_ + "/" + name);
    }
    void start() {
        server_ = ::fork();
        if (server_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGTERM);
            detach_output();
            const std::string log = directory_ + "/log";
            ::execl("/usr/sbin/sshd", "/usr/sbin/sshd", "-D", "-f", config().c_str(), "-E", log.c_str(),
                    nullptr);
            ::_exit(127);
        }
        for (int i = 0; i < 500; ++i) {
            const FileDescriptor probe(::socket(AF_INET, SOCK_STREAM, 0));
            sockaddr_in address{};
            address.sin_family = AF_INET;
            address.sin_port = htons(static_cast<std::uint16_t>(port_));
            address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            if (::connect(probe.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        throw std::runtime_error("sshd does not start");
    }

    int port_;
    std::string directory_;
    pid_t server_ = -1;
    pid_t agent_ = -1;
};

// Accepts one host key and asks the ssh-agent behind a socket (by blocking calls).
class TestAuthority : public LoginAuthority {
  public:
    Task<Result<void>> check_host_key(const SpawnRequest& request, std::string lookup,
                                      std::string key) override {
        lookups.push_back(lookup);
        if (key == accepted) co_return Result<void>();
        co_return Failure{FailureKind::refused, "log in", request.name,
                          "host key changed (known_hosts line 1)"};
    }
    Task<Result<std::string>> ask_agent(std::string request) override {
        ++questions;
        if (agent_socket.empty()) co_return unavailable("no ssh-agent");
        co_return talk(request);
    }
    Task<Result<std::string>> full_agent(std::uint64_t from) override {
        if (agent.empty()) co_return Failure{FailureKind::cannot_start, "", "", "no other form"};
        co_return agent.substr(std::min<std::size_t>(from, agent.size()), 10'000);
    }

    std::string accepted;
    std::string agent_socket;
    std::string agent;  // the full form, as it is sent
    std::vector<std::string> lookups;
    int questions = 0;

  private:
    [[nodiscard]] std::string talk(const std::string& request) const {
        const FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        agent_socket.copy(address.sun_path, sizeof address.sun_path - 1);
        if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return "";
        const std::uint32_t size = htonl(static_cast<std::uint32_t>(request.size()));
        std::string message(reinterpret_cast<const char*>(&size), 4);
        message += request;
        if (::write(socket.get(), message.data(), message.size()) < 0) return "";
        std::uint32_t length = 0;
        if (::recv(socket.get(), &length, 4, MSG_WAITALL) != 4) return "";
        std::string reply(ntohl(length), '\0');
        if (::recv(socket.get(), reply.data(), reply.size(), MSG_WAITALL) < 0) return "";
        return reply;
    }
};

}  // namespace trellis::test
