#include "agentd/os/known_hosts.hpp"

#include "agentd/os/ssh_config_groups.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

using Finding = KnownHosts::Finding;

std::string sample_key(char last) {
    return std::string("\0\0\0\x0bssh-ed25519\0\0\0\x20", 19) + std::string(31, 'k') + last;
}

std::string line(const std::string& names, char last, const std::string& marker = "") {
    return marker + names + " ssh-ed25519 " + base64_encode(sample_key(last)) + " comment\n";
}

KnownHosts known(const std::string& text) {
    KnownHosts hosts;
    hosts.add_file("known_hosts", text);
    return hosts;
}

TEST(KnownHosts, FindsTheHostAndNamesTheLine) {
    const auto hosts = known("# comment\n\n" + line("a00,a01", 'x') + line("[a02]:2222", 'y'));
    EXPECT_EQ(hosts.check("a01", sample_key('x')).finding, Finding::known);
    EXPECT_EQ(hosts.check("[a02]:2222", sample_key('y')).line, 4U);
    EXPECT_EQ(hosts.check("a02", sample_key('y')).finding, Finding::unknown);
    const auto changed = hosts.check("a00", sample_key('z'));
    EXPECT_EQ(changed.finding, Finding::changed);
    EXPECT_EQ(changed.line, 3U);
    EXPECT_EQ(changed.path, "known_hosts");
}

TEST(KnownHosts, ARevokedKeyIsRefusedEvenIfItIsAlsoKnown) {
    const auto hosts = known(line("a00", 'x') + line("*", 'x', "@revoked "));
    const auto verdict = hosts.check("a00", sample_key('x'));
    EXPECT_EQ(verdict.finding, Finding::revoked);
    EXPECT_EQ(verdict.line, 2U);
    EXPECT_EQ(hosts.check("a00", sample_key('y')).finding, Finding::changed);
}

TEST(KnownHosts, WildcardsAndNegation) {
    const auto hosts = known(line("*.grid,!bad.grid", 'x'));
    EXPECT_EQ(hosts.check("n1.grid", sample_key('x')).finding, Finding::known);
    EXPECT_EQ(hosts.check("bad.grid", sample_key('x')).finding, Finding::unknown);
}

TEST(KnownHosts, HashedNames) {
    // As ssh-keygen -H writes the name "a00".
    const auto hosts = known(line("|1|1zcNq2nB1BO8jtN22GWRFMM8pbU=|nF0CD4P6zaovV3N9szVTH1AnUek=", 'x'));
    EXPECT_EQ(hosts.check("a00", sample_key('x')).finding, Finding::known);
    EXPECT_EQ(hosts.check("a00", sample_key('y')).finding, Finding::changed);
    EXPECT_EQ(hosts.check("a01", sample_key('x')).finding, Finding::unknown);
}

TEST(KnownHosts, CertificateAuthoritiesAreNamedButNotUsed) {
    const auto hosts = known(line("*", 'x', "@cert-authority "));
    const auto verdict = hosts.check("a00", sample_key('x'));
    EXPECT_EQ(verdict.finding, Finding::unknown);
    EXPECT_TRUE(verdict.certificate_authority);
}

TEST(KnownHosts, MalformedLinesAreSkipped) {
    const auto hosts = known("a00\na00 ssh-ed25519\na00 ssh-ed25519 ???\n@revoked\n" + line("a00", 'x'));
    EXPECT_EQ(hosts.check("a00", sample_key('x')).finding, Finding::known);
}

TEST(KnownHosts, KeyTypeAndFingerprint) {
    EXPECT_EQ(key_type(sample_key('x')), "ssh-ed25519");
    EXPECT_EQ(key_type("\xff\xff\xff\xff"), "");
    EXPECT_TRUE(key_fingerprint(sample_key('x')).starts_with("SHA256:"));
    EXPECT_EQ(base64_decode(base64_encode("ab")), "ab");
}

TEST(SshConfigGroups, HostsThatTheSameLinesApplyToAreOneGroup) {
    SshConfigGroups groups;
    groups.add_text("Host *\n  Compression no\nHost a* !a7\n User x\n");
    EXPECT_EQ(groups.group_of("a1"), groups.group_of("a2"));
    EXPECT_NE(groups.group_of("a1"), groups.group_of("a7"));
    EXPECT_EQ(groups.group_of("a7"), groups.group_of("b1"));
    EXPECT_NE(groups.group_of("a1"), groups.group_of("me@a1"));
}

TEST(SshConfigGroups, MatchLinesMakeEachTargetAGroupOfItsOwn) {
    SshConfigGroups groups;
    groups.add_text("Match exec \"true\"\n User x\n");
    EXPECT_EQ(groups.group_of("a1"), std::nullopt);
}

}  // namespace
}  // namespace trellis
