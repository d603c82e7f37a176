// SessionPlace: the directory where the sockets of a user's sessions lie, NAME.sock for each, and the one
// rule by which sessions are found and started: who holds the directory's lock may start one, so that two who
// start the same session at once get the same one. A value; it neither reads nor writes what goes through
// sockets.
#pragma once

#include "trellis/result.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {

// Letters, digits, . _ and -, at most 64, the first one a letter or digit.
[[nodiscard]] bool is_session_name(std::string_view name);

class SessionPlace {
  public:
    // $XDG_RUNTIME_DIR/trellis if that is the user's own, else /run/user/UID/trellis, else /tmp/trellis-UID;
    // made if need be. Refused if the directory belongs to somebody else or is open to others.
    [[nodiscard]] static Result<SessionPlace> find();
    [[nodiscard]] static Result<SessionPlace> at(std::string directory);

    [[nodiscard]] const std::string& directory() const { return directory_; }
    [[nodiscard]] std::string path(const std::string& name, const char* suffix) const;
    // Of the sockets there, sorted; their sessions may have died.
    [[nodiscard]] std::vector<std::string> names() const;

    // A connected, non-blocking descriptor, to be closed by the caller. Unavailable if no such session runs;
    // refused if what listens there is another user's.
    [[nodiscard]] Result<int> connect(const std::string& name) const;
    // The same, but if no such session runs, `start` is first given a listening descriptor, which stays the
    // caller's, to start one.
    using Start = std::function<Result<void>(int listening)>;
    [[nodiscard]] Result<int> connect_or_start(const std::string& name, const Start& start) const;
    // Tells a socket's file from one that has replaced it; 0 if there is none.
    [[nodiscard]] std::uint64_t identity(const std::string& name) const;
    // Takes away the socket of a session that ends, if it is still this one, while `stop` stops listening.
    void remove(const std::string& name, std::uint64_t socket, const std::function<void()>& stop) const;

  private:
    explicit SessionPlace(std::string directory) : directory_(std::move(directory)) {}
    [[nodiscard]] Result<int> listen(const std::string& name) const;

    std::string directory_;
};

// Whether the other end of a local socket is a process of this user.
[[nodiscard]] bool peer_is_this_user(int socket);

}  // namespace trellis
