// The static agent cannot contain Kerberos: Debian has no libgssapi for static linking, and libssh.a names 20
// of its symbols. Here they are, all of them "unavailable" (GSS_S_UNAVAILABLE); logins by Kerberos are left
// to the ssh program.
namespace {
constexpr unsigned unavailable = 16U << 16;
}

extern "C" {

void* GSS_C_NT_HOSTBASED_SERVICE = nullptr;  // NOLINT(readability-identifier-naming): the library's names
void* GSS_C_NT_USER_NAME = nullptr;          // NOLINT(readability-identifier-naming)

unsigned gss_accept_sec_context() {
    return unavailable;
}
unsigned gss_acquire_cred() {
    return unavailable;
}
unsigned gss_add_oid_set_member() {
    return unavailable;
}
unsigned gss_create_empty_oid_set() {
    return unavailable;
}
unsigned gss_display_name() {
    return unavailable;
}
unsigned gss_display_status() {
    return unavailable;
}
unsigned gss_get_mic() {
    return unavailable;
}
unsigned gss_import_name() {
    return unavailable;
}
unsigned gss_indicate_mechs() {
    return unavailable;
}
unsigned gss_init_sec_context() {
    return unavailable;
}
unsigned gss_inquire_cred() {
    return unavailable;
}
unsigned gss_inquire_cred_by_mech() {
    return unavailable;
}
unsigned gss_release_buffer() {
    return unavailable;
}
unsigned gss_release_cred() {
    return unavailable;
}
unsigned gss_release_name() {
    return unavailable;
}
unsigned gss_release_oid_set() {
    return unavailable;
}
unsigned gss_test_oid_set_member() {
    return unavailable;
}
unsigned gss_verify_mic() {
    return unavailable;
}

}  // extern "C"
