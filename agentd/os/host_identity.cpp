#include "agentd/os/host_identity.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <ifaddrs.h>
#include <iterator>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>
#include <span>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <tuple>

#include <openssl/evp.h>

namespace trellis {
namespace {

using Bytes = std::vector<unsigned char>;

struct Found {
    bool loopback = false;
    unsigned interface = 0;
    int family = 0;
    Address address;
};

Bytes address_bytes(const sockaddr* address) {
    if (address->sa_family == AF_INET) {
        const auto& raw = reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
        const auto* begin = reinterpret_cast<const unsigned char*>(&raw);
        return {begin, begin + sizeof raw};
    }
    const auto& raw = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    return {std::begin(raw.s6_addr), std::end(raw.s6_addr)};
}

int family_of(const Bytes& bytes) {
    return bytes.size() == 4 ? AF_INET : AF_INET6;
}

std::string numeric(const Bytes& bytes) {
    char text[INET6_ADDRSTRLEN] = "";
    inet_ntop(family_of(bytes), bytes.data(), text, sizeof text);
    return text;
}

unsigned prefix_of(const Bytes& mask) {
    int bits = 0;
    for (const unsigned char byte : mask)
        bits += std::popcount(byte);
    return static_cast<unsigned>(bits);
}

bool link_local(const Bytes& bytes) {
    if (bytes.size() == 4) return bytes[0] == 169 && bytes[1] == 254;
    return bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

bool usable(const ifaddrs& entry) {
    if (entry.ifa_addr == nullptr || entry.ifa_netmask == nullptr) return false;
    const int family = entry.ifa_addr->sa_family;
    const unsigned both = IFF_UP | IFF_RUNNING;
    return (family == AF_INET || family == AF_INET6) && (entry.ifa_flags & both) == both &&
           !link_local(address_bytes(entry.ifa_addr));
}

Found found(const ifaddrs& entry) {
    const std::string ip = numeric(address_bytes(entry.ifa_addr));
    // The mask's family field may be unset: its bytes lie where the address's do.
    sockaddr_storage mask{};
    std::memcpy(&mask, entry.ifa_netmask,
                entry.ifa_addr->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    mask.ss_family = entry.ifa_addr->sa_family;
    const unsigned prefix = prefix_of(address_bytes(reinterpret_cast<const sockaddr*>(&mask)));
    return {(entry.ifa_flags & IFF_LOOPBACK) != 0,
            if_nametoindex(entry.ifa_name),
            entry.ifa_addr->sa_family,
            {ip, network_of(ip, prefix)}};
}

std::vector<Address> own_addresses() {
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) return {};
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
    std::vector<Found> all;
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
        if (usable(*entry)) all.push_back(found(*entry));
    }
    std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
        return std::tie(a.loopback, a.interface, a.family) < std::tie(b.loopback, b.interface, b.family);
    });
    std::vector<Address> addresses;
    for (const Found& one : all) {
        if (!one.loopback || all.front().loopback) addresses.push_back(one.address);
    }
    return addresses;
}

std::string first_line(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string network_namespace() {
    struct stat status {};
    if (stat("/proc/self/ns/net", &status) != 0) return "";
    return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

// The first 16 bytes of SHA-256 in hex: the parts themselves (machine-id among them) are not for publication.
std::string fingerprint(const std::string& text) {
    unsigned char digest[EVP_MAX_MD_SIZE] = {};
    EVP_Digest(text.data(), text.size(), digest, nullptr, EVP_sha256(), nullptr);
    const char* digits = "0123456789abcdef";
    std::string hex;
    for (const unsigned char byte : std::span(digest).first(16)) {
        hex += digits[byte >> 4];
        hex += digits[byte & 15];
    }
    return hex;
}

}  // namespace

HostIdentity identify_host() {
    utsname names{};
    uname(&names);
    const std::string parts = first_line("/etc/machine-id") + "\n" +
                              first_line("/proc/sys/kernel/random/boot_id") + "\n" + names.nodename + "\n" +
                              network_namespace();
    return {names.nodename, names.machine, fingerprint(parts), own_addresses()};
}

std::string network_of(const std::string& ip, unsigned prefix) {
    std::array<unsigned char, 16> raw{};
    const int family = ip.find(':') == std::string::npos ? AF_INET : AF_INET6;
    const std::size_t size = family == AF_INET ? 4 : 16;
    if (inet_pton(family, ip.c_str(), raw.data()) != 1 || prefix > size * 8) return "";
    Bytes bytes(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(size));
    for (std::size_t bit = prefix; bit < size * 8; ++bit) {
        bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] & ~(0x80U >> bit % 8));
    }
    return numeric(bytes) + "/" + std::to_string(prefix);
}

}  // namespace trellis
