#include "agentd/os/user_authority.hpp"

#include "agentd/os/os_processes.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace trellis {
namespace {

class UserAuthorityTest : public testing::Test {
  public:
    UserAuthorityTest() {
        std::string pattern = "/tmp/trellis-authority-XXXXXX";
        directory = ::mkdtemp(pattern.data());
        std::ofstream(directory + "/config") << "Host inner*\n ProxyJump second\n"
                                                "Host second\n ProxyJump bob@gate.example:2200\n User carl\n"
                                                "Host *\n UserKnownHostsFile "
                                             << directory << "/known_hosts\n";
        make_key("known");
        make_key("other");
    }
    ~UserAuthorityTest() override {
        std::error_code ignored;  // a file may be going away by itself
        std::filesystem::remove_all(directory, ignored);
    }

    void make_key(const std::string& name) const {
        const std::string command =
            "ssh-keygen -q -t ed25519 -N '' -C " + name + " -f " + directory + "/" + name;
        if (std::system(command.c_str()) != 0) throw std::runtime_error(command);
    }
    [[nodiscard]] std::string key_text(const std::string& name) const {
        std::ifstream file(directory + "/" + name + ".pub");
        std::string type, text;
        file >> type >> text;
        return text;
    }
    void know(const std::string& line) const {
        std::ofstream(directory + "/known_hosts", std::ios::app) << line << '\n';
    }
    template <class T>
    T run(Task<T> task) {
        std::optional<T> result;
        asio::co_spawn(context, std::move(task), [&](const std::exception_ptr& error, T value) {
            context.stop();
            if (error) std::rethrow_exception(error);
            result = std::move(value);
        });
        context.restart();
        context.run();
        return std::move(*result);
    }
    SshSettings settings_of(const std::string& target) { return run(authority().settings(target)).value(); }
    std::string check(const std::string& name, const std::string& strict) {
        SpawnRequest request;
        request.name = request.target = "a03";
        request.settings = {{"userknownhostsfile", {directory + "/known_hosts"}},
                            {"stricthostkeychecking", {strict}}};
        const Result<void> checked =
            run(authority().check_host_key(request, "a03", base64_decode(key_text(name))));
        return checked ? "" : checked.error().cause;
    }
    UserAuthority& authority() {
        if (!authority_)
            authority_ =
                std::make_unique<UserAuthority>(context.get_executor(), processes, TRELLIS_ECHO_AGENT,
                                                std::vector<std::string>{"-F", directory + "/config"});
        return *authority_;
    }

    std::string directory;
    asio::io_context context{1};
    OsProcesses processes{context.get_executor()};
    std::unique_ptr<UserAuthority> authority_;
};

TEST_F(UserAuthorityTest, OneFormOfTheAgentHasNoOther) {
    const Result<std::string> full = run(authority().full_agent(0));
    EXPECT_EQ(full.error().kind, FailureKind::cannot_start);
}

TEST_F(UserAuthorityTest, SettingsAreThoseOfSsh) {
    SshSettings settings = settings_of("bob@plain");
    EXPECT_EQ(settings["user"].front(), "bob");
    EXPECT_EQ(settings["hostname"].front(), "plain");
    EXPECT_EQ(settings["userknownhostsfile"].front(), directory + "/known_hosts");
}

TEST_F(UserAuthorityTest, JumpHostsComeWithTheirSettingsAndThoseBeforeThem) {
    SshSettings settings = settings_of("inner1");
    EXPECT_EQ(settings["proxyjump"].front(), "bob@gate.example:2200,second");
    EXPECT_EQ(settings["jump0 hostname"].front(), "gate.example");
    EXPECT_EQ(settings["jump0 port"].front(), "2200");
    EXPECT_EQ(settings["jump0 user"].front(), "bob");
    EXPECT_EQ(settings["jump1 user"].front(), "carl");
}

TEST_F(UserAuthorityTest, HostsAreTreatedAlikeAsTheGivenFileSays) {
    EXPECT_EQ(settings_of("plain").count("proxyjump"), 0U);
    EXPECT_EQ(settings_of("inner1")["jump1 hostname"].front(), "second");
    EXPECT_EQ(settings_of("other").count("proxyjump"), 0U);
    EXPECT_EQ(settings_of("inner2")["hostname"].front(), "inner2");
}

TEST_F(UserAuthorityTest, TheTypesOfKnownKeysAreSaid) {
    know("a03 ssh-ed25519 " + key_text("known"));
    EXPECT_EQ(settings_of("A03")["knownhostkeytypes"], std::vector<std::string>{"ssh-ed25519"});
    EXPECT_TRUE(settings_of("a04")["knownhostkeytypes"].empty());
}

TEST_F(UserAuthorityTest, HostKeysAreKnownChangedRevokedOrUnknown) {
    EXPECT_EQ(check("known", "ask").find("host key unknown: ssh-ed25519 SHA256:"), 0u);
    know("# a comment");
    know("a03 ssh-ed25519 " + key_text("known"));
    authority_.reset();
    EXPECT_EQ(check("known", "yes"), "");
    EXPECT_EQ(check("other", "ask").find("host key changed: "), 0u);
    EXPECT_NE(check("other", "ask").find("/known_hosts line 2)"), std::string::npos);
    know("@revoked * ssh-ed25519 " + key_text("known"));
    authority_.reset();
    EXPECT_EQ(check("known", "ask"), "host key revoked (" + directory + "/known_hosts line 3)");
}

TEST_F(UserAuthorityTest, AcceptNewWritesTheKeyDown) {
    EXPECT_EQ(check("known", "accept-new"), "");
    EXPECT_EQ(check("known", "yes"), "");
    EXPECT_EQ(check("other", "accept-new").find("host key changed"), 0u);
}

}  // namespace
}  // namespace trellis
