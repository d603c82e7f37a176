// Interrupts: Ctrl-C at the terminal (SIGINT), given to whoever is in charge now: the prompt or the running
// command. Owned by main.cpp. Without a handler a press does nothing.
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
    // As if the key had been pressed.
    void press();
    // Stops listening, so that the event loop can end.
    void close() { signals_.cancel(); }

  private:
    void listen();

    asio::signal_set signals_;
    std::function<void()> handler_;
};

}  // namespace trellis
