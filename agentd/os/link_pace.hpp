// Has the system send what is written to a TCP connection evenly, a little below the rate of the slowest link
// on the way: then no queue grows before that link, in which others' packets wait and are lost.
#pragma once

namespace trellis {

// `bits_per_second`: the rate of the link itself, of whole Ethernet frames. Nothing if it is another kind of
// socket, or the system cannot (Linux before 4.13).
void keep_below_link(int socket, double bits_per_second);

}  // namespace trellis
