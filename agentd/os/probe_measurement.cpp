#include "agentd/os/probe_measurement.hpp"

#include "agentd/os/round_trip_clock.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <utility>

namespace trellis {
namespace {

constexpr auto broken = "the connection broke while probing";

std::string seconds(Duration duration) {
    const auto tenths = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count() / 100;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

}  // namespace

ProbeMeasurement::ProbeMeasurement(ProbeLoop& loop, const PairKeys& keys, Target target, ProbePlan plan,
                                   Done done)
    : Handler(loop),
      keys_(keys),
      target_(std::move(target)),
      plan_(plan),
      done_(std::move(done)),
      sets_(plan),
      connect_by_(ProbeLoop::now() + plan.timeout) {
    // At once, but not from here: done_ may destroy this.
    set_deadline(TimePoint());
}

ProbeMeasurement::~ProbeMeasurement() {
    unwatch();
}

void ProbeMeasurement::ready() {
    switch (stage_) {
        case Stage::idle:
            break;
        case Stage::connecting:
            connected();
            break;
        case Stage::greeting:
            welcomed();
            break;
        case Stage::pausing:
            if (!fill(expected_.size()) || filled_ > 0) give_up(FailureKind::lost, broken);
            break;
        case Stage::probing:
            replied();
            break;
    }
}

void ProbeMeasurement::expired() {
    switch (stage_) {
        case Stage::idle:
            try_address();
            break;
        case Stage::connecting:
        case Stage::greeting:
            next_address(FailureKind::timed_out, "no answer");
            break;
        case Stage::pausing:
            send_probe();
            break;
        case Stage::probing:
            give_up(FailureKind::timed_out,
                    "a set of round trips took more than " + seconds(plan_.timeout + plan_.busy));
            break;
    }
}

// The time for connecting is shared evenly by the addresses that are left.
void ProbeMeasurement::try_address() {
    const auto left = static_cast<std::int64_t>(target_.addresses.size() - address_);
    if (left == 0) {
        give_up(FailureKind::unreachable, "the peer announced no address");
        return;
    }
    const auto address = socket_address(target_.addresses[address_].ip, target_.port);
    socket_ = address ? begin_connect(*address) : FileDescriptor();
    if (!socket_.open()) {
        next_address(FailureKind::unreachable, std::strerror(address ? errno : EINVAL));
        return;
    }
    stage_ = Stage::connecting;
    watch(socket_, true);
    const TimePoint now = ProbeLoop::now();
    address_by_ = now + (connect_by_ - now) / left;
    set_deadline(address_by_);
}

void ProbeMeasurement::next_address(FailureKind kind, const std::string& cause) {
    if (address_ + 1 >= target_.addresses.size()) {
        give_up(kind, cause);
        return;
    }
    unwatch();
    socket_.reset();
    ++address_;
    stage_ = Stage::idle;
    set_deadline(TimePoint());
}

void ProbeMeasurement::connected() {
    const int error = connect_error(socket_);
    if (error != 0) {
        next_address(FailureKind::unreachable, std::strerror(error));
        return;
    }
    hello_ = make_hello(target_.key, keys_, target_.peer, random_bytes(hello_random_size));
    stage_ = Stage::greeting;
    filled_ = 0;
    watch(socket_, false);
    set_deadline(address_by_ + plan_.turn);
    // A new connection's buffer takes the hello whole; if the other side is gone, reading says so.
    ::send(socket_.get(), hello_.data(), hello_.size(), MSG_NOSIGNAL);
}

// Reads no more than `wanted` bytes in all. False: the connection has ended.
bool ProbeMeasurement::fill(std::size_t wanted) {
    const ssize_t got = ::recv(socket_.get(), buffer_.data() + filled_, wanted - filled_, 0);
    if (got > 0) filled_ += static_cast<std::size_t>(got);
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

void ProbeMeasurement::welcomed() {
    if (!fill(welcome_size)) {
        next_address(FailureKind::refused,
                     "it closed the connection: other keys, or no part in this operation");
        return;
    }
    if (filled_ < welcome_size) return;
    const std::string_view welcome(buffer_.data(), welcome_size);
    if (!check_welcome(target_.key, hello_, welcome)) {
        next_address(FailureKind::refused, "who answers there does not hold the host's key");
        return;
    }
    messages_.emplace(target_.key, hello_, welcome);
    set_begun_ = ProbeLoop::now();
    prepare();
    pause(set_begun_);
}

void ProbeMeasurement::pause(TimePoint last) {
    if (plan_.pace == Duration::zero()) return send_probe();
    stage_ = Stage::pausing;
    set_deadline(last + plan_.pace);
}

void ProbeMeasurement::prepare() {
    filled_ = 0;
    request_ = messages_->request(sequence_);
    expected_ = messages_->reply(sequence_);
}

void ProbeMeasurement::send_probe() {
    if (stage_ != Stage::probing) {
        stage_ = Stage::probing;
        set_deadline(set_begun_ + plan_.timeout + plan_.busy + plan_.round_trips * plan_.pace);
    }
    sent_ = ProbeLoop::now();
    ::send(socket_.get(), request_.data(), request_.size(), MSG_NOSIGNAL);  // if it fails, reading says so
    loop().touch(sent_);
}

void ProbeMeasurement::replied() {
    const bool open = fill(expected_.size());
    const TimePoint now = ProbeLoop::now();
    if (!open) {
        give_up(FailureKind::lost, broken);
        return;
    }
    if (filled_ < expected_.size()) return;
    if (!same_secret({buffer_.data(), filled_}, {expected_.data(), expected_.size()})) {
        give_up(FailureKind::refused, "an answer that is not the peer's");
        return;
    }
    const bool set_ended =
        sets_.add(std::min(now - sent_, least_round_trip(socket_.get()).value_or(now - sent_)));
    if (set_ended) {
        probing_ += now - set_begun_;
        next_set();
    } else {
        ++sequence_;
        prepare();
        pause(sent_);
    }
}

void ProbeMeasurement::next_set() {
    if (sets_.complete()) {
        ProbeResult result = sets_.result();
        result.probing = probing_;
        finish(std::move(result));
        return;
    }
    unwatch();
    used_.push_back(std::move(socket_));
    sequence_ = 0;
    connect_by_ = ProbeLoop::now() + plan_.timeout;
    try_address();
}

std::string ProbeMeasurement::where() const {
    if (address_ >= target_.addresses.size()) return "";
    return target_.addresses[address_].ip + " port " + std::to_string(target_.port) + ": ";
}

void ProbeMeasurement::give_up(FailureKind kind, const std::string& cause) {
    finish(Failure{kind, "probe", target_.name, where() + cause});
}

void ProbeMeasurement::finish(Result<ProbeResult> result) {
    const Done done = std::move(done_);
    done(std::move(result));  // may destroy this
}

}  // namespace trellis
