#include "agentd/os/ssh_login_plan.hpp"

#include <sys/socket.h>

#include <gtest/gtest.h>

namespace trellis {
namespace {

LoginPlan plan_of(const std::string& target, SshSettings settings) {
    SpawnRequest request;
    request.name = request.target = target;
    request.settings = std::move(settings);
    return make_login_plan(request, {"/home/ann", "ann"}).value();
}

TEST(LoginPlan, DefaultsAreThoseOfSsh) {
    const LoginPlan plan = plan_of("A03", {});
    EXPECT_EQ(plan.host, "A03");
    EXPECT_EQ(plan.lookup, "a03");
    EXPECT_EQ(plan.port, 22);
    EXPECT_EQ(plan.user, "ann");
    EXPECT_EQ(plan.identity_files.front(), "/home/ann/.ssh/id_ed25519");
    EXPECT_TRUE(plan.publickey && plan.agent && !plan.identities_only && plan.proxy_command.empty());
}

TEST(LoginPlan, SettingsAreUsed) {
    const LoginPlan plan = plan_of("a03", {{"hostname", {"a03.example"}},
                                           {"user", {"bob"}},
                                           {"port", {"2222"}},
                                           {"addressfamily", {"inet6"}},
                                           {"identitiesonly", {"yes"}},
                                           {"identityfile", {"~/.ssh/k_%r_%h", "/etc/key"}},
                                           {"proxycommand", {"nc %h %p %%"}},
                                           {"ciphers", {"aes128-ctr"}}});
    EXPECT_EQ(plan.lookup, "[a03.example]:2222");
    EXPECT_EQ(plan.user, "bob");
    EXPECT_EQ(plan.family, AF_INET6);
    EXPECT_EQ(plan.identity_files,
              (std::vector<std::string>{"/home/ann/.ssh/k_bob_a03.example", "/etc/key"}));
    EXPECT_EQ(plan.proxy_command, "nc a03.example 2222 %");
    EXPECT_EQ(plan.ciphers, "aes128-ctr");
    EXPECT_TRUE(plan.identities_only);
    EXPECT_EQ(plan_of("carl@a03", {{"user", {"bob"}}, {"hostkeyalias", {"One"}}, {"port", {"7"}}}).lookup,
              "one");
    EXPECT_EQ(plan_of("carl@a03", {{"user", {"bob"}}}).user, "carl");
}

TEST(LoginPlan, AesGcmComesFirstUnlessTheUserHasChosen) {
    EXPECT_EQ(prefer_gcm("chacha20-poly1305@openssh.com,aes128-ctr,aes128-gcm@openssh.com"),
              "aes128-gcm@openssh.com,chacha20-poly1305@openssh.com,aes128-ctr");
    for (const char* chosen : {"", "chacha20-poly1305@openssh.com", "aes256-ctr,aes128-gcm@openssh.com"})
        EXPECT_EQ(prefer_gcm(chosen), chosen);
}

TEST(LoginPlan, TargetsOfEverySpelling) {
    const auto check = [](std::string_view text, const char* user, const char* host, const char* port) {
        const SshTarget target = parse_ssh_target(text);
        EXPECT_EQ(target.user, user) << text;
        EXPECT_EQ(target.host, host) << text;
        EXPECT_EQ(target.port, port) << text;
    };
    check("a", "", "a", "");
    check("u@a:22", "u", "a", "22");
    check("ssh://u@[fe80::1]:2200", "u", "fe80::1", "2200");
    check("fe80::1", "", "fe80::1", "");
    check("u@x@a", "u@x", "a", "");
}

TEST(LoginPlan, ABadPortIsAFailure) {
    SpawnRequest request;
    request.target = "a";
    request.settings = {{"port", {"22x"}}};
    EXPECT_EQ(make_login_plan(request, {}).error().kind, FailureKind::invalid);
}

TEST(LoginPlan, KnownHostKeyTypesComeFirst) {
    EXPECT_EQ(prefer_known("ssh-ed25519,ecdsa-sha2-nistp256,rsa-sha2-512,rsa-sha2-256", {"ssh-rsa"}),
              "rsa-sha2-512,rsa-sha2-256,ssh-ed25519,ecdsa-sha2-nistp256");
    EXPECT_EQ(prefer_known("a,b", {}), "a,b");
    EXPECT_TRUE(prefer_known("", {"ecdsa-sha2-nistp384"}).starts_with("ecdsa-sha2-nistp384,ssh-ed25519"));
}

TEST(LoginPlan, JumpHostsHaveSettingsOfTheirOwn) {
    SpawnRequest request;
    request.target = request.name = "inner";
    request.settings = {{"proxyjump", {"bob@gate:2222,second"}},
                        {"user", {"ann"}},
                        {"jump0 hostname", {"gate.example"}},
                        {"jump1 user", {"carl"}}};
    const std::vector<SpawnRequest> jumps = jump_requests(request);
    ASSERT_EQ(jumps.size(), 2u);
    const LoginPlan gate = make_login_plan(jumps[0], {}).value();
    EXPECT_EQ(gate.user + "@" + gate.host + ":" + std::to_string(gate.port), "bob@gate.example:2222");
    EXPECT_EQ(make_login_plan(jumps[1], {}).value().user, "carl");
    EXPECT_TRUE(jump_requests(jumps[0]).empty());
}

}  // namespace
}  // namespace trellis
