#include "tests/lab/net_device.hpp"

#include "tests/lab/lab_error.hpp"
#include "tests/lab/packet.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace trellis::lab {
namespace {

constexpr unsigned tun_uso4 = 0x20, tun_uso6 = 0x40;  // newer than Debian's headers
constexpr std::uint32_t largest_gso = 16384;          // larger trains starve other flows at a full queue

// One rtnetlink request: a header, a fixed body and attributes.
class Request {
  public:
    Request(std::uint16_t type, std::uint16_t flags) {
        header().nlmsg_len = NLMSG_HDRLEN;
        header().nlmsg_type = type;
        header().nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | NLM_F_ACK | flags);
    }
    template <typename Body>
    Request& body(const Body& value) {
        append(&value, sizeof value);
        return *this;
    }
    Request& attribute(std::uint16_t type, const void* data, std::size_t size) {
        rtattr head{static_cast<std::uint16_t>(RTA_LENGTH(size)), type};
        append(&head, sizeof head);
        append(data, size);
        return *this;
    }
    void perform(const std::string& what) {
        UniqueFd fd(checked(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), "netlink socket"));
        checked(send(fd.get(), bytes_, header().nlmsg_len, 0), what);
        alignas(nlmsghdr) char answer[4096];
        checked(recv(fd.get(), answer, sizeof answer, 0), what);
        nlmsgerr error;
        std::memcpy(&error, answer + NLMSG_HDRLEN, sizeof error);
        errno = -error.error;
        if (error.error != 0) fail_errno(what);
    }

  private:
    nlmsghdr& header() { return *reinterpret_cast<nlmsghdr*>(bytes_); }
    void append(const void* data, std::size_t size) {
        std::size_t at = NLMSG_ALIGN(header().nlmsg_len);
        if (at + size > sizeof bytes_) throw LabError("netlink request too long");
        std::memcpy(bytes_ + at, data, size);
        header().nlmsg_len = static_cast<std::uint32_t>(at + size);
    }
    alignas(nlmsghdr) char bytes_[512] = {};
};

ifinfomsg link_body(unsigned index, unsigned flags) {
    ifinfomsg body{};
    body.ifi_index = static_cast<int>(index);
    body.ifi_flags = body.ifi_change = flags;
    return body;
}

unsigned index_of(const std::string& device) {
    unsigned index = if_nametoindex(device.c_str());
    if (index == 0) fail_errno("device " + device);
    return index;
}

void add_address(unsigned index, const Address& address) {
    ifaddrmsg body{};
    body.ifa_family = address.v6 ? AF_INET6 : AF_INET;
    body.ifa_prefixlen = static_cast<std::uint8_t>(address.prefix);
    body.ifa_index = index;
    std::size_t size = address.v6 ? 16 : 4;
    std::uint32_t flags = IFA_F_NODAD;
    Request request(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL);
    request.body(body).attribute(IFA_LOCAL, address.bytes.data(), size);
    request.attribute(IFA_ADDRESS, address.bytes.data(), size);
    if (address.v6) request.attribute(IFA_FLAGS, &flags, sizeof flags);
    request.perform("address " + address.text);
}

void bring_up(unsigned index, int mtu) {
    Request request(RTM_NEWLINK, 0);
    request.body(link_body(index, IFF_UP));
    auto bytes = static_cast<std::uint32_t>(mtu);
    request.attribute(IFLA_MTU, &bytes, sizeof bytes);
    request.attribute(IFLA_GSO_MAX_SIZE, &largest_gso, sizeof largest_gso);
    request.perform("bring the network card up");
}

}  // namespace

UniqueFd open_card(const CardShape& shape) {
    UniqueFd fd(checked(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC), "/dev/net/tun"));
    ifreq request{};
    shape.device.copy(request.ifr_name, IFNAMSIZ - 1);
    request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
    checked(ioctl(fd.get(), TUNSETIFF, &request), "create the TUN device " + shape.device);
    int header = vnet_header_size;
    checked(ioctl(fd.get(), TUNSETVNETHDRSZ, &header), "TUN header size");
    unsigned large = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN;
    if (!shape.offload) {
        checked(ioctl(fd.get(), TUNSETOFFLOAD, TUN_F_CSUM), "TUN offload");
    } else if (ioctl(fd.get(), TUNSETOFFLOAD, large | tun_uso4 | tun_uso6) < 0) {
        checked(ioctl(fd.get(), TUNSETOFFLOAD, large), "TUN offload");
    }
    unsigned index = index_of(shape.device);
    for (const Address& address : shape.addresses)
        add_address(index, address);
    bring_up(index, shape.mtu);
    return fd;
}

void bring_loopback_up() {
    Request request(RTM_NEWLINK, 0);
    request.body(link_body(index_of("lo"), IFF_UP)).perform("bring the loopback up");
}

void set_carrier(int card, bool on) {
    int value = on ? 1 : 0;
    checked(ioctl(card, TUNSETCARRIER, &value), "set the card's carrier");
}

void set_sysctl(const std::string& name, const std::string& value) {
    UniqueFd fd(open(("/proc/sys/" + name).c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd && errno == ENOENT) return;
    if (!fd || write(fd.get(), value.data(), value.size()) < 0) fail_errno("set " + name + " to " + value);
}

}  // namespace trellis::lab
