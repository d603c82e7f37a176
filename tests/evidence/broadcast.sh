#!/usr/bin/env bash
# bcast in the simulated world: the time through a long chain, and rounds with mishaps.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "${TRELLIS_BUILD:-$here/../../build}")
bench() { "$build/bin/broadcast_bench" "$@" || true; }

cat <<TEXT
# bcast, simulated

$(date -u +%F), virtual time, by \`./run bench broadcast\`. Cards of 100 Mbit/s; ideal is the size divided by that, and for
each host a hop: 16 KB on a card, a packet on another, 50 us of cables, 10 us of processors.

    $(bench cut-through 128 8)
    $(bench cut-through 1024 4)

Goal: within 3% of the ideal. Rounds with mishaps: 6 to 18 MB to 16 hosts on four switches, and one to five of: an agent is
killed, a host loses its power, an agent stands still for a while, a host's link or a switch's is cut (silently or not, for
a while or for good), a host has a quarter of its rate. Every host that is neither dead nor cut off must have the exact
bytes, none may have other bytes under the final name or keep a part, and all must be over in 90 s.

$(bench chaos 5000 | sed 's/^/    /')
TEXT
