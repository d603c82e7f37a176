// SshLogins: logs in to hosts by libssh: connects (directly, through jump hosts, by a ProxyCommand, over a
// given stream), checks the host key with the LoginAuthority, authenticates. Owned by the Spawner.
// Connections to jump hosts are shared by the logins that go through them. It reads no configuration file and
// never prompts.
#pragma once

#include "trellis/spawner.hpp"

#include "agentd/os/children.hpp"
#include "agentd/os/login_gate.hpp"
#include "agentd/os/spawn_progress.hpp"
#include "agentd/os/ssh_connection.hpp"

#include <map>
#include <memory>
#include <string>

namespace trellis {

class SshLogins {
  public:
    // `own_agent`: the ssh-agent may always be asked, else only for requests with forward_agent.
    SshLogins(const Executor& executor, Children& children, bool own_agent)
        : executor_(executor), children_(children), gate_(executor), own_agent_(own_agent) {}

    // The connection, authenticated and pumping. An sshd that drops the connection during the handshake
    // (MaxStartups) is tried again with growing pauses until the deadline; a given `transport` once.
    Task<Result<std::shared_ptr<SshConnection>>> log_in(SpawnRequest request, LoginAuthority& authority,
                                                        std::unique_ptr<ByteStream> transport,
                                                        SpawnProgress& progress);

  private:
    using Connection = std::shared_ptr<SshConnection>;
    struct Jump {
        explicit Jump(const Executor& executor) : changed(executor) {}
        std::weak_ptr<SshConnection> connection;
        bool busy = false;
        Wakeup changed;
    };
    // While one login to a jump host is under way.
    class Busy {
      public:
        explicit Busy(Jump& jump) : jump_(jump) { jump_.busy = true; }
        Busy(const Busy&) = delete;
        Busy& operator=(const Busy&) = delete;
        ~Busy() {
            jump_.busy = false;
            jump_.changed.notify();
        }

      private:
        Jump& jump_;
    };
    struct Wire {
        FileDescriptor socket;
        std::unique_ptr<Child> helper;
    };

    Task<Result<Connection>> attempt(const SpawnRequest& request, const LoginPlan& plan,
                                     LoginAuthority& authority, std::unique_ptr<ByteStream> transport,
                                     SpawnProgress& progress);
    Task<Result<Connection>> handshake(Wire wire, const SpawnRequest& request, const LoginPlan& plan,
                                       LoginAuthority& authority);
    Task<Result<Wire>> open_wire(const SpawnRequest& request, const LoginPlan& plan,
                                 LoginAuthority& authority, SpawnProgress& progress);
    Result<Wire> run_proxy(const std::string& command);
    Task<Result<Wire>> wire_through(Connection jump, const LoginPlan& plan);
    Task<Result<Connection>> jump_to(std::vector<SpawnRequest> jumps, LoginAuthority& authority,
                                     SpawnProgress& progress);

    Executor executor_;
    Children& children_;
    LoginGate gate_;
    bool own_agent_;
    std::map<std::string, std::shared_ptr<Jump>> jumps_;
};

}  // namespace trellis
