// Turns: one coroutine at a time does something, the others wait. Owned by whoever owns what they take turns
// at; a Turn may outlive it. It keeps no time and no order beyond who asks first after a turn has ended.
#pragma once

#include "trellis/task.hpp"

#include "agentd/core/mailbox.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace trellis {

class Turns {
  public:
    explicit Turns(const Executor& executor) : state_(std::make_shared<State>(executor)) {}

  private:
    struct State {
        explicit State(const Executor& executor) : ended(executor) {}
        bool taken = false;
        Signal ended;
    };

  public:
    // Ends when it is destroyed.
    class Turn {
      public:
        explicit Turn(std::shared_ptr<State> state) : state_(std::move(state)) { state_->taken = true; }
        Turn(Turn&&) noexcept = default;
        Turn& operator=(Turn&&) = delete;
        ~Turn() {
            if (!state_) return;
            state_->taken = false;
            state_->ended.notify();
        }

      private:
        std::shared_ptr<State> state_;
    };

    // `waits` is called, if it is not empty, when another has its turn.
    Task<Turn> take(std::function<void()> waits) { return take_from(state_, std::move(waits)); }

  private:
    static Task<Turn> take_from(std::shared_ptr<State> state, std::function<void()> waits) {
        if (state->taken && waits) waits();
        while (state->taken)
            co_await state->ended.wait();
        co_return Turn(std::move(state));
    }

    std::shared_ptr<State> state_;
};

}  // namespace trellis
