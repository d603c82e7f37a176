// What a login reads that others wrote: the words of a start-up line amid noise, an ssh-agent's list of keys,
// a known_hosts file. The first byte chooses which.
#include "agentd/os/agent_identities.hpp"
#include "agentd/os/known_hosts.hpp"
#include "agentd/os/startup_line.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace {

using namespace trellis;

void read_startup(std::string_view bytes) {
    StartupReader reader("Tnonce");
    while (!bytes.empty()) {
        const std::size_t piece = std::min<std::size_t>(bytes.size(), 7);
        reader.feed(bytes.substr(0, piece));
        bytes.remove_prefix(piece);
        for (auto reply = reader.next(); reply; reply = reader.next())
            if (!*reply) break;
    }
    if (reader.noise().size() > 200) std::abort();
}

void read_identities(std::string_view bytes) {
    const auto identities = parse_identities(bytes);
    if (!identities) return;
    if (parse_identities(format_identities(*identities)).value() != *identities) std::abort();
    if (choose_identities(*identities, {}, false).size() > identities->size()) std::abort();
}

void read_known_hosts(std::string_view bytes) {
    KnownHosts hosts;
    hosts.add_file("known_hosts", bytes);
    const std::string key = "\0\0\0\x0bssh-ed25519";
    (void)hosts.check("host", key);
    (void)hosts.check("[10.0.0.1]:2222", bytes);
    (void)hosts.key_types("host");
    (void)key_type(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 3) {
        case 0:
            read_startup(bytes);
            break;
        case 1:
            read_identities(bytes);
            break;
        default:
            read_known_hosts(bytes);
    }
    return 0;
}
