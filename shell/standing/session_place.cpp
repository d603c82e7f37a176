#include "shell/standing/session_place.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace trellis {
namespace {

constexpr std::size_t longest_name = 64;
constexpr int waiting_connections = 128;

Failure refused(std::string cause) {
    return {FailureKind::refused, "", "", std::move(cause)};
}

std::string system_text(int error) {
    return std::strerror(error);
}

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return number_; }
    [[nodiscard]] int release() { return std::exchange(number_, -1); }

  private:
    int number_;
};

// Held by one process at a time, until it is destroyed.
class DirectoryLock {
  public:
    explicit DirectoryLock(const std::string& directory)
        : file_(::open((directory + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
        while (file_.get() >= 0 && ::flock(file_.get(), LOCK_EX) != 0 && errno == EINTR) {
        }
    }
    [[nodiscard]] bool held() const { return file_.get() >= 0; }

  private:
    Descriptor file_;
};

bool is_own_directory(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::getuid();
}

Result<sockaddr_un> address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return refused(path + ": too long for a socket's name; set XDG_RUNTIME_DIR to a shorter directory");
    path.copy(static_cast<char*>(address.sun_path), path.size());
    return address;
}

int new_socket() {
    return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

const sockaddr* generic(const sockaddr_un& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

}  // namespace

bool is_session_name(std::string_view name) {
    const auto alphanumeric = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    return !name.empty() && name.size() <= longest_name && alphanumeric(name[0]) &&
           std::all_of(name.begin(), name.end(),
                       [&](char c) { return alphanumeric(c) || c == '.' || c == '_' || c == '-'; });
}

Result<SessionPlace> SessionPlace::find() {
    const std::string user = std::to_string(::getuid());
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (runtime && *runtime == '/' && is_own_directory(runtime)) return at(std::string(runtime) + "/trellis");
    if (is_own_directory("/run/user/" + user)) return at("/run/user/" + user + "/trellis");
    return at("/tmp/trellis-" + user);
}

Result<SessionPlace> SessionPlace::at(std::string directory) {
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
        return unavailable("cannot make " + directory + ": " + system_text(errno));
    struct stat status {};
    if (::lstat(directory.c_str(), &status) != 0)
        return unavailable("cannot look at " + directory + ": " + system_text(errno));
    const std::string remedy = "; set XDG_RUNTIME_DIR to a directory of your own";
    if (!S_ISDIR(status.st_mode)) return refused(directory + " is no directory" + remedy);
    if (status.st_uid != ::getuid())
        return refused(directory + " belongs to user " + std::to_string(status.st_uid) + remedy);
    if ((status.st_mode & 077) != 0) return refused(directory + " is open to others: chmod 700 " + directory);
    return SessionPlace(std::move(directory));
}

std::string SessionPlace::path(const std::string& name, const char* suffix) const {
    return directory_ + "/" + name + suffix;
}

std::vector<std::string> SessionPlace::names() const {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory_, error))
        if (entry.path().extension() == ".sock") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

bool peer_is_this_user(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::getuid();
}

Result<int> SessionPlace::connect(const std::string& name) const {
    const auto address = address_of(path(name, ".sock"));
    if (!address) return address.error();
    Descriptor socket(new_socket());
    if (socket.get() < 0) return unavailable("no socket: " + system_text(errno));
    if (::connect(socket.get(), generic(*address), sizeof *address) != 0) {
        if (errno == ENOENT || errno == ECONNREFUSED)
            return unavailable("no session is called " + name + " (see trellis session list)");
        if (errno == EAGAIN) return refused("session " + name + " does not answer");
        return refused(path(name, ".sock") + ": " + system_text(errno));
    }
    if (!peer_is_this_user(socket.get())) return refused(path(name, ".sock") + " is another user's");
    return socket.release();
}

Result<int> SessionPlace::listen(const std::string& name) const {
    const std::string file = path(name, ".sock");
    const auto address = address_of(file);
    if (!address) return address.error();
    Descriptor socket(new_socket());
    if (socket.get() < 0) return unavailable("no socket: " + system_text(errno));
    ::unlink(file.c_str());  // of a session that has died
    if (::bind(socket.get(), generic(*address), sizeof *address) != 0 || ::chmod(file.c_str(), 0600) != 0 ||
        ::listen(socket.get(), waiting_connections) != 0)
        return unavailable("cannot listen at " + file + ": " + system_text(errno));
    return socket.release();
}

Result<int> SessionPlace::connect_or_start(const std::string& name, const Start& start) const {
    Result<int> running = connect(name);
    if (running || running.error().kind != FailureKind::unavailable) return running;
    const DirectoryLock lock(directory_);
    if (!lock.held()) return unavailable("cannot lock " + directory_ + "/lock: " + system_text(errno));
    running = connect(name);  // another may have started it meanwhile
    if (running || running.error().kind != FailureKind::unavailable) return running;
    const Result<int> listening = listen(name);
    if (!listening) return listening.error();
    const Descriptor socket(*listening);
    const Result<void> started = start(*listening);
    if (started) return connect(name);
    ::unlink(path(name, ".sock").c_str());
    return started.error();
}

std::uint64_t SessionPlace::identity(const std::string& name) const {
    struct stat status {};
    return ::lstat(path(name, ".sock").c_str(), &status) == 0 ? status.st_ino : 0;
}

void SessionPlace::remove(const std::string& name, std::uint64_t socket,
                          const std::function<void()>& stop) const {
    const DirectoryLock lock(directory_);
    if (identity(name) == socket) ::unlink(path(name, ".sock").c_str());
    stop();
}

}  // namespace trellis
