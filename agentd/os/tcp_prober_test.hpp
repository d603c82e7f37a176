// Three agents on this machine, of which two probe: what the tests of TcpProber share.
#pragma once

#include "agentd/os/loopback_agents_test.hpp"
#include "agentd/os/tcp_prober.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace trellis {

using loopback::Agents;
using loopback::run;
using loopback::stranger;
using loopback::until_closed;
using std::chrono::milliseconds;

class TcpProberTest : public ::testing::Test {
  protected:
    std::unique_ptr<TcpProber> prober(std::size_t index) {
        return std::make_unique<TcpProber>(
            context_.get_executor(), agents_.key(index),
            [this](OperationId, const std::string& text) { reports_.push_back(text); });
    }
    static std::unique_ptr<Prober::Session> open(Prober& prober, const PeerSession& session) {
        auto opened = prober.open(session);
        EXPECT_TRUE(opened) << opened.error().message();
        return std::move(*opened);
    }
    Result<ProbeResult> measure(Prober::Session& from, std::size_t peer, const Endpoint& at,
                                ProbePlan plan = {}) {
        return run(context_, from.measure(agents_.id(peer), at, plan));
    }
    void let_run(milliseconds time) {
        context_.restart();
        context_.run_for(time);
    }
    bool until(const auto& done) { return loopback::run_until(context_, done); }

    asio::io_context context_{1};
    Agents agents_{3};
    std::unique_ptr<TcpProber> prober_a_ = prober(0);
    std::unique_ptr<TcpProber> prober_b_ = prober(1);
    std::unique_ptr<Prober::Session> a_ = open(*prober_a_, agents_.session(0));
    std::unique_ptr<Prober::Session> b_ = open(*prober_b_, agents_.session(1));
    std::vector<std::string> reports_;
};

}  // namespace trellis
