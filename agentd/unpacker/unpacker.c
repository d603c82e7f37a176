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

enum { most_path = 4096 };

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

/* Standard input's next bytes; returns how many there were, at most `size`. */
static size_t take(char* place, size_t size) {
    size_t taken = 0;
    while (taken < size) {
        const ssize_t got = read(STDIN_FILENO, place + taken, size - taken);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        taken += (size_t)got;
    }
    return taken;
}

/* Unpacks when all has come: what other programs do in between would take the processor's caches away. */
static void receive(size_t bytes, size_t size, int packed, int whole) {
    char *in = malloc(bytes), *out = malloc(size);
    if (in == NULL || out == NULL) {
        char unused = 0;
        while (bytes > 0 && take(&unused, 1) == 1)
            --bytes;
        fail("out of memory");
    } else if (take(in, bytes) < bytes) {
        fail("incomplete");
    } else {
        const size_t unpacked = ZSTD_decompress(out, size, in, bytes);
        if (ZSTD_isError(unpacked))
            fail("what came is damaged");
        else if (unpacked < size)
            fail("incomplete");
        put(packed, in, bytes);
        put(whole, out, size);
    }
    free(in);
    free(out);
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
    receive(strtoul(words[3], NULL, 10), strtoul(words[2], NULL, 10), packed, whole);
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
