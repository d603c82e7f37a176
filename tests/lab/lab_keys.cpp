#include "tests/lab/lab_keys.hpp"

#include "tests/lab/lab_error.hpp"

#include <memory>

#include <libssh/libssh.h>

namespace trellis::lab {
namespace {

std::string taken(char* text) {
    std::string copy = text != nullptr ? text : "";
    ssh_string_free_char(text);
    return copy;
}

KeyPair make_pair() {
    ssh_key raw = nullptr;
    if (ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &raw) != SSH_OK) throw LabError("cannot make an ssh key");
    std::unique_ptr<ssh_key_struct, decltype(&ssh_key_free)> key(raw, ssh_key_free);
    char *secret = nullptr, *open = nullptr;
    if (ssh_pki_export_privkey_base64(key.get(), nullptr, nullptr, nullptr, &secret) != SSH_OK ||
        ssh_pki_export_pubkey_base64(key.get(), &open) != SSH_OK) {
        throw LabError("cannot write an ssh key");
    }
    return {taken(secret), "ssh-ed25519 " + taken(open)};
}

}  // namespace

LabKeys make_keys(std::size_t hosts) {
    LabKeys keys;
    keys.user = make_pair();
    for (std::size_t i = 0; i < hosts; ++i)
        keys.hosts.push_back(make_pair());
    return keys;
}

}  // namespace trellis::lab
