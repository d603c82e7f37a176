// What tests of processes share.
#pragma once

#include <fstream>
#include <string>
#include <sys/types.h>

namespace trellis {

// Running or stopped, but no zombie.
inline bool alive(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return (file >> number >> name >> state) && state != "Z";
}

}  // namespace trellis
