// ProcessExecutor: the executor of one simulated process. While the process is stopped (SIGSTOP) what would
// run is kept for later; once it is dead it is dropped, so that its coroutines never go on. A value; all
// copies share the ProcessLife, which the simulated process owns.
#pragma once

#include "trellis/task.hpp"

#include <memory>
#include <utility>
#include <vector>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace trellis::sim {

struct ProcessLife {
    explicit ProcessLife(asio::io_context& where) : context(where) {}
    enum class State { running, stopped, dead };

    asio::io_context& context;
    State state = State::running;
    std::vector<asio::any_completion_handler<void()>> held;  // while stopped

    void stop() {
        if (state == State::running) state = State::stopped;
    }
    void resume() {
        if (state != State::stopped) return;
        state = State::running;
        for (auto& work : std::exchange(held, {}))
            asio::post(context, std::move(work));
    }
    void die() {
        state = State::dead;
        while (!held.empty()) {  // what is destroyed may want to run more
            const auto dropped = std::exchange(held, {});
        }
    }
};

class ProcessExecutor {
  public:
    explicit ProcessExecutor(std::shared_ptr<ProcessLife> life) : life_(std::move(life)) {}

    template <class Work>
    void execute(Work work) const {
        switch (life_->state) {
            case ProcessLife::State::dead:
                return;
            case ProcessLife::State::stopped:
                life_->held.emplace_back(std::move(work));
                return;
            case ProcessLife::State::running:
                if (!later_) return std::move(work)();
                asio::post(life_->context, [now = ProcessExecutor(life_), work = std::move(work)]() mutable {
                    now.execute(std::move(work));
                });
        }
    }

    asio::execution_context& query(asio::execution::context_t) const noexcept { return life_->context; }
    static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept {
        return asio::execution::blocking.possibly;
    }
    [[nodiscard]] ProcessExecutor require(asio::execution::blocking_t::never_t) const {
        ProcessExecutor never(life_);
        never.later_ = true;
        return never;
    }
    [[nodiscard]] ProcessExecutor require(asio::execution::blocking_t::possibly_t) const {
        return ProcessExecutor(life_);
    }
    friend bool operator==(const ProcessExecutor&, const ProcessExecutor&) noexcept = default;

  private:
    std::shared_ptr<ProcessLife> life_;
    bool later_ = false;
};

}  // namespace trellis::sim
