/* trellis-unpacker: brings an agent's file onto a host. It is sent ahead of the compressed file, of which it
 * reads so many bytes from standard input, writes what it unpacks beside itself, has it say its version to see
 * whether it runs here, and gives everything its final name: the agent's file, and, for the hosts that this
 * one starts in turn, itself and what came, which is not older. Linked statically, and small: it goes to every host.
 * Exit status, where all bytes have been read and standard error says why: 0 all is in place; 2 it is not;
 * 3 what came does not run on this host.
 *
 *   unpacker TARGET BYTES     BYTES: how many come
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

enum { most_path = 4096, unfit = 3 };

static const size_t most_size = (size_t)1 << 30; /* of an agent */

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
static void receive(size_t bytes, int packed, int whole) {
    char* in = malloc(bytes);
    if (in == NULL) {
        char unused = 0;
        while (bytes > 0 && take(&unused, 1) == 1)
            --bytes;
        fail("out of memory");
        return;
    }
    if (take(in, bytes) < bytes) {
        fail("incomplete");
        return;
    }
    const unsigned long long size = ZSTD_getFrameContentSize(in, bytes);
    const int possible = size > 0 && size < most_size;
    char* out = possible ? malloc(size) : NULL;
    if (possible && out == NULL) {
        fail("out of memory");
        return;
    }
    if (!possible || ZSTD_decompress(out, size, in, bytes) != size) {
        fail("what came is damaged");
        return;
    }
    put(whole, out, size);
    put(packed, in, bytes);
}

static void say(const char* text) {
    const ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

/* With every symbol that it takes from the host's libraries. */
static int runs(const char* program) {
    char *words[] = {(char*)program, "--version", NULL}, *surroundings[] = {"LD_BIND_NOW=1", NULL};
    posix_spawn_file_actions_t silent;
    pid_t child = 0;
    int status = 0;
    posix_spawn_file_actions_init(&silent);
    posix_spawn_file_actions_addopen(&silent, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&child, program, &silent, NULL, words, surroundings) != 0) return 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status == 0;
}

int main(int count, char** words) {
    static char packed_name[most_path], whole_name[most_path], kept_name[most_path];
    if (count != 3) {
        say("usage: trellis-unpacker TARGET BYTES\n");
        return 2;
    }
    const char* const packed_here = named(packed_name, words[0], ".zst");
    const char* const whole_here = named(whole_name, words[0], ".whole");
    const int packed = create(packed_here, 0600), whole = create(whole_here, 0700);
    receive(strtoul(words[2], NULL, 10), packed, whole);
    if (wrong == NULL) check(fsync(whole) == 0 && close(whole) == 0 && close(packed) == 0);
    const int misfit = wrong == NULL && runs(whole_here) == 0;
    if (misfit) fail("the agent does not run here");
    if (wrong == NULL) check(rename(packed_here, named(kept_name, words[1], ".zst")) == 0);
    if (wrong == NULL) check(rename(words[0], named(kept_name, words[1], ".unpack")) == 0);
    if (wrong == NULL) check(rename(whole_here, words[1]) == 0);
    if (wrong == NULL) return 0;
    unlink(packed_here);
    unlink(whole_here);
    say(wrong);
    say("\n");
    return misfit ? unfit : 2;
}
