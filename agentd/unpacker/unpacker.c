/* trellis-unpacker: brings an agent's file onto a host. It is sent ahead of the compressed file, of which it
 * reads so many bytes from standard input, writes what it unpacks beside itself, and gives everything its
 * final name, its own and that of what came among them, for the hosts that this one starts in turn. Linked
 * statically, and small: it goes to every host. Exit status: 0 all is in place; 2 it is not, and why is on
 * standard error, but all bytes have been read.
 *
 *   unpacker TARGET SIZE BYTES     SIZE: of TARGET when it is unpacked; BYTES: how many come
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { piece = 1 << 17, most_path = 4096 };

static const char* wrong; /* the first failure, while what is left is read all the same */

static void fail(const char* why) {
    if (wrong == NULL) wrong = why;
}

static void check(int done) {
    if (!done) fail(strerror(errno));
}

/* Of this name with something behind it. */
static const char* named(char* place, const char* name, const char* suffix) {
    const size_t size = strlen(name), more = strlen(suffix) + 1;
    if (size + more > most_path) {
        errno = ENAMETOOLONG;
        return "";
    }
    memcpy(place, name, size);
    memcpy(place + size, suffix, more);
    return place;
}

static int create(const char* name, mode_t mode) {
    const int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    check(file >= 0);
    return file;
}

static void put(int file, const char* bytes, size_t size) {
    while (size > 0 && wrong == NULL) {
        const ssize_t written = write(file, bytes, size);
        check(written > 0 || (written < 0 && errno == EINTR));
        if (written <= 0) continue;
        bytes += written;
        size -= (size_t)written;
    }
}

/* What has come of the frame goes on, unpacked; returns what zstd expects next, 0 at the end of the frame. */
static size_t unpack(ZSTD_DStream* stream, const char* bytes, size_t size, int file,
                     unsigned long long* unpacked) {
    static char out[piece];
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t expected = 1;
    do {
        ZSTD_outBuffer space = {out, sizeof out, 0};
        expected = ZSTD_decompressStream(stream, &space, &in);
        if (ZSTD_isError(expected)) fail("what came is damaged");
        put(file, out, space.pos);
        *unpacked += space.pos;
        if (space.pos < sizeof out && in.pos == in.size) break;
    } while (wrong == NULL && expected != 0);
    return expected;
}

static void receive(unsigned long long bytes, unsigned long long size, int packed, int whole) {
    static char in[piece];
    ZSTD_DStream* stream = ZSTD_createDStream();
    unsigned long long unpacked = 0;
    size_t expected = 1;
    if (stream == NULL) fail("out of memory");
    while (bytes > 0) {
        const ssize_t got = read(STDIN_FILENO, in, bytes < sizeof in ? (size_t)bytes : sizeof in);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        bytes -= (unsigned long long)got;
        put(packed, in, (size_t)got);
        if (wrong == NULL) expected = unpack(stream, in, (size_t)got, whole, &unpacked);
    }
    if (bytes > 0 || expected != 0 || unpacked != size) fail("incomplete");
    ZSTD_freeDStream(stream);
}

int main(int count, char** words) {
    static char packed_name[most_path], whole_name[most_path], kept_name[most_path];
    if (count != 4) {
        fputs("usage: trellis-unpacker TARGET SIZE BYTES\n", stderr);
        return 2;
    }
    const char* packed_here = named(packed_name, words[0], ".zst");
    const char* whole_here = named(whole_name, words[0], ".whole");
    const int packed = create(packed_here, 0600), whole = create(whole_here, 0700);
    receive(strtoull(words[3], NULL, 10), strtoull(words[2], NULL, 10), packed, whole);
    if (wrong == NULL) check(fsync(whole) == 0 && close(whole) == 0 && close(packed) == 0);
    if (wrong == NULL) check(rename(packed_here, named(kept_name, words[1], ".zst")) == 0);
    if (wrong == NULL) check(rename(words[0], named(kept_name, words[1], ".unpack")) == 0);
    if (wrong == NULL) check(rename(whole_here, words[1]) == 0);
    if (wrong == NULL) return 0;
    unlink(packed_here);
    unlink(whole_here);
    fprintf(stderr, "%s\n", wrong);
    return 2;
}
