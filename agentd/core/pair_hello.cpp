#include "agentd/core/pair_hello.hpp"

#include <cstring>

namespace trellis {
namespace {

constexpr std::size_t magic_size = 8;
constexpr std::size_t source_at = magic_size + 4;
constexpr std::size_t random_at = magic_size + 12;
constexpr std::size_t mac_at = random_at + hello_random_size;

template <class Number>
void append_number(std::string& text, Number number) {
    const auto value = static_cast<std::uint32_t>(number);
    char bytes[4];
    std::memcpy(bytes, &value, sizeof bytes);
    text.append(bytes, sizeof bytes);
}

std::string opening(const PairKeys& keys, HostId source, HostId target) {
    std::string text = "trellis";
    text.push_back(static_cast<char>(keys.purpose()));
    append_number(text, keys.session().operation);
    append_number(text, source);
    append_number(text, target);
    return text;
}

HostId source_of(std::string_view hello) {
    std::uint32_t source = 0;
    std::memcpy(&source, hello.data() + source_at, sizeof source);
    return HostId{source};
}

}  // namespace

std::string make_hello(const SecretKey& key, const PairKeys& keys, HostId peer, std::string_view random) {
    std::string hello = opening(keys, keys.session().self, peer);
    hello += random;
    return hello + keyed_mac(key, hello);
}

std::optional<HelloGate::Greeted> HelloGate::check(std::string_view hello) {
    if (!for_this_host(hello)) return std::nullopt;
    const HostId source = source_of(hello);
    const Result<SecretKey>& key = keys_.of(source);
    if (!key || !same_secret(keyed_mac(*key, hello.substr(0, mac_at)), hello.substr(mac_at))) {
        return std::nullopt;
    }
    std::string random(hello.substr(random_at, hello_random_size));
    if (seen_.size() >= max_seen || !seen_.insert(random).second) return std::nullopt;
    return Greeted{source, *key, std::move(random)};
}

bool HelloGate::from_unknown(std::string_view hello) const {
    return for_this_host(hello) && find_participant(keys_.session(), source_of(hello)) == nullptr;
}

bool HelloGate::for_this_host(std::string_view hello) const {
    if (hello.size() != hello_size) return false;
    const HostId source = source_of(hello), self = keys_.session().self;
    return source != self && hello.starts_with(opening(keys_, source, self));
}

}  // namespace trellis
