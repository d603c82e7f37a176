// ProbeLoad: how much an inference has burdened the hosts and the network. Pure; owned by the one who counts.
#pragma once

#include <cstdint>
#include <string>

namespace trellis::plugins::infer {

class ProbeLoad {
  public:
    // What one host sent: probes, over so many connections, at most so many in a second.
    void add(std::uint64_t probes, std::uint64_t connections, double per_second);
    // So long, in seconds, hosts were measuring.
    void add_time(double seconds) { seconds_ += seconds; }
    // "at most 9,100 probes a second from one host, 140,000 from all on the average; 0.6 MB in all". Bytes as
    // on Ethernet, both directions.
    [[nodiscard]] std::string text() const;

  private:
    std::uint64_t probes_ = 0;
    std::uint64_t connections_ = 0;
    double most_per_second_ = 0;
    double seconds_ = 0;
};

}  // namespace trellis::plugins::infer
