// The files that a host of the laboratory has for itself: names and accounts below /etc, the home of its
// root, the settings and the key of its sshd. Texts only; host_init puts them where they belong.
#pragma once

#include "tests/lab/lab_keys.hpp"
#include "tests/lab/topology_file.hpp"

#include <string>
#include <sys/types.h>
#include <vector>

namespace trellis::lab {

inline constexpr const char* home_directory = "/root";

struct HostFile {
    std::string path;
    std::string content;
    mode_t mode = 0644;
};

// The files of one host. Those below /etc take the place of the machine's, the others lie on the host's own
// file systems. machine_passwd: the machine's /etc/passwd, from which root alone is changed (home, /bin/sh as
// shell).
std::vector<HostFile> host_files(const TopologyFile& file, const LabKeys& keys, std::size_t host,
                                 const std::string& machine_passwd);

}  // namespace trellis::lab
