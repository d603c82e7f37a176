#include "agentd/os/agent_identities.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

using namespace std::string_literals;

AgentIdentity identity(const std::string& type, const std::string& rest) {
    return {"\0\0\0"s + static_cast<char>(type.size()) + type + rest, rest};
}

TEST(AgentIdentities, SurviveTheProtocol) {
    const std::vector<AgentIdentity> all{identity("ssh-rsa", "one"), identity("ssh-ed25519", "")};
    EXPECT_EQ(parse_identities(format_identities(all)).value(), all);
    EXPECT_TRUE(parse_identities(format_identities({}))->empty());
}

TEST(AgentIdentities, MalformedAnswersAreFailures) {
    const std::string good = format_identities({identity("ssh-rsa", "one")});
    for (std::size_t size = 0; size < good.size(); ++size)
        EXPECT_FALSE(parse_identities(good.substr(0, size)).has_value()) << size;
    EXPECT_FALSE(parse_identities("\x0c\xff\xff\xff\xff"s).has_value());
    EXPECT_FALSE(parse_identities(std::string(1, agent_failure)).has_value());
}

TEST(AgentIdentities, ConfiguredKeysComeFirstAndStrangeOnesNever) {
    const AgentIdentity one = identity("ssh-rsa", "one");
    const AgentIdentity two = identity("ssh-ed25519", "two");
    const AgentIdentity strange = identity("ssh-dss", "three");
    const std::vector<AgentIdentity> all{one, strange, two};
    EXPECT_EQ(choose_identities(all, {}, false), (std::vector<AgentIdentity>{one, two}));
    EXPECT_EQ(choose_identities(all, {two.key}, false), (std::vector<AgentIdentity>{two, one}));
    EXPECT_EQ(choose_identities(all, {two.key}, true), (std::vector<AgentIdentity>{two}));
    EXPECT_TRUE(choose_identities(all, {}, true).empty());
}

}  // namespace
}  // namespace trellis
