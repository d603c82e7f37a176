/* Preloaded into MPI programs: who asks whether there is anything to do, and hears that there is nothing, waits for it, at most
   a millisecond. MPI libraries would ask again and again; 16 ranks on two processors would take these from one another and from
   the network, and MPICH over UCX does not yield. */
#include <poll.h>
#include <stddef.h>
#include <sys/epoll.h>

int epoll_wait(int set, struct epoll_event* events, int most, int timeout) {
    return epoll_pwait(set, events, most, timeout == 0 ? 1 : timeout, NULL);
}

int poll(struct pollfd* files, nfds_t count, int timeout) {
    const int patience = timeout == 0 ? 1 : timeout;
    const struct timespec wait = {patience / 1000, patience % 1000 * 1000000L};
    return ppoll(files, count, timeout < 0 ? NULL : &wait, NULL);
}

int __poll_chk(struct pollfd* files, nfds_t count, int timeout, size_t size) {
    (void)size;
    return poll(files, count, timeout);
}
