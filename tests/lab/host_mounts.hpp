// The file systems of an emulated host: the machine's, read-only where asked, with private small ones over
// the places that programs write to. Called in the host's own mount namespace. Throws LabError.
#pragma once

#include "tests/lab/host_init.hpp"

namespace trellis::lab {

// Mounts that everything else in a laboratory does must not reach the machine.
void make_mounts_private();

void mount_host_file_systems(const HostPlan& plan);

// Writes the files; those below /etc are written to /run and bound over the machine's.
void write_host_files(const HostPlan& plan);

// The directories over which a host has a file system of its own.
const std::vector<std::string>& private_directories();

}  // namespace trellis::lab
