#include "shell/running/interrupts.hpp"

#include <csignal>
#include <utility>

namespace trellis {

Interrupts::Interrupts(const Executor& executor) : signals_(executor, SIGINT), suspends_(executor) {
    listen();
}

std::function<void()> Interrupts::handle(std::function<void()> handler) {
    return std::exchange(handler_, std::move(handler));
}

std::function<void()> Interrupts::handle_suspend(std::function<void()> handler) {
    return std::exchange(suspend_handler_, std::move(handler));
}

void Interrupts::press() {
    const auto handler = handler_;  // it may replace itself
    if (handler) handler();
}

void Interrupts::press_suspend() {
    const auto handler = suspend_handler_;
    if (handler) handler();
}

void Interrupts::take_suspend() {
    suspends_.add(SIGTSTP);
    listen_for_suspend();
}

void Interrupts::listen() {
    signals_.async_wait([this](const boost::system::error_code& error, int) {
        if (error) return;
        listen();
        press();
    });
}

void Interrupts::listen_for_suspend() {
    suspends_.async_wait([this](const boost::system::error_code& error, int) {
        if (error) return;
        listen_for_suspend();
        press_suspend();
    });
}

}  // namespace trellis
