// The process behind a running laboratory: it makes the hosts, moves their packets and answers requests at
// the control socket. It is the first process of a PID namespace that holds all hosts, so that nothing
// survives it, however it ends.
#pragma once

#include "tests/lab/control_socket.hpp"
#include "tests/lab/fabric.hpp"
#include "tests/lab/host_process.hpp"
#include "tests/lab/lab_keys.hpp"

#include <memory>
#include <string>
#include <vector>

namespace trellis::lab {

struct LabOptions {
    bool precise = false;  // the fabric has a processor of its own, and no processor sleeps
    int until = -1;        // a pidfd: the laboratory ends with that process
    std::vector<std::string>
        visible;  // directories that hosts see although a private file system goes over them
};

class LabDaemon {
  public:
    LabDaemon(TopologyFile file, LabOptions options, std::string directory);

    // Builds everything and returns when every sshd listens. Throws LabError.
    void build();

    // Serves until it is told to end; then takes the hosts down.
    void run();

    // One request of the control socket.
    Answer handle(const std::string& request);

  private:
    using Words = std::vector<std::string>;
    HostPlan plan_of(std::size_t host, const LabKeys& keys) const;
    void make_host(std::size_t host);
    void make_cards(std::size_t host);
    void prepare_machine();
    void become_fabric();
    void collect();
    void take_down();

    Answer on_host(const Words& words);
    Answer on_link(const Words& words);
    Answer cut(std::size_t link, bool visible);
    Answer heal(std::size_t link);
    Answer status() const;
    Answer links() const;

    TopologyFile file_;
    LabOptions options_;
    std::string directory_;
    Fabric fabric_;
    std::vector<HostProcess> hosts_;
    std::vector<bool> carrier_lost_;  // by node
    UniqueFd signals_, listener_, dma_latency_;
    bool offload_ = true;
};

}  // namespace trellis::lab
