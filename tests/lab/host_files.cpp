#include "tests/lab/host_files.hpp"

#include <sstream>

namespace trellis::lab {
namespace {

// Every host and every card by name, the same on all hosts.
std::string names_file(const TopologyFile& file) {
    std::string text = "127.0.0.1 localhost\n::1 localhost ip6-localhost\n";
    for (const Node& node : file.nodes) {
        for (const Address& address : node.addresses)
            text += address.text + " " + node.name + "\n";
    }
    return text;
}

std::string known_hosts(const TopologyFile& file, const LabKeys& keys) {
    std::string text;
    for (std::size_t i = 0; i < file.hosts.size(); ++i) {
        std::string names;
        for (std::size_t nic : file.hosts[i].nics) {
            names += (names.empty() ? "" : ",") + file.nodes[nic].name;
            for (const Address& address : file.nodes[nic].addresses)
                names += "," + address.text;
        }
        text += names + " " + keys.hosts[i].open + "\n";
    }
    return text;
}

// Shells other than /bin/sh, and their start-up files, cost time at each login.
std::string accounts(const std::string& machine_passwd) {
    std::istringstream lines(machine_passwd);
    std::string text = std::string("root:x:0:0:root:") + home_directory + ":/bin/sh\n";
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("root:")) text += line + "\n";
    }
    return text;
}

// One key exchange, so that all programs that log in pay the same; no password, no look-up of names.
constexpr const char* sshd_settings = R"(Port 22
HostKey /run/ssh_host_key
HostKeyAlgorithms ssh-ed25519
KexAlgorithms curve25519-sha256,curve25519-sha256@libssh.org
AuthorizedKeysFile .ssh/authorized_keys
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
UseDNS no
PidFile none
PrintMotd no
PrintLastLog no
X11Forwarding no
MaxStartups 4096
MaxSessions 4096
AllowTcpForwarding yes
AllowAgentForwarding yes
LogLevel ERROR
Subsystem sftp internal-sftp
)";

}  // namespace

std::vector<HostFile> host_files(const TopologyFile& file, const LabKeys& keys, std::size_t host,
                                 const std::string& machine_passwd) {
    const std::string ssh = std::string(home_directory) + "/.ssh/";
    return {
        {"/etc/hosts", names_file(file)},
        {"/etc/hostname", file.hosts[host].name + "\n"},
        {"/etc/passwd", accounts(machine_passwd)},
        {"/etc/shadow", "root:*:19000:0:99999:7:::\nsshd:!:19000::::::\n", 0600},
        {"/etc/resolv.conf", "# a laboratory has no name server: see /etc/hosts\n"},
        {"/etc/nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files\nservices: files\n"},
        {ssh + "authorized_keys", keys.user.open + " laboratory\n", 0600},
        {ssh + "id_ed25519", keys.user.secret, 0600},
        {ssh + "id_ed25519.pub", keys.user.open + " laboratory\n"},
        {ssh + "known_hosts", known_hosts(file, keys), 0600},
        {"/run/sshd_config", sshd_settings},
        {"/run/ssh_host_key", keys.hosts[host].secret, 0600},
    };
}

}  // namespace trellis::lab
