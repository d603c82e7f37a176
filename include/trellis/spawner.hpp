// Spawner: the seam that starts an agent on another host and returns the link to it.
// The root and every agent has one; the ways are libssh, the ssh program, or a local process.
#pragma once

#include "trellis/byte_stream.hpp"
#include "trellis/host.hpp"
#include "trellis/link.hpp"
#include "trellis/result.hpp"
#include "trellis/task.hpp"
#include "trellis/time.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trellis {

enum class SpawnWay : std::uint8_t { libssh, ssh_program, local };

// Settings of one ssh target as `ssh -G` prints them (lower-case keyword, values in order), so that an agent
// far from the user's configuration logs in as the user would.
using SshSettings = std::map<std::string, std::vector<std::string>>;

struct SpawnRequest {
    HostId id{};
    std::string name;    // as the user wrote it
    std::string target;  // what ssh is given: [user@]host; equals name unless a rule says otherwise
    SpawnWay way = SpawnWay::libssh;
    SshSettings settings;
    Duration timeout{};           // for the whole login and start
    Duration connect_timeout{};   // for the connection to sshd alone; zero: no limit of its own
    bool forward_agent = false;   // signatures by the root's ssh-agent may be asked for
    std::string agent_directory;  // where the agent's file is kept; empty: searched
    std::string door;             // not empty: no new agent; the link to the one that waits behind this door
    template <class Archive>
    void serialize(Archive& archive) {
        archive(id, name, target, way, settings, timeout, connect_timeout, forward_agent, agent_directory,
                door);
    }
};

// What a login may have to ask of the place where the user sits. Owned by the caller of spawn().
class LoginAuthority {
  public:
    virtual ~LoginAuthority() = default;
    // Is this host key (SSH wire format) the one known for the host? `lookup` is the name and port as in
    // known_hosts
    // ("host" or "[host]:port"). A Failure of kind refused names the reason and the line of the file.
    virtual Task<Result<void>> check_host_key(const SpawnRequest& request, std::string lookup,
                                              std::string key) = 0;
    // One request of the ssh-agent protocol and its reply (both without the length prefix).
    virtual Task<Result<std::string>> ask_agent(std::string request) = 0;
    // The form of trellis's agent that runs on any host, as it is sent: at most 64 KiB of it from this byte
    // on, empty at its end. Failure of kind cannot_start: there is none.
    virtual Task<Result<std::string>> full_agent(std::uint64_t from) = 0;
};

class Spawner {
  public:
    virtual ~Spawner() = default;
    // Logs in, starts the agent and returns the link to it, before any frame has passed.
    // `transport`: if not null, the connection to the host's sshd, already made (an end-to-end login through
    // a relay). Failures: unreachable, timed_out, refused, cannot_start, lost (the connection was dropped in
    // the login, as by an sshd that has too many); never waits longer than request.timeout for the login, nor
    // for a step of starting the agent (twenty times as long in all).
    virtual Task<Result<std::unique_ptr<Link>>> spawn(SpawnRequest request, LoginAuthority& authority,
                                                      std::unique_ptr<ByteStream> transport) = 0;
};

}  // namespace trellis
