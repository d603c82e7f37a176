// trellis: the program that a user starts. Options and wiring only. See trellis(1).
#include "trellis/plugin.hpp"

#include "agentd/core/pair_key.hpp"
#include "agentd/core/root.hpp"
#include "agentd/os/fd_stream.hpp"
#include "agentd/os/os_file_store.hpp"
#include "agentd/os/os_processes.hpp"
#include "agentd/os/os_spawner.hpp"
#include "agentd/os/steady_clock.hpp"
#include "agentd/os/stream_link.hpp"
#include "agentd/os/tcp_dialer.hpp"
#include "agentd/os/tcp_prober.hpp"
#include "agentd/os/tls_network.hpp"
#include "agentd/os/user_authority.hpp"
#include "shell/front_program.hpp"
#include "shell/language/direct_command.hpp"
#include "shell/language/gxp_words.hpp"
#include "shell/program_options.hpp"
#include "shell/running/shell_context.hpp"
#include "shell/session/root_cluster.hpp"
#include "shell/session/value_types.hpp"
#include "shell/standing/session_holder.hpp"
#include "shell/standing/session_place.hpp"
#include "shell/standing/session_process.hpp"
#include "shell/standing/session_words.hpp"
#include "shell/standing/standing_home.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <memory>
#include <sys/prctl.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace trellis {
namespace {

std::int64_t unix_time() {
    return static_cast<std::int64_t>(std::time(nullptr));
}

std::unique_ptr<Link> link_over(const Executor& executor, int socket) {
    auto stream = std::make_unique<FdStream>(executor, FileDescriptor(socket));
    return std::make_unique<StreamLink>(executor, std::move(stream));
}

// The root of the control tree with everything that it stands on; members in the order of who needs whom.
class Tree {
  public:
    Tree(const Executor& executor, Clock& clock, FileStore& files, const Options& options, Duration lease);
    [[nodiscard]] Root& root() { return root_; }
    [[nodiscard]] Cluster& cluster() { return cluster_; }

  private:
    static TreeSettings tree_settings(Duration lease);
    static std::vector<std::string> ssh_options(const Options& options);
    static std::string agent_file(const Options& options);

    OsProcesses processes_;
    std::shared_ptr<const SessionKey> key_ = std::make_shared<const SessionKey>();
    TcpProber prober_;
    TlsNetwork network_;
    TcpDialer dialer_;
    OsSpawner spawner_;
    UserAuthority authority_;
    Root root_;
    RootCluster cluster_;
};

TreeSettings Tree::tree_settings(Duration lease) {
    TreeSettings settings;
    settings.lease = lease;
    settings.orphan_grace = std::min(settings.orphan_grace, lease / 2);
    return settings;
}

std::vector<std::string> Tree::ssh_options(const Options& options) {
    if (options.ssh_config.empty()) return {};
    return {"-F", options.ssh_config};
}

std::string Tree::agent_file(const Options& options) {
    return options.agent_file.empty() ? agent_beside_this_program() : options.agent_file;
}

Tree::Tree(const Executor& executor, Clock& clock, FileStore& files, const Options& options, Duration lease)
    : processes_(executor),
      prober_(executor, key_, {}),
      network_(executor, key_, {}),
      dialer_(executor),
      spawner_(executor, agent_file(options), true, ssh_options(options)),
      authority_(executor, processes_, agent_file(options), ssh_options(options)),
      root_({executor, clock, processes_, prober_, network_, spawner_, dialer_, files}, tree_settings(lease),
            authority_, [this](std::string target) { return authority_.settings(std::move(target)); }),
      cluster_(root_, options.agent_directory) {}

// A session of the front end's own.
class OwnHome final : public Home {
  public:
    explicit OwnHome(Tree& tree) : tree_(tree) {}
    [[nodiscard]] Cluster& cluster() override { return tree_.cluster(); }
    Task<bool> enter(FrontEndParts parts) override {
        tree_.root().on_note([&console = parts.console](const std::string& host, const std::string& text) {
            console.say(host + ": " + text);
        });
        co_return true;
    }
    Task<void> leave() override { return tree_.root().leave(std::chrono::seconds(2)); }
    [[nodiscard]] std::string farewell() const override { return ""; }

  private:
    Tree& tree_;
};

std::vector<CommandEntry> all_commands() {
    std::vector<CommandEntry> commands = builtin_commands();
    for (const CommandEntry& entry : plugin_commands())
        commands.push_back(entry);
    return commands;
}

// What still waits for files may wait for ever.
int end_with(int status, const FileStore& files) {
    if (files.busy()) std::_Exit(status);
    return status;
}

int run_alone(const Options& options, const Times& times) {
    asio::io_context io{1};
    SteadyClock clock;
    OsFileStore files;
    int status = 0;
    {
        Tree tree(io.get_executor(), clock, files, options, times.lease);
        OwnHome home(tree);
        status = FrontProgram(io, clock, files, unix_time, home, options, times, all_commands()).run();
    }
    return end_with(status, files);
}

int run_in_session(const Options& options, const Times& times) {
    if (!is_session_name(options.session))
        return complain("--session: no session can be called '" + options.session + "'", 2);
    const Result<SessionPlace> place = SessionPlace::find();
    if (!place) return complain(place.error().message(), 1);
    const auto start = [&](int listening) {
        return start_session_process(holder_arguments(options), listening,
                                     place->path(options.session, ".log"));
    };
    const Result<int> session = place->connect_or_start(options.session, start);
    if (!session) return complain("session " + options.session + ": " + session.error().message(), 1);
    asio::io_context io{1};
    SteadyClock clock;
    OsFileStore files;
    TlsNetwork network(io.get_executor(), std::make_shared<const SessionKey>(), {});
    StandingHome home(io.get_executor(), clock, network, link_over(io.get_executor(), *session),
                      options.session, options.seat, TRELLIS_VERSION);
    const int status = FrontProgram(io, clock, files, unix_time, home, options, times, all_commands()).run();
    return end_with(status, files);
}

SessionLinks links_on(asio::io_context& io) {
    return [&io](int socket) { return link_over(io.get_executor(), socket); };
}

Task<void> stay_and_leave(SessionHolder& holder, Tree& tree) {
    co_await holder.stay();
    co_await tree.root().leave(std::chrono::seconds(2));
}

// Not for users: the process that holds a session, with the listening socket as standard input.
int hold_session(const Options& options, const Times& times, const std::string& name) {
    const Result<SessionPlace> place = SessionPlace::find();
    if (!place || !is_session_name(name)) return complain("session hold: not started by trellis", 2);
    ::prctl(PR_SET_NAME, "trellis");
    ::setenv("SSH_AUTH_SOCK", SessionHolder::agent_link(*place, name).c_str(), 1);
    std::signal(SIGHUP, SIG_IGN);
    const int listening = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (::chdir("/") != 0 || listening < 0 || ::dup2(nothing, STDIN_FILENO) < 0)
        return complain("session hold: no socket", 1);
    asio::io_context io{1};
    SteadyClock clock;
    OsFileStore files;
    Tree tree(io.get_executor(), clock, files, options, times.lease);
    Session session(tree.cluster(), clock, unix_time, value_types());
    session.rules().forward_agent_everywhere(options.forward_agent);
    SessionHolder holder(io.get_executor(), session, *place, name, listening, links_on(io), times.idle,
                         TRELLIS_VERSION);
    tree.root().on_note(
        [&](const std::string& host, const std::string& text) { holder.note(host + ": " + text); });
    asio::co_spawn(io, stay_and_leave(holder, tree), [&](const std::exception_ptr& error) {
        io.stop();
        if (error) std::rethrow_exception(error);
    });
    io.run();
    return 0;
}

// trellis session ...
int about_sessions(const Options& options, const Times& times) {
    const std::vector<std::string> words(options.words.begin() + 1, options.words.end());
    if (words.size() == 2 && words[0] == "hold") return hold_session(options, times, words[1]);
    const Result<SessionPlace> place = SessionPlace::find();
    if (!place) return complain(place.error().message(), 1);
    asio::io_context io{1};
    Console console(io.get_executor(), STDOUT_FILENO, STDERR_FILENO);
    const SessionLinks links = links_on(io);
    int status = 1;
    asio::co_spawn(io, run_session_words(words, options.session, *place, links, console),
                   [&](const std::exception_ptr& error, int ended) {
                       status = ended;
                       io.stop();
                       if (error) std::rethrow_exception(error);
                   });
    io.run();
    return status;
}

// trellis gxpc ...: as users of GXP write it, in the session "gxp" unless another is named.
int run_as_gxpc(Options options, const Times& times) {
    std::array<char, 256> here{};
    ::gethostname(here.data(), here.size() - 1);
    const std::vector<std::string> words(options.words.begin() + 1, options.words.end());
    Result<GxpCall> call = read_gxpc(words, here.data(), all_commands());
    if (!call) return complain(call.error().message(), 2);
    if (options.session.empty()) options.session = "gxp";
    options.words.clear();
    if (call->ends_session) {
        options.words = {"session", "end", options.session};
        return about_sessions(options, times);
    }
    options.has_commands = !call->line.empty();
    options.commands = std::move(call->line);
    return run_in_session(options, times);
}

// Whoever started us may have closed one of the three; nothing else is to get its number.
void fill_standard_descriptors() {
    for (int fd = 0; fd >= 0 && fd <= STDERR_FILENO;)
        fd = open("/dev/null", O_RDWR);
}

int start(int argc, char** argv) {
    fill_standard_descriptors();
    const auto read = read_command_line(argc, argv, TRELLIS_VERSION);
    if (const int* status = std::get_if<int>(&read)) return *status;
    const auto& [options, times] = std::get<CommandLine>(read);
    std::signal(SIGPIPE, SIG_IGN);
    if (!options.words.empty() && options.words[0] == "session") return about_sessions(options, times);
    if (!options.words.empty() && options.words[0] == "gxpc") return run_as_gxpc(options, times);
    if (!options.session.empty()) return run_in_session(options, times);
    const bool command = names_command(options.words, all_commands());
    if (options.words.size() > 1 && !command) return complain(options.words[0] + ": no such command", 2);
    return run_alone(options, times);
}

}  // namespace
}  // namespace trellis

int main(int argc, char** argv) {
    return trellis::start(argc, argv);
}
