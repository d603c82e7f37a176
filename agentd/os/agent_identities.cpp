#include "agentd/os/agent_identities.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace trellis {

namespace {

constexpr std::uint32_t most_identities = 1024;

std::optional<std::uint32_t> take_number(std::string_view& bytes) {
    if (bytes.size() < 4) return std::nullopt;
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i)
        number = number << 8 | static_cast<unsigned char>(bytes[i]);
    bytes.remove_prefix(4);
    return number;
}

std::optional<std::string> take_string(std::string_view& bytes) {
    const std::optional<std::uint32_t> size = take_number(bytes);
    if (!size || *size > bytes.size()) return std::nullopt;
    std::string text(bytes.substr(0, *size));
    bytes.remove_prefix(*size);
    return text;
}

void add_number(std::string& to, std::size_t number) {
    for (int shift = 24; shift >= 0; shift -= 8)
        to += static_cast<char>(number >> shift & 0xff);
}

void add_string(std::string& to, const std::string& text) {
    add_number(to, text.size());
    to += text;
}

bool understood(const AgentIdentity& identity) {
    constexpr std::array<std::string_view, 7> types{"ssh-ed25519",
                                                    "ssh-rsa",
                                                    "ecdsa-sha2-nistp256",
                                                    "ecdsa-sha2-nistp384",
                                                    "ecdsa-sha2-nistp521",
                                                    "sk-ssh-ed25519@openssh.com",
                                                    "sk-ecdsa-sha2-nistp256@openssh.com"};
    std::string_view key = identity.key;
    const std::optional<std::string> type = take_string(key);
    return type && std::find(types.begin(), types.end(), *type) != types.end();
}

}  // namespace

Result<std::vector<AgentIdentity>> parse_identities(std::string_view answer) {
    const Failure malformed{FailureKind::invalid, "ask the ssh-agent", "", "malformed list of keys"};
    if (answer.empty() || answer[0] != agent_identities_answer) return malformed;
    answer.remove_prefix(1);
    const std::optional<std::uint32_t> count = take_number(answer);
    if (!count || *count > most_identities) return malformed;
    std::vector<AgentIdentity> identities;
    for (std::uint32_t i = 0; i < *count; ++i) {
        std::optional<std::string> key = take_string(answer);
        std::optional<std::string> comment = key ? take_string(answer) : std::nullopt;
        if (!comment) return malformed;
        identities.push_back({std::move(*key), std::move(*comment)});
    }
    return identities;
}

std::string format_identities(const std::vector<AgentIdentity>& identities) {
    std::string answer(1, agent_identities_answer);
    add_number(answer, identities.size());
    for (const AgentIdentity& identity : identities) {
        add_string(answer, identity.key);
        add_string(answer, identity.comment);
    }
    return answer;
}

std::vector<AgentIdentity> choose_identities(std::vector<AgentIdentity> all,
                                             const std::vector<std::string>& files, bool only) {
    const auto configured = [&](const AgentIdentity& identity) {
        return std::find(files.begin(), files.end(), identity.key) != files.end();
    };
    std::erase_if(all, [&](const AgentIdentity& identity) {
        return !understood(identity) || (only && !configured(identity));
    });
    std::stable_partition(all.begin(), all.end(), configured);
    return all;
}

}  // namespace trellis
