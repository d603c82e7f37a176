#!/usr/bin/env bash
# How long explore takes for 10,000 simulated hosts, beside the best schedule that there can be.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "${TRELLIS_BUILD:-$here/../../build}")
report=$(mktemp)
trap 'rm -f "$report"' EXIT

TRELLIS_FULL=1 "$build/bin/trellis_tests" --gtest_filter='Spread.*' --gtest_output="xml:$report" >/dev/null || true

recorded() { # PROPERTY
    grep -o "name=\"$1\" value=\"[0-9]*\"" "$report" | sed 's/.*value="\([0-9]*\)"/\1/'
}
ratio() { # MILLISECONDS
    awk -v time="$1" -v best="$best" 'BEGIN { printf "%.2f", time / best }'
}
verdict() { # TEST
    if grep -A1 "name=\"$1\"" "$report" | grep -q '<failure'; then echo NO; else echo yes; fi
}

best=$(recorded best_ms)
took=$(recorded took_ms | head -n 1)
others=$(recorded others_ms)
with_faults=$(recorded took_ms | tail -n 1)
cat <<TEXT
# explore of 10,000 simulated hosts

$(date -u +%F), virtual time, by \`trellis_tests --gtest_filter='Spread.*'\` with TRELLIS_FULL=1. Links of 1 ms, 50 ms for
each login, fan-out 32, 5 us of a processor for each message at both of its ends.

The best possible schedule: a host logs in to at most 32 others as soon as its own agent is there, and no login takes
less than its 50 ms and a round trip to connect. After k such times there are at most
A(k) = A(k-1) + 32 (A(k-1) - A(k-2)) agents, with A(0) = 1 and A(-1) = 0: 10,000 after three, of which the root hears
three links later. That is $best ms.

| | milliseconds | of the best schedule | goal | reached |
|---|---|---|---|---|
| all hosts well | $took | $(ratio "$took") | 1.3 | $(verdict TakesLittleLongerThanTheBestSchedule) |
| 1% dead, 1% hanging: until all others are there | $others | $(ratio "$others") | 1.3 | $(verdict DeadAndHangingHostsDelayNobody) |
| the same, until the outcome of every host is known | $with_faults | | best x 1.3 + one time-out of a login (15,000) | $(verdict DeadAndHangingHostsDelayNobody) |
TEXT
