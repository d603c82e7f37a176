// KnownHosts: what the user's known_hosts files say of a host key. Pure: file contents in, verdict out.
// Understands plain, [host]:port, wildcard, negated and hashed names and the marker @revoked; lines marked
// @cert-authority are passed over, since host certificates are left to the ssh program.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

class KnownHosts {
  public:
    // `path` is only named in verdicts.
    void add_file(std::string path, std::string_view text);

    enum class Finding { known, unknown, changed, revoked };
    struct Verdict {
        Finding finding = Finding::unknown;
        std::string path;                    // of the line that decided; empty if none did
        std::size_t line = 0;                // from 1
        bool certificate_authority = false;  // a @cert-authority line matches the host
    };
    // `lookup`: "host" or "[host]:port", lower case. `key`: SSH wire format.
    [[nodiscard]] Verdict check(std::string_view lookup, std::string_view key) const;
    // The key types ("ssh-ed25519", ...) known for a host, in the order of the files.
    [[nodiscard]] std::vector<std::string> key_types(std::string_view lookup) const;

  private:
    struct Line {
        std::size_t file = 0;
        std::size_t number = 0;
        bool revoked = false;
        bool authority = false;
        std::string names;
        std::string type;
        std::string key;  // wire format
    };
    std::vector<std::string> paths_;
    std::vector<Line> lines_;
};

// "ssh-ed25519" from a key in wire format; empty if it is malformed.
std::string key_type(std::string_view key);
// "SHA256:..." as OpenSSH prints it.
std::string key_fingerprint(std::string_view key);
std::string base64_encode(std::string_view bytes);
// Empty if the text is not base64.
std::string base64_decode(std::string_view text);
// OpenSSH's match of a name against "a*,?b,!c": at least one pattern matches and no negated one does.
bool matches_pattern_list(std::string_view name, std::string_view patterns);

}  // namespace trellis
