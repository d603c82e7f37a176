#!/usr/bin/env bash
# Output that nobody reads: a host prints far more than fits anywhere, to a pager that stands still. The memory of the
# shell, of the relay and of the agent stays bounded, the other hosts answer, and when the pager goes on nothing is
# missing. TRELLIS_FULL=1: 10 GB instead of 100 MB.
set -euo pipefail
# shellcheck source=tests/lab/session.sh
source "$(dirname "$0")/session.sh"

lines=100000 # of 1000 bytes
[[ -z ${TRELLIS_FULL-} ]] || lines=10000000
export session_limit=1500 # seconds
most_resident=65536 # KiB
print_lines() { echo "yes \$(printf %0999d 0) | head -n $1"; } # COUNT
# The tree is ctl, a00, and below that the others.
rules='use ssh here a00
use ssh a00 b*'
peak="sed -n 's/^VmHWM:[[:space:]]*\\([0-9]*\\) kB/peak \\1/p' /proc/\$PPID/status"

begin_lab two_switches_8

# A pager that stands still until it is told to go on, and counts.
lab exec -i ctl sh -c 'cat > /tmp/pager' <<'SH'
until [ -e /tmp/go ]; do sleep 0.05; done
wc -lc > /tmp/counted
SH

# All lines under their host's name, whose label is of 5 bytes.
expect_all_counted() {
    expect_equal "lines and bytes" "$(on ctl cat /tmp/counted | tr -s ' ' | sed 's/^ //')" "$lines $((lines * 1005))"
}

expect_small() { # WHO KIB
    [[ -n $2 && $2 -le $most_resident ]] || wrong+=("$1 took '$2' KiB of memory, not at most $most_resident")
}

peak_of() { sed -n "s/^$1: peak //p" "$out"; } # HOST

one_session() {
    local host
    session --lease 5s <<TRL
$rules
explore a00 b[00-03]
smask b01
e '$(print_lines "$lines")' | sh /tmp/pager &
! sleep 8
smask a00 b00 b02 b03
! date +%s%3N > /tmp/begin
e hostname
! echo answered after \$((\$(date +%s%3N) - \$(cat /tmp/begin))) ms
rmask
! touch /tmp/go
wait
e "$peak"
! echo shell: \$($peak)
TRL
    expect_status 0
    expect_all_counted
    for host in a00 b00 b02 b03; do expect_printed "^$host: $host\$"; done
    local answered
    answered=$(sed -n 's/^answered after \([0-9]*\) ms/\1/p' "$out")
    [[ -n $answered && $answered -le 2000 ]] || wrong+=("the other hosts answered after '$answered' ms")
    for host in shell a00 b01; do expect_small "$host" "$(peak_of "$host")"; done
    echo "    peak resident KiB: shell $(peak_of shell), relay $(peak_of a00), agent $(peak_of b01);" \
        "the others answered after $answered ms"
}

# The same with two front ends of a session that stays up.
a_front_end_stands_still() {
    lab exec -i ctl sh >"$out" 2>"$err" <<SH || status=$?
export XDG_RUNTIME_DIR=/tmp/runtime
mkdir -m 700 \$XDG_RUNTIME_DIR
rm -f /tmp/go /tmp/counted
$trellis --lease 5s --session shared explore 'b[00-03]'
$trellis --session shared --seat one -c 'smask b01; e "$(print_lines "$lines")"' | sh /tmp/pager &
sleep 8
$trellis --session shared e hostname
touch /tmp/go
wait
pid=\$($trellis session list | sed -n 's/.*process //p')
sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/session: peak \1/p' /proc/\$pid/status
$trellis session end shared
SH
    local host
    for host in b00 b01 b02 b03; do expect_printed "^$host: $host\$"; done
    expect_all_counted
    expect_small session "$(peak_of session)"
    echo "    peak resident KiB of the session: $(peak_of session)"
}

# A reader of all that the shell prints and says; for longer than the lease it has something to say.
all_output_stands_still() {
    lab exec -i ctl sh -c "$trellis --lease 4s 2>&1 | (sleep 14; cat) > /tmp/all" <<TRL
explore b[00-03]
e '$(print_lines 2000)' &
! sleep 2
e 'exit 3'
wait
e -b true
nothing
TRL
    expect_equal "long lines" "$(on ctl grep -c ': 0000' /tmp/all)" 8000
    on ctl grep -v 0000 /tmp/all >"$out"
    expect_equal "outcomes told" "$(on ctl grep -c 'b\[00-03\]: exit 3$' /tmp/all)" 1
    expect_printed '^---- b\[00-03\] \(4\)$'
    expect_printed 'unknown command nothing'
}

try "a stopped pager holds up nobody else and costs bounded memory" one_session
lines=20000
try "a front end that stands still holds up no other" a_front_end_stands_still
try "a shell whose whole output stands still keeps its hosts" all_output_stands_still
finish
