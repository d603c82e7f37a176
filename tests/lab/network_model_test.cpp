#include "tests/lab/network_model.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>

#include <gtest/gtest.h>

namespace trellis::lab {
namespace {

// A TCP segment of IPv4 without payload, with time stamps.
std::vector<std::uint8_t> acknowledgement(const char* target) {
    std::vector<std::uint8_t> bytes(vnet_header_size + 52);
    std::uint8_t* ip = &bytes[vnet_header_size];
    ip[0] = 0x45;
    ip[9] = IPPROTO_TCP;
    inet_pton(AF_INET, target, ip + 16);
    ip[20 + 12] = 0x80;
    ip[20 + 13] = 0x10;
    return bytes;
}

// A model with two hosts on two switches and the log of what came out of it.
class NetworkModelTest : public ::testing::Test {
  protected:
    void build(const std::string& host_options, const std::string& trunk_options) {
        file_ = std::get<TopologyFile>(parse_topology("switch s\nswitch t s " + trunk_options +
                                                      "\nhost a s 10.0.0.1 " + host_options +
                                                      "\nhost b t 10.0.0.2 " + host_options + "\n"));
        model_ = std::make_unique<NetworkModel>(
            file_,
            NetworkModel::Exit{[this](Packet*) { arrived_.push_back(now_); }, [this](Packet*) { ++dropped_; },
                               [this](const Packet& packet) { return pool_.copy(packet); },
                               [this](Packet* packet) { pool_.give_back(packet); }});
    }
    // Of a host that has only that to say.
    void acknowledge(std::int64_t at) {
        const std::vector<std::uint8_t> bytes = acknowledgement(target_);
        model_->enter(pool_.take(bytes), *find_node(file_, "a"), *view_packet(bytes), at);
    }
    // An IPv4 packet of that many bytes, without the virtio-net header; segment 0: no train.
    void send(std::uint32_t size, std::uint16_t segment, std::int64_t at) {
        std::vector<std::uint8_t> bytes(vnet_header_size + size);
        if (segment > 0) {
            std::uint16_t checksum_start = 20;
            bytes[1] = 1;
            std::memcpy(&bytes[6], &checksum_start, 2);
            bytes[vnet_header_size + 20 + 12] = 0x80;  // a TCP header of 32 bytes
            std::memcpy(&bytes[4], &segment, 2);
        }
        bytes[vnet_header_size] = 0x45;
        inet_pton(AF_INET, target_, &bytes[vnet_header_size + 16]);
        Packet* packet = pool_.take(bytes);
        model_->enter(packet, *find_node(file_, "a"), *view_packet(bytes), at);
    }
    void drain() {
        while (model_->next_exit() < std::int64_t{1} << 60) {
            now_ = model_->next_exit();
            model_->run_until(now_);
            ++wakes_;
        }
    }

    TopologyFile file_;
    std::unique_ptr<NetworkModel> model_;
    PacketPool pool_;
    const char* target_ = "10.0.0.2";
    std::int64_t now_ = 0;
    std::vector<std::int64_t> arrived_;
    int dropped_ = 0;
    int wakes_ = 0;
};

TEST_F(NetworkModelTest, NobodyWakesForAPacketThatIsBetweenTwoLinks) {
    build("rate=100mbit delay=5us", "rate=100mbit delay=100us");
    send(1500, 0, 1000);
    drain();
    EXPECT_EQ(arrived_.size(), 1u);
    EXPECT_EQ(wakes_, 1);
}

TEST_F(NetworkModelTest, DelaysAddUp) {
    build("delay=5us", "delay=100us");
    send(100, 0, 1000);
    drain();
    ASSERT_EQ(arrived_.size(), 1u);
    EXPECT_EQ(arrived_[0], 1000 + 110'000);
}

TEST_F(NetworkModelTest, AMulticastGoesToAllOthersOverEachLinkOnce) {
    file_ = std::get<TopologyFile>(
        parse_topology("switch s\nswitch t s rate=1gbit\nhost a s 10.0.0.1\nhost b t 10.0.0.2\n"
                       "host c t 10.0.0.3\nhost d s 10.0.0.4\n"));
    std::vector<std::size_t> targets;
    model_ = std::make_unique<NetworkModel>(
        file_, NetworkModel::Exit{[&](Packet* packet) { targets.push_back(packet->target); },
                                  [this](Packet*) { ++dropped_; },
                                  [this](const Packet& packet) { return pool_.copy(packet); },
                                  [this](Packet* packet) { pool_.give_back(packet); }});
    target_ = "239.1.2.3";
    send(1000, 0, 0);
    drain();
    std::sort(targets.begin(), targets.end());
    EXPECT_EQ(targets, (std::vector{*find_node(file_, "b"), *find_node(file_, "c"), *find_node(file_, "d")}));
    EXPECT_EQ(model_->count(*find_node(file_, "t"), NetworkModel::Direction::down).packets, 1u);
    EXPECT_EQ(model_->count(*find_node(file_, "t"), NetworkModel::Direction::up).packets, 0u);
    EXPECT_EQ(dropped_, 0);
}

TEST_F(NetworkModelTest, EachHopStoresOneFrame) {
    build("rate=1gbit", "rate=1gbit");
    send(1500, 0, 0);
    drain();
    EXPECT_EQ(arrived_.at(0), 3 * 1538 * 8);
}

TEST_F(NetworkModelTest, TrainsCutThrough) {
    build("rate=1gbit", "rate=1gbit");
    send(52 + 10 * 1448, 1448, 0);
    drain();
    EXPECT_EQ(arrived_.at(0), (10 + 2) * 1538 * 8);
}

TEST_F(NetworkModelTest, TheSlowestLinkSetsThePace) {
    build("rate=1gbit", "rate=100mbit");
    send(52 + 10 * 1448, 1448, 0);
    send(52 + 10 * 1448, 1448, 0);
    drain();
    EXPECT_EQ(arrived_.size(), 2u);
    EXPECT_NEAR(static_cast<double>(arrived_[1] - arrived_[0]), 10 * 1538 * 80.0, 100);
}

TEST_F(NetworkModelTest, FullQueuesDrop) {
    build("rate=1gbit", "rate=10mbit queue=8k");
    for (int i = 0; i < 20; ++i)
        send(1500, 0, 0);
    drain();
    EXPECT_GE(arrived_.size(), 5u);
    EXPECT_LE(arrived_.size(), 8u);
    EXPECT_EQ(static_cast<std::size_t>(dropped_) + arrived_.size(), 20u);
}

TEST_F(NetworkModelTest, AnAcknowledgementDoesNotWaitForWhatItsHostSendsItself) {
    build("rate=100mbit", "rate=1gbit");
    for (int i = 0; i < 10; ++i)
        send(1500, 0, 0);
    acknowledge(0);
    drain();
    ASSERT_EQ(arrived_.size(), 11u);
    EXPECT_EQ(arrived_[1] - arrived_[0], 90 * 80);  // behind the frame that is under way
}

TEST_F(NetworkModelTest, AnAcknowledgementWaitsBehindOthersAtASwitch) {
    build("rate=1gbit", "rate=100mbit");
    for (int i = 0; i < 10; ++i)
        send(1500, 0, 0);
    acknowledge(0);
    drain();
    ASSERT_EQ(arrived_.size(), 11u);
    EXPECT_GT(arrived_[10] - arrived_[0], 9 * 1538 * 80);
}

TEST_F(NetworkModelTest, AnAcknowledgementTakesItsShareOfTheLink) {
    build("rate=100mbit", "");
    send(1500, 0, 0);
    for (int i = 0; i < 10; ++i)
        acknowledge(0);
    send(1500, 0, 0);
    drain();
    EXPECT_EQ(arrived_.back(),
              (2 * 1538 + 10 * 90 + 1538) * 80);  // and once more over the link of the other host
}

TEST_F(NetworkModelTest, CutsDropUntilHealed) {
    build("", "");
    auto trunk = *find_link(file_, "s-t");
    model_->cut(trunk, true);
    send(100, 0, 0);
    EXPECT_EQ(dropped_, 1);
    model_->cut(trunk, false);
    send(100, 0, 0);
    drain();
    EXPECT_EQ(arrived_.size(), 1u);
    EXPECT_EQ(model_->count(trunk, NetworkModel::Direction::down).packets, 1u);
    EXPECT_EQ(model_->count(trunk, NetworkModel::Direction::down).dropped, 1u);
}

TEST_F(NetworkModelTest, LosesAboutTheShareAsked) {
    build("", "loss=0.1");
    for (int i = 0; i < 10000; ++i)
        send(100, 0, 0);
    EXPECT_NEAR(dropped_, 1000, 150);
}

TEST_F(NetworkModelTest, UnknownAddressesAreDropped) {
    build("", "");
    target_ = "10.0.0.3";
    send(100, 0, 0);
    EXPECT_EQ(dropped_, 1);
}

TEST(PacketView, RefusesWhatIsNoPacket) {
    std::vector<std::uint8_t> bytes(vnet_header_size + 20);
    EXPECT_FALSE(view_packet(bytes));
    bytes[vnet_header_size] = 0x60;
    EXPECT_FALSE(view_packet(bytes));
    bytes.resize(vnet_header_size + 40);
    EXPECT_TRUE(view_packet(bytes));
    EXPECT_FALSE(view_packet(std::span(bytes).first(12)));
}

TEST(PacketView, KnowsAnAcknowledgement) {
    std::vector<std::uint8_t> bytes = acknowledgement("10.0.0.2");
    std::uint8_t& flags = bytes[vnet_header_size + 33];
    EXPECT_TRUE(view_packet(bytes)->acknowledgement);
    for (const int more : {0x01, 0x02, 0x04}) {  // end, beginning, reset
        flags = static_cast<std::uint8_t>(0x10 | more);
        EXPECT_FALSE(view_packet(bytes)->acknowledgement);
    }
    flags = 0x10;
    bytes.push_back(0);  // payload
    EXPECT_FALSE(view_packet(bytes)->acknowledgement);
    bytes.pop_back();
    bytes[vnet_header_size + 9] = IPPROTO_UDP;
    EXPECT_FALSE(view_packet(bytes)->acknowledgement);
    bytes.resize(vnet_header_size + 20);
    bytes[vnet_header_size + 9] = IPPROTO_TCP;
    bytes[vnet_header_size] = 0x4f;  // a header that is longer than the packet
    EXPECT_FALSE(view_packet(bytes)->acknowledgement);
}

TEST(PacketView, KnowsAnAcknowledgementOfIpv6) {
    std::vector<std::uint8_t> bytes(vnet_header_size + 60);
    bytes[vnet_header_size] = 0x60;
    bytes[vnet_header_size + 6] = IPPROTO_TCP;
    bytes[vnet_header_size + 40 + 12] = 0x50;
    bytes[vnet_header_size + 40 + 13] = 0x18;
    EXPECT_TRUE(view_packet(bytes)->acknowledgement);
}

}  // namespace
}  // namespace trellis::lab
