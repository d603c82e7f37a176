#include "shell/interrupts.hpp"

#include <csignal>
#include <utility>

namespace trellis {

Interrupts::Interrupts(const Executor& executor) : signals_(executor, SIGINT) {
    listen();
}

std::function<void()> Interrupts::handle(std::function<void()> handler) {
    return std::exchange(handler_, std::move(handler));
}

void Interrupts::press() {
    const auto handler = handler_;  // it may replace itself
    if (handler) handler();
}

void Interrupts::listen() {
    signals_.async_wait([this](const boost::system::error_code& error, int) {
        if (error) return;
        listen();
        press();
    });
}

}  // namespace trellis
