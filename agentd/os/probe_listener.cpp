#include "agentd/os/probe_listener.hpp"

#include "agentd/core/probe_message.hpp"
#include "agentd/os/round_trip_clock.hpp"
#include "agentd/os/stranger_report.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <sys/socket.h>

namespace trellis {

// One listening socket.
class ProbeListener::Door : public ProbeLoop::Handler {
  public:
    Door(ProbeListener& listener, FileDescriptor socket)
        : Handler(listener.loop_), listener_(listener), socket_(std::move(socket)) {
        watch(socket_, false);
    }
    ~Door() override { unwatch(); }

  private:
    void ready() override {
        for (int i = 0; i < 16; ++i) {
            FileDescriptor guest = accept_from(socket_);
            if (!guest.open()) {
                if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) pause();
                return;
            }
            listener_.admit(std::move(guest));
        }
    }
    // No descriptors left: whoever waits keeps waiting.
    void pause() {
        unwatch();
        set_deadline(ProbeLoop::now() + std::chrono::milliseconds(100));
    }
    void expired() override { watch(socket_, false); }

    ProbeListener& listener_;
    FileDescriptor socket_;
};

// One accepted connection: first the hello, then, once it is welcome, probes.
class ProbeListener::Guest final : public ProbeLoop::Handler, public ProbeReception::Guest {
  public:
    Guest(ProbeListener& listener, FileDescriptor socket)
        : Handler(listener.loop_), listener_(listener), socket_(std::move(socket)) {
        watch(socket_, false);
        set_deadline(ProbeLoop::now() + proof_time);
    }
    ~Guest() override { unwatch(); }

    [[nodiscard]] bool proven() const { return greeted_.has_value(); }
    [[nodiscard]] std::string address() const { return peer_address(socket_); }

    // Once its hello is there. False: it is no participant, and will not be.
    bool prove() {
        greeted_ = listener_.gate_.check(hello_);
        if (!greeted_) return listener_.gate_.from_unknown(hello_) && wait_for_introduction();
        set_deadline(ProbeLoop::now() + idle_time);
        listener_.move(*this, listener_.proven_);
        listener_.reception_.arrived(*this);
        return true;
    }

  private:
    static constexpr std::chrono::seconds idle_time{30};  // after that the peer is gone
    static constexpr std::chrono::seconds introduction_time{10};

    void ready() override {
        const bool keep = messages_ ? answer() : hello_.empty() ? greet() : wait_on();
        if (!keep) listener_.remove(*this);
    }

    [[nodiscard]] HostId peer() const override { return greeted_->peer; }
    void dismiss() override { listener_.remove(*this); }
    // If it cannot be sent, reading says so.
    void welcome() override {
        const std::string welcome = make_welcome(greeted_->key, hello_, random_bytes(welcome_random_size));
        messages_.emplace(greeted_->key, hello_, welcome);
        prepare();
        last_probe_ = ProbeLoop::now();
        ::send(socket_.get(), welcome.data(), welcome.size(), MSG_NOSIGNAL);
        acknowledge_at_once(socket_.get());
    }

    void expired() override {
        const TimePoint end = last_probe_ + idle_time;
        if (!proven() || (messages_ && end <= ProbeLoop::now())) {
            listener_.remove(*this);
        } else {
            set_deadline(std::max(end, ProbeLoop::now() + std::chrono::seconds(1)));
        }
    }

    // Reads no more than the `wanted` bytes. False: the connection has ended.
    bool fill(std::size_t wanted) {
        const ssize_t got = ::recv(socket_.get(), buffer_.data() + filled_, wanted - filled_, 0);
        if (got > 0) filled_ += static_cast<std::size_t>(got);
        return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
    }

    bool send_all(const char* bytes, std::size_t size) {
        return ::send(socket_.get(), bytes, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
    }

    bool greet() {
        if (!fill(hello_size)) return false;
        if (filled_ < hello_size) return true;
        hello_.assign(buffer_.data(), hello_size);
        return prove();
    }

    bool wait_for_introduction() {
        if (waits_) return true;
        waits_ = true;
        set_deadline(ProbeLoop::now() + introduction_time);
        listener_.move(*this, listener_.unknown_);
        return true;
    }

    // Who waits says nothing. It waits as long as it likes.
    bool wait_on() {
        filled_ = 0;
        return fill(1) && filled_ == 0;
    }

    bool answer() {
        if (!fill(expected_.size())) return false;
        if (filled_ < expected_.size()) return true;
        if (!same_secret({buffer_.data(), filled_}, {expected_.data(), expected_.size()})) return false;
        if (!send_all(reply_.data(), reply_.size())) return false;
        acknowledge_at_once(socket_.get());
        last_probe_ = ProbeLoop::now();
        loop().touch(last_probe_);
        ++sequence_;
        prepare();
        return true;
    }

    // Outside the round trip: the next probe as it must come, and the answer to it.
    void prepare() {
        filled_ = 0;
        expected_ = messages_->request(sequence_);
        reply_ = messages_->reply(sequence_);
    }

    ProbeListener& listener_;
    FileDescriptor socket_;
    std::array<char, hello_size> buffer_{};
    std::size_t filled_ = 0;
    std::string hello_;
    bool waits_ = false;  // to be introduced
    std::optional<HelloGate::Greeted> greeted_;
    std::optional<ProbeMessages> messages_;  // once it is welcomed
    std::uint64_t sequence_ = 0;
    ProbeMessage expected_{};
    ProbeMessage reply_{};
    TimePoint last_probe_{};
};

ProbeListener::ProbeListener(ProbeLoop& loop, PairKeys& keys, std::vector<FileDescriptor> sockets,
                             std::function<void(std::string)> on_stranger)
    : loop_(loop), gate_(keys), on_stranger_(std::move(on_stranger)) {
    for (FileDescriptor& socket : sockets)
        doors_.push_back(std::make_unique<Door>(*this, std::move(socket)));
}

ProbeListener::~ProbeListener() = default;

void ProbeListener::admit(FileDescriptor socket) {
    if (unproven_.size() >= max_unproven) remove(*unproven_.front());
    unproven_.push_back(std::make_unique<Guest>(*this, std::move(socket)));
}

void ProbeListener::move(Guest& guest, Guests& to) {
    const auto is_guest = [&](const auto& one) { return one.get() == &guest; };
    for (Guests* from : {&unproven_, &unknown_})
        if (const auto at = std::find_if(from->begin(), from->end(), is_guest); at != from->end()) {
            to.splice(to.end(), *from, at);
            break;
        }
    if (to.size() > most_guests) remove(*to.front());
}

void ProbeListener::introduced() {
    std::vector<Guest*> waiting;
    for (const auto& guest : unknown_)
        waiting.push_back(guest.get());
    for (Guest* guest : waiting)
        if (!guest->prove()) remove(*guest);
}

void ProbeListener::remove(Guest& guest) {
    if (!guest.proven()) on_stranger_(guest.address());
    if (guest.proven()) reception_.left(guest);
    const auto is_guest = [&](const auto& one) { return one.get() == &guest; };
    for (Guests* guests : {&unproven_, &unknown_, &proven_})
        guests->remove_if(is_guest);
}

}  // namespace trellis
