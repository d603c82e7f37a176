#!/usr/bin/env bash
# Sessions in which much goes wrong at once: 100 rounds over real sshd, 10,000 seeds in the simulated world. Takes half an hour.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "${TRELLIS_BUILD:-$here/../../build}")
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

TRELLIS_FULL=1 "$here/../lab/chaos_lab_test.sh" >"$logs/lab" || true
for shard in 0 1; do
    TRELLIS_FULL=1 GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=$shard \
        "$build/bin/trellis_tests" --gtest_filter='Parts/Chaos*' >"$logs/simulated.$shard" 2>&1 &
done
wait
simulated=yes
if [[ $(cat "$logs"/simulated.* | grep -c '^\[       OK \] Parts/Chaos') -ne 4 ]]; then simulated=NO; fi

cat <<TEXT
# Sessions in which much goes wrong at once

$(date -u +%F), $(nproc) processors, Linux $(uname -r).

In every round \`e\` and \`mw\` run while agents are killed or stopped, links are cut and healed, disks fill up and sshd is
killed, drawn from the round's seed. A round is well if every host has one outcome within the lease, no line of a
surviving host is lost or doubled, and no process is left.

| | rounds | all well |
|---|---|---|
| 32 hosts with real sshd, \`tests/lab/chaos_lab_test.sh\` | $(grep -cE '^(not )?ok ' "$logs/lab") | $(grep -c '^ok ' "$logs/lab") |
| 100 simulated hosts, \`trellis_tests --gtest_filter='Parts/Chaos*'\` | 10000 | $simulated |
TEXT
for log in "$logs"/lab "$logs"/simulated.*; do
    grep -hE -A 12 '^not ok|Failure$' "$log" | sed 's/^/    /' || true
done
