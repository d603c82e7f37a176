#include "agentd/os/ssh_authentication.hpp"

#include "agentd/os/agent_identities.hpp"
#include "agentd/os/agent_signing.hpp"
#include "agentd/os/known_hosts.hpp"

#include <fstream>
#include <unistd.h>
#include <vector>

namespace trellis {

namespace {

using Key = std::unique_ptr<ssh_key_struct, decltype(&ssh_key_free)>;

std::string base_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

// What the user is told when nothing has worked.
class Attempts {
  public:
    void add(const std::string& what) { tried_ += (tried_.empty() ? "" : ", ") + what; }
    [[nodiscard]] Failure refused(const std::string& why) const {
        const std::string tried = tried_.empty() ? "no key to try" : "tried publickey " + tried_;
        return Failure{FailureKind::refused, "log in", "",
                       "authentication (" + tried + (why.empty() ? "" : "; " + why) + ")"};
    }
    [[nodiscard]] bool empty() const { return tried_.empty(); }

  private:
    std::string tried_;
};

// What the other side would accept; known once it has refused something.
unsigned methods_of(ssh_session session) {
    return static_cast<unsigned>(ssh_userauth_list(session, nullptr));
}

std::string offered(unsigned methods) {
    std::string names;
    const auto add = [&](unsigned method, const char* name) {
        if ((methods & method) != 0) names += (names.empty() ? "" : ", ") + std::string(name);
    };
    add(SSH_AUTH_METHOD_PASSWORD, "password");
    add(SSH_AUTH_METHOD_INTERACTIVE, "keyboard-interactive");
    add(SSH_AUTH_METHOD_HOSTBASED, "hostbased");
    add(SSH_AUTH_METHOD_GSSAPI_MIC, "gssapi-with-mic");
    return "the host offers " + (names.empty() ? "nothing else" : names);
}

// The public key beside an identity file; empty if there is none.
std::string public_part(const std::string& file) {
    std::ifstream text(file + ".pub");
    std::string type, key;
    if (!(text >> type >> key)) return "";
    return base64_decode(key);
}

class Authentication {
  public:
    Authentication(std::shared_ptr<SshConnection> connection, const LoginPlan& plan,
                   LoginAuthority& authority)
        : connection_(std::move(connection)), plan_(plan), authority_(authority) {}

    Task<Result<void>> run(bool may_ask_agent) {
        const ssh_session session = connection_->session();
        const auto none = [session] { return ssh_userauth_none(session, nullptr); };
        int outcome = co_await connection_->repeat(none, SSH_AUTH_AGAIN);
        if (outcome == SSH_AUTH_SUCCESS) co_return Result<void>();
        if (outcome == SSH_AUTH_ERROR) co_return broken();
        const unsigned methods = methods_of(session);
        if ((methods & SSH_AUTH_METHOD_PUBLICKEY) == 0 || !plan_.publickey)
            co_return attempts_.refused(offered(methods));
        if (may_ask_agent && plan_.agent) outcome = co_await try_agent();
        for (std::size_t i = 0; i < plan_.identity_files.size() && open(outcome); ++i)
            outcome = co_await try_file(plan_.identity_files[i]);
        if (outcome == SSH_AUTH_SUCCESS) co_return Result<void>();
        if (outcome == SSH_AUTH_ERROR) co_return broken();
        if (outcome == SSH_AUTH_PARTIAL)
            co_return attempts_.refused("the host demands more: " + offered(methods_of(session)));
        co_return attempts_.refused(offered(methods));
    }

  private:
    // Whether a further attempt makes sense.
    static bool open(int outcome) { return outcome == SSH_AUTH_DENIED; }

    [[nodiscard]] Failure broken() const {
        if (!attempts_.empty()) return attempts_.refused(connection_->error());
        return Failure{FailureKind::lost, "log in", "", connection_->error()};
    }

    Task<int> try_agent() {
        std::string request(1, agent_request_identities);
        const Result<std::string> answer = co_await authority_.ask_agent(std::move(request));
        if (!answer) co_return SSH_AUTH_DENIED;
        Result<std::vector<AgentIdentity>> identities = parse_identities(*answer);
        if (!identities) co_return SSH_AUTH_DENIED;
        std::vector<std::string> configured;
        for (const std::string& file : plan_.identity_files)
            configured.push_back(public_part(file));
        const std::vector<AgentIdentity> chosen =
            choose_identities(std::move(*identities), configured, plan_.identities_only);
        if (chosen.empty()) co_return SSH_AUTH_DENIED;
        for (const AgentIdentity& identity : chosen)
            attempts_.add(identity.comment + " (agent)");
        co_return co_await authenticate_by_agent(connection_, chosen, authority_);
    }

    Task<int> try_file(std::string file) {
        if (::access(file.c_str(), F_OK) != 0) co_return SSH_AUTH_DENIED;
        ssh_key raw = nullptr;
        const int imported = ssh_pki_import_privkey_file(file.c_str(), nullptr, nullptr, nullptr, &raw);
        const Key key(raw, &ssh_key_free);
        if (imported != SSH_OK) {
            const bool readable = ::access(file.c_str(), R_OK) == 0;
            attempts_.add(base_name(file) + (readable ? " (needs a passphrase)" : " (not readable)"));
            co_return SSH_AUTH_DENIED;
        }
        attempts_.add(base_name(file));
        const auto step = [session = connection_->session(), key = key.get()] {
            return ssh_userauth_publickey(session, nullptr, key);
        };
        co_return co_await connection_->repeat(step, SSH_AUTH_AGAIN);
    }

    std::shared_ptr<SshConnection> connection_;
    const LoginPlan& plan_;
    LoginAuthority& authority_;
    Attempts attempts_;
};

}  // namespace

Task<Result<void>> authenticate(std::shared_ptr<SshConnection> connection, const LoginPlan& plan,
                                LoginAuthority& authority, bool may_ask_agent) {
    Authentication authentication(std::move(connection), plan, authority);
    co_return co_await authentication.run(may_ask_agent);
}

}  // namespace trellis
