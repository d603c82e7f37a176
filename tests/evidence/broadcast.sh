#!/usr/bin/env bash
# bcast when something goes wrong: the time through a long chain and rounds with mishaps in the simulated world; what one
# mishap costs the others, and rounds with several, on emulated hosts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "${TRELLIS_BUILD:-$here/../../build}")
bench() { "$build/bin/broadcast_bench" "$@" || true; }

cat <<TEXT
# bcast when something goes wrong

$(date -u +%F), virtual time, by \`./run bench broadcast\`. Cards of 100 Mbit/s; ideal is the size divided by that, and for
each host a hop: 16 KB on a card, a packet on another, 50 us of cables, 10 us of processors.

    $(bench cut-through 128 8)
    $(bench cut-through 1024 4)

Goal: within 3% of the ideal. Rounds with mishaps: 6 to 18 MB to 16 hosts on four switches, and one to five of: an agent is
killed, a host loses its power, an agent stands still for a while, a host's link or a switch's is cut (silently or not, for
a while or for good), a host has a quarter of its rate; every fourth round with --plain, every fifth sends what lies on a
host. Every host that is neither dead nor cut off must have the exact bytes, unless something happens to the host from which
all comes; none may have other bytes under the final name or keep a part, and all must be over in 90 s.

$(bench chaos 5000 | sed 's/^/    /')

## On emulated hosts

Real agents, ssh and kernels, by \`./run bench bcast_faults\`.

$("$here/../bench/bcast_faults_bench" 5)

Rounds with one to three mishaps, by tests/lab/bcast_chaos_lab_test.sh: agents killed or stopped, links of hosts and switches cut
silently, cards with a quarter of the rate; by chain, tree and flat, a quarter of them with --plain. What went wrong:

$("$here/../lab/bcast_chaos_lab_test.sh" | awk '$1 == "ok" { ok++; next } { print "    " $0; wrong++ }
    END { print "    " ok + 0 " rounds ok, " (wrong ? "see above" : "none went wrong") }')
TEXT
