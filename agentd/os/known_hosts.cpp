#include "agentd/os/known_hosts.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

namespace trellis {
namespace {

std::string_view next_word(std::string_view& line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return line = {};
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    line.remove_prefix(end);
    return word;
}

// "|1|salt|hash": HMAC-SHA1 of the name under the salt.
bool matches_hashed(std::string_view name, std::string_view hashed) {
    const std::size_t middle = hashed.find('|', 3);
    if (middle == std::string_view::npos) return false;
    const std::string salt = base64_decode(hashed.substr(3, middle - 3));
    const std::string hash = base64_decode(hashed.substr(middle + 1));
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    HMAC(EVP_sha1(), salt.data(), static_cast<int>(salt.size()),
         reinterpret_cast<const unsigned char*>(name.data()), name.size(), mac, &size);
    return hash.size() == size && std::memcmp(hash.data(), mac, size) == 0;
}

bool matches_pattern(std::string_view name, std::string_view pattern) {
    std::size_t n = 0, p = 0, star = std::string_view::npos, mark = 0;
    while (n < name.size()) {
        if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++n, ++p;
        } else if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

bool matches_names(std::string_view name, std::string_view names) {
    return names.starts_with("|1|") ? matches_hashed(name, names) : matches_pattern_list(name, names);
}

}  // namespace

bool matches_pattern_list(std::string_view name, std::string_view patterns) {
    bool matched = false;
    while (!patterns.empty()) {
        const std::size_t end = std::min(patterns.find(','), patterns.size());
        std::string_view pattern = patterns.substr(0, end);
        patterns.remove_prefix(std::min(end + 1, patterns.size()));
        const bool negated = pattern.starts_with('!');
        if (negated) pattern.remove_prefix(1);
        if (!matches_pattern(name, pattern)) continue;
        if (negated) return false;
        matched = true;
    }
    return matched;
}

std::string base64_encode(std::string_view bytes) {
    std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
    const int size =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                        reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

std::string base64_decode(std::string_view text) {
    if (text.size() % 4 != 0 || text.size() > 1 << 16) return {};
    std::string bytes(text.size() / 4 * 3, '\0');
    const int size =
        EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                        reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
    if (size < 0) return {};
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    bytes.resize(static_cast<std::size_t>(size) - std::min(padding, static_cast<std::size_t>(size)));
    return bytes;
}

std::string key_type(std::string_view key) {
    if (key.size() < 4) return {};
    std::uint32_t size = 0;
    for (int i = 0; i < 4; ++i)
        size = size << 8 | static_cast<unsigned char>(key[static_cast<std::size_t>(i)]);
    return size <= key.size() - 4 ? std::string(key.substr(4, size)) : std::string();
}

std::string key_fingerprint(std::string_view key) {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), digest);
    std::string text = base64_encode({reinterpret_cast<const char*>(digest), sizeof digest});
    while (text.ends_with('='))
        text.pop_back();
    return "SHA256:" + text;
}

void KnownHosts::add_file(std::string path, std::string_view text) {
    paths_.push_back(std::move(path));
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view rest = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        std::string_view word = next_word(rest);
        if (word.empty() || word.starts_with('#')) continue;
        Line line;
        line.file = paths_.size() - 1;
        line.number = number;
        line.revoked = word == "@revoked";
        line.authority = word == "@cert-authority";
        if (word.starts_with('@')) word = next_word(rest);
        line.names = word;
        line.type = next_word(rest);
        line.key = base64_decode(next_word(rest));
        if (!line.key.empty()) lines_.push_back(std::move(line));
    }
}

// A revoked line decides wherever it stands; then a line with this very key; then one with another key of its
// type.
KnownHosts::Verdict KnownHosts::check(std::string_view lookup, std::string_view key) const {
    Verdict verdict;
    const auto decide = [&](const Line& line, Finding finding) {
        verdict.finding = finding;
        verdict.path = paths_[line.file];
        verdict.line = line.number;
    };
    for (const Line& line : lines_) {
        if (!matches_names(lookup, line.names)) continue;
        if (line.authority) {
            verdict.certificate_authority = true;
        } else if (line.revoked) {
            if (line.key != key) continue;
            decide(line, Finding::revoked);
            return verdict;
        } else if (line.key == key) {
            if (verdict.finding != Finding::known) decide(line, Finding::known);
        } else if (verdict.finding == Finding::unknown) {
            decide(line, Finding::changed);
        }
    }
    return verdict;
}

std::vector<std::string> KnownHosts::key_types(std::string_view lookup) const {
    std::vector<std::string> types;
    for (const Line& line : lines_) {
        if (line.authority || line.revoked || !matches_names(lookup, line.names)) continue;
        if (std::find(types.begin(), types.end(), line.type) == types.end()) types.push_back(line.type);
    }
    return types;
}

}  // namespace trellis
