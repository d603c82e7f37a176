#include "agentd/core/pair_key.hpp"

#include "agentd/core/pair_hello.hpp"
#include "agentd/core/probe_message.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace trellis {
namespace {

// Two agents of one operation, each with its own view of the session.
struct PairOfAgents {
    std::shared_ptr<SessionKey> key_a = std::make_shared<SessionKey>();
    std::shared_ptr<SessionKey> key_b = std::make_shared<SessionKey>();
    PeerSession a;
    PeerSession b;

    PairOfAgents() {
        a.operation = OperationId{5};
        a.nonce = std::string(session_nonce_size, 'n');
        a.self = HostId{1};
        a.participants.resize(2);
        a.participants[0].id = HostId{1};
        a.participants[0].key = key_a->public_key();
        a.participants[1].id = HostId{2};
        a.participants[1].name = "b";
        a.participants[1].key = key_b->public_key();
        b = a;
        b.self = HostId{2};
    }
};

TEST(PairKey, BothEndsDeriveTheSame) {
    const PairOfAgents pair;
    const auto at_a = pair.key_a->pair_key(pair.a, HostId{2}, PairPurpose::probe);
    const auto at_b = pair.key_b->pair_key(pair.b, HostId{1}, PairPurpose::probe);
    ASSERT_TRUE(at_a);
    ASSERT_TRUE(at_b);
    EXPECT_TRUE(*at_a == *at_b);
}

TEST(PairKey, DependsOnPurposeNonceOperationAndKeys) {
    PairOfAgents pair;
    const SecretKey key = *pair.key_a->pair_key(pair.a, HostId{2}, PairPurpose::probe);
    EXPECT_FALSE(key == *pair.key_a->pair_key(pair.a, HostId{2}, PairPurpose::stream));
    PeerSession other = pair.a;
    other.nonce[0] = 'm';
    EXPECT_FALSE(key == *pair.key_a->pair_key(other, HostId{2}, PairPurpose::probe));
    other = pair.a;
    other.operation = OperationId{6};
    EXPECT_FALSE(key == *pair.key_a->pair_key(other, HostId{2}, PairPurpose::probe));
    other = pair.a;
    other.participants[1].key = SessionKey().public_key();
    EXPECT_FALSE(key == *pair.key_a->pair_key(other, HostId{2}, PairPurpose::probe));
}

TEST(PairKey, WhoIsIntroducedIsAParticipant) {
    PairOfAgents pair;
    const std::vector<Host> others{pair.a.participants[1]};
    PeerSession alone = pair.a;
    alone.participants.resize(1);
    PairKeys keys(pair.key_a, alone, PairPurpose::probe);
    EXPECT_FALSE(keys.of(HostId{2}));
    keys.introduce(others);
    ASSERT_TRUE(keys.of(HostId{2}));
    EXPECT_TRUE(*keys.of(HostId{2}) == *pair.key_b->pair_key(pair.b, HostId{1}, PairPurpose::probe));
    Host restarted = others.front();
    restarted.key = SessionKey().public_key();
    keys.introduce({restarted});
    EXPECT_FALSE(*keys.of(HostId{2}) == *pair.key_b->pair_key(pair.b, HostId{1}, PairPurpose::probe));
}

TEST(PairKey, BadInputsAreFailures) {
    PairOfAgents pair;
    EXPECT_FALSE(pair.key_a->pair_key(pair.a, HostId{9}, PairPurpose::probe));
    EXPECT_FALSE(pair.key_a->pair_key(pair.a, HostId{1}, PairPurpose::probe));
    PeerSession other = pair.a;
    other.nonce = "short";
    EXPECT_FALSE(pair.key_a->pair_key(other, HostId{2}, PairPurpose::probe));
    other = pair.a;
    other.participants[1].key = "short";
    EXPECT_FALSE(pair.key_a->pair_key(other, HostId{2}, PairPurpose::probe));
    other.participants[1].key = std::string(32, '\0');  // of low order
    const auto weak = pair.key_a->pair_key(other, HostId{2}, PairPurpose::probe);
    ASSERT_FALSE(weak);
    EXPECT_EQ(weak.error().message(), "b: derive the key of a pair: unusable public key");
}

struct Gates : PairOfAgents {
    PairKeys keys_a{key_a, a, PairPurpose::probe};
    PairKeys keys_b{key_b, b, PairPurpose::probe};
    HelloGate gate_a{keys_a};
    HelloGate gate_b{keys_b};
    std::string random = std::string(hello_random_size, 'r');
    std::string hello = make_hello(*keys_a.of(HostId{2}), keys_a, HostId{2}, random);
};

TEST(PairHello, AGenuineOneNamesThePeer) {
    Gates gates;
    const auto greeted = gates.gate_b.check(gates.hello);
    ASSERT_TRUE(greeted);
    EXPECT_EQ(greeted->peer, HostId{1});
    EXPECT_EQ(greeted->random, gates.random);
    EXPECT_TRUE(greeted->key == *gates.keys_a.of(HostId{2}));
}

TEST(PairHello, EveryChangedByteIsRefused) {
    Gates gates;
    for (std::size_t at = 0; at < gates.hello.size(); ++at) {
        std::string changed = gates.hello;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        EXPECT_FALSE(gates.gate_b.check(changed)) << at;
    }
    EXPECT_FALSE(gates.gate_b.check(gates.hello + "x"));
    EXPECT_FALSE(gates.gate_b.check(""));
    EXPECT_TRUE(gates.gate_b.check(gates.hello));
}

TEST(PairHello, ReplayAndReflectionAreRefused) {
    Gates gates;
    ASSERT_TRUE(gates.gate_b.check(gates.hello));
    EXPECT_FALSE(gates.gate_b.check(gates.hello));
    EXPECT_FALSE(gates.gate_a.check(gates.hello));
}

TEST(PairHello, AnotherPurposeIsRefused) {
    Gates gates;
    PairKeys streams{gates.key_b, gates.b, PairPurpose::stream};
    HelloGate gate(streams);
    EXPECT_FALSE(gate.check(gates.hello));
}

TEST(ProbeMessage, WelcomeProvesTheListener) {
    Gates gates;
    const SecretKey key = *gates.keys_b.of(HostId{1});
    const std::string welcome = make_welcome(key, gates.hello, std::string(welcome_random_size, 'w'));
    EXPECT_EQ(welcome.size(), welcome_size);
    EXPECT_TRUE(check_welcome(key, gates.hello, welcome));
    std::string other = gates.hello;
    other[30] = static_cast<char>(other[30] ^ 1);
    EXPECT_FALSE(check_welcome(key, other, welcome));
    EXPECT_FALSE(check_welcome(SecretKey(), gates.hello, welcome));
}

TEST(ProbeMessage, SequenceDirectionAndConnectionAllCount) {
    Gates gates;
    const SecretKey key = *gates.keys_b.of(HostId{1});
    ProbeMessages at_a(key, gates.hello, "welcome");
    ProbeMessages at_b(key, gates.hello, "welcome");
    ProbeMessages other(key, gates.hello, "another");
    EXPECT_EQ(at_a.request(3), at_b.request(3));
    EXPECT_EQ(at_a.reply(3), at_b.reply(3));
    EXPECT_NE(at_a.request(3), at_a.request(4));
    EXPECT_NE(at_a.request(3), at_a.reply(3));
    EXPECT_NE(at_a.request(3), other.request(3));
}

}  // namespace
}  // namespace trellis
