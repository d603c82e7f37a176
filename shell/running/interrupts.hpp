// Interrupts: Ctrl-C at the terminal (SIGINT) and, once it is asked for, Ctrl-Z (SIGTSTP), given to whoever
// is in charge now: the prompt or the running command. Owned by main.cpp. Without a handler a press does
// nothing.
#pragma once

#include "trellis/task.hpp"

#include <functional>

#include <boost/asio/signal_set.hpp>

namespace trellis {

class Interrupts {
  public:
    explicit Interrupts(const Executor& executor);
    // Replaces the handler; returns the one before.
    std::function<void()> handle(std::function<void()> handler);
    // The same for Ctrl-Z.
    std::function<void()> handle_suspend(std::function<void()> handler);
    // As if the key had been pressed.
    void press();
    void press_suspend();
    // From now on Ctrl-Z does not stop this process.
    void take_suspend();
    // Stops listening, so that the event loop can end.
    void close() {
        signals_.cancel();
        suspends_.cancel();
    }

  private:
    void listen();
    void listen_for_suspend();

    asio::signal_set signals_;
    asio::signal_set suspends_;
    std::function<void()> handler_;
    std::function<void()> suspend_handler_;
};

}  // namespace trellis
