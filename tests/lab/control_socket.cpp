#include "tests/lab/control_socket.hpp"

#include "tests/lab/lab_error.hpp"

#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <vector>

namespace trellis::lab {
namespace {

constexpr std::size_t longest_message = 1 << 20;
constexpr timeval patience{180, 0};

UniqueFd make_socket() {
    return UniqueFd(checked(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), "socket"));
}

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) throw LabError("path too long: " + path);
    path.copy(address.sun_path, path.size());
    return address;
}

// A message of one text and at most one descriptor.
struct Envelope {
    explicit Envelope(std::string& text) : part{text.data(), text.size()} {
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        header.msg_control = space;
        header.msg_controllen = sizeof space;
    }
    iovec part;
    alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
    msghdr header{};
};

void send_answer(int fd, const Answer& answer) {
    std::string text = (answer.good ? "+" : "-") + answer.text;
    Envelope envelope(text);
    if (answer.pass < 0) {
        envelope.header.msg_controllen = 0;
    } else {
        cmsghdr* control = CMSG_FIRSTHDR(&envelope.header);
        control->cmsg_level = SOL_SOCKET;
        control->cmsg_type = SCM_RIGHTS;
        control->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(control), &answer.pass, sizeof(int));
    }
    sendmsg(fd, &envelope.header, MSG_NOSIGNAL);
}

Answer receive_answer(int fd) {
    std::string text(longest_message, '\0');
    Envelope envelope(text);
    ssize_t size = recvmsg(fd, &envelope.header, MSG_CMSG_CLOEXEC);
    if (size <= 0) throw LabError("the laboratory did not answer; see its log");
    Answer answer{text[0] == '+', text.substr(1, static_cast<std::size_t>(size) - 1)};
    cmsghdr* control = CMSG_FIRSTHDR(&envelope.header);
    if (control != nullptr && control->cmsg_type == SCM_RIGHTS) {
        int passed = -1;
        std::memcpy(&passed, CMSG_DATA(control), sizeof passed);
        answer.passed.reset(passed);
    }
    return answer;
}

}  // namespace

UniqueFd listen_at(const std::string& path) {
    UniqueFd fd = make_socket();
    auto address = address_of(path);
    checked(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), "bind " + path);
    checked(listen(fd.get(), 64), "listen at " + path);
    return fd;
}

void serve_one(int listener, const std::function<Answer(const std::string&)>& handle) {
    UniqueFd fd(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    if (!fd) return;
    constexpr timeval request_patience{1, 0};  // a client that says nothing must not stop the network
    int room = longest_message;
    setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &request_patience, sizeof request_patience);
    setsockopt(fd.get(), SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room);
    char text[4096];
    ssize_t size = recv(fd.get(), text, sizeof text, 0);
    if (size <= 0) return;
    send_answer(fd.get(), handle(std::string(text, static_cast<std::size_t>(size))));
}

Answer ask(const std::string& path, const std::string& request) {
    UniqueFd fd = make_socket();
    auto address = address_of(path);
    setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    checked(connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), "connect to " + path);
    checked(send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL), "send to " + path);
    return receive_answer(fd.get());
}

}  // namespace trellis::lab
