#include "tests/lab/lab_daemon.hpp"

#include "tests/lab/lab_error.hpp"
#include "tests/lab/net_device.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

namespace trellis::lab {
namespace {

constexpr int fabric_cpu = 0;
constexpr int fabric_priority = 50;
constexpr std::chrono::milliseconds while_busy{20};  // longer than any round trip

std::string text_of(const std::string& path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

cpu_set_t all_cpus() {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    sched_getaffinity(0, sizeof cpus, &cpus);
    return cpus;
}

cpu_set_t host_cpus() {
    cpu_set_t cpus = all_cpus();
    if (CPU_COUNT(&cpus) > 1) CPU_CLR(fabric_cpu, &cpus);
    return cpus;
}

rlimit open_files() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit;
}

bool has_loss(const TopologyFile& file) {
    return std::any_of(file.nodes.begin(), file.nodes.end(),
                       [](const Node& node) { return node.up.loss > 0; });
}

}  // namespace

LabDaemon::LabDaemon(TopologyFile file, LabOptions options, std::string directory)
    : file_(std::move(file)),
      options_(std::move(options)),
      directory_(std::move(directory)),
      fabric_(file_),
      carrier_lost_(file_.nodes.size()),
      offload_(!has_loss(file_)) {}

HostPlan LabDaemon::plan_of(std::size_t host, const LabKeys& keys) const {
    HostPlan plan;
    plan.name = file_.hosts[host].name;
    plan.files = host_files(file_, keys, host, text_of("/etc/passwd"));
    plan.visible = options_.visible;
    plan.tmp_size = file_.tmp_size;
    plan.huge_pages = file_.huge_pages;
    plan.writable = plan.name == "ctl";
    plan.cpus = options_.precise ? host_cpus() : all_cpus();
    plan.open_files = open_files();
    return plan;
}

void LabDaemon::build() {
    LabKeys keys = make_keys(file_.hosts.size());
    for (std::size_t i = 0; i < file_.hosts.size(); ++i)
        hosts_.emplace_back(plan_of(i, keys));
    prepare_machine();
    UniqueFd home(checked(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), "network namespace"));
    for (std::size_t i = 0; i < hosts_.size(); ++i)
        make_host(i);
    checked(setns(home.get(), CLONE_NEWNET), "return to the machine's network");
    // sshd answers over loopback alone, so that the network need not run yet
    for (HostProcess& host : hosts_)
        host.start();
    for (HostProcess& host : hosts_)
        host.await_ready();
    listener_ = listen_at(directory_ + "/control");
}

// BBR, the default of some machines, starves flows at queues that drop: the hosts use cubic, where the
// machine has it.
void LabDaemon::prepare_machine() {
    std::string allowed = text_of("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
    while (!allowed.empty() && allowed.back() == '\n')
        allowed.pop_back();
    std::string available = text_of("/proc/sys/net/ipv4/tcp_available_congestion_control");
    bool known = available.find("cubic") != std::string::npos;
    if (known && allowed.find("cubic") == std::string::npos) {
        set_sysctl("net/ipv4/tcp_allowed_congestion_control", allowed + " cubic");
    }
    rlimit limit = open_files();
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

void LabDaemon::make_host(std::size_t host) {
    hosts_[host].make_network([this, host] {
        bring_loopback_up();
        set_sysctl("net/ipv4/tcp_congestion_control", "cubic");
        set_sysctl("net/ipv4/tcp_no_metrics_save", "1");
        for (const char* version : {"ipv4", "ipv6"}) {
            for (const char* scope : {"all", "default"}) {
                std::string base = std::string("net/") + version + "/conf/" + scope;
                set_sysctl(base + "/ignore_routes_with_linkdown", "1");
            }
        }
        set_sysctl("net/ipv6/conf/default/addr_gen_mode", "1");  // no address that the file does not name
        make_cards(host);
    });
}

void LabDaemon::make_cards(std::size_t host) {
    const auto& nics = file_.hosts[host].nics;
    for (std::size_t k = 0; k < nics.size(); ++k) {
        CardShape shape{"net" + std::to_string(k), file_.nodes[nics[k]].addresses, file_.mtu, offload_};
        fabric_.add_card(nics[k], open_card(shape));
    }
}

// Precise timing: no deep sleep of the processor, no page faults, ahead of everything else on one processor.
void LabDaemon::become_fabric() {
    dma_latency_.reset(open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC));
    std::int32_t zero = 0;
    if (dma_latency_) [[maybe_unused]]
        auto written = write(dma_latency_.get(), &zero, sizeof zero);
    cpu_set_t cpus = all_cpus();
    if (CPU_COUNT(&cpus) > 1 && CPU_ISSET(fabric_cpu, &cpus)) {
        if (options_.precise) fabric_.poll(while_busy, host_cpus());
        CPU_ZERO(&cpus);
        CPU_SET(fabric_cpu, &cpus);
        sched_setaffinity(0, sizeof cpus, &cpus);
    }
    sched_param priority{};
    priority.sched_priority = fabric_priority;
    sched_setscheduler(0, SCHED_FIFO, &priority);
    prctl(PR_SET_TIMERSLACK, 1);
    mlockall(MCL_CURRENT);
}

void LabDaemon::run() {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (int signal : {SIGCHLD, SIGTERM, SIGINT})
        sigaddset(&wanted, signal);
    sigprocmask(SIG_BLOCK, &wanted, nullptr);
    signals_.reset(checked(signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd"));
    fabric_.watch(signals_.get(), [this] { collect(); });
    fabric_.watch(listener_.get(),
                  [this] { serve_one(listener_.get(), [this](auto& text) { return handle(text); }); });
    if (options_.until >= 0) fabric_.watch(options_.until, [this] { fabric_.stop(); });
    become_fabric();
    fabric_.run();
    take_down();
}

void LabDaemon::collect() {
    signalfd_siginfo info;
    while (read(signals_.get(), &info, sizeof info) == sizeof info) {
        if (info.ssi_signo != SIGCHLD) fabric_.stop();
    }
    for (pid_t pid; (pid = waitpid(-1, nullptr, WNOHANG)) > 0;) {
        for (HostProcess& host : hosts_) {
            if (host.running() && host.pid() == pid) host.ended();
        }
    }
}

void LabDaemon::take_down() {
    sched_param ordinary{};
    sched_setscheduler(0, SCHED_OTHER, &ordinary);
    for (HostProcess& host : hosts_)
        host.begin_kill();
    for (HostProcess& host : hosts_)
        host.kill_all();
    hosts_.clear();
    fabric_.close_cards();
}

}  // namespace trellis::lab
