#!/usr/bin/env bash
# estimate record over real connections: a host that is killed and one that is cut off for a while leave empty fields, a
# second recording goes on in the same file, Ctrl-C leaves whole rows, a root that dies ends it; and what is asked of the file.
set -euo pipefail
# shellcheck source=tests/lab/session.sh
source "$(dirname "$0")/session.sh"

hosts='a[00-03] b[00-03]'
file=/tmp/rtt.csv

rows() { on ctl sh -c "[ ! -e $file ] || sed 1d $file" | grep -c . || true; }

# As soon as the file has this many rows.
once_rows() { # NUMBER COMMAND...
    (
        SECONDS=0
        until [[ $(rows) -ge $1 ]]; do
            sleep 0.1
            [[ $SECONDS -lt 60 ]] || exit
        done
        "${@:2}"
    ) >/dev/null 2>&1 &
}

# Rows with another number of fields than the first line, or not later than the row before; 1 more for a torn end.
expect_whole() { # ROWS
    on ctl cat "$file" >"$scratch/csv"
    expect_equal "rows" "$(sed 1d "$scratch/csv" | wc -l)" "$1"
    expect_equal "rows that are wrong" "$(awk -F, 'NR == 1 { fields = NF; next } NF != fields || $1 <= last { wrong++ }
        { last = $1 } END { print wrong + 0 }' "$scratch/csv")" 0
    expect_equal "the last character" "$(tail -c 1 "$scratch/csv" | od -An -c | tr -d ' ')" '\n'
}

# A letter for each row: x, or - where the field is empty.
fields_of() { # COLUMN
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; next }
        { printf "%s", $column == "" ? "-" : "x" }' "$scratch/csv"
}

expect_fields() { # COLUMN REGULAR-EXPRESSION
    [[ $(fields_of "$1") =~ ^$2$ ]] || wrong+=("the fields of $1 are $(fields_of "$1"), not $2")
}

kill_agent_of() { on "$1" kill -9 "$(agent_of "$1")"; } # HOST

# Leaves how many rows both hosts can have answered until then: two are always open, and a third may begin meanwhile.
trouble() {
    local before
    before=$(rows)
    lab cut a02
    kill_agent_of b01
    echo "x{$before,$(($(rows) + 3))}" >"$scratch/until_then"
    sleep 1.5
    lab heal a02
}

hosts_that_fail() {
    once_rows 5 trouble
    session <<TRL
explore $hosts
estimate record --root a00 --interval 0.2s --for 10s $file
TRL
    expect_status 1
    expect_said '^estimate: b01: '
    expect_whole 50
    expect_fields 'a00->a03' 'x+'
    expect_fields 'a00->b01' "$(<"$scratch/until_then")-+"
    expect_fields 'a00->a02' "$(<"$scratch/until_then")-{3,}x+"
}

goes_on() {
    session <<TRL
explore $hosts
estimate record --root a00 --interval 0.2s --for 2s $file
estimate record --interval 0.2s --for 2s --root b00 $file
TRL
    expect_status 1
    expect_said 'rtt.csv: is the history of other hosts'
    expect_whole 60
    expect_fields 'a00->b01' "$(<"$scratch/until_then")-+x{10}"
}

interrupted() {
    once_rows 64 on ctl sh -c 'kill -INT $(pgrep -x trellis)'
    session <<TRL
explore $hosts
estimate record --root a00 --interval 0.2s $file
TRL
    expect_said 'interrupted'
    expect_whole "$(rows)"
    expect_fields 'a00->b03' 'x{63,}'
    expect_nothing_left 5000
    expect_within 20000
}

root_dies() {
    on ctl rm "$file"
    once_rows 3 kill_agent_of b03
    session <<TRL
explore $hosts
estimate record --root b03 --interval 0.2s $file
TRL
    expect_status 1
    expect_said '^estimate: b03: '
    expect_said '^estimate: no host is left that measures'
    expect_whole "$(rows)"
    expect_within 20000
}

# Without any host; the trunk's 200 us are in what is foreseen.
answers() {
    session <<TRL
estimate --from $file --json
estimate --from $file --horizon 10s --op barrier
estimate evaluate --windows 2,4 --horizons 1,2 $file
TRL
    expect_status 0
    local expected
    expected=$(head -n 1 "$out" | jq .expected)
    awk -v ms="$expected" 'BEGIN { exit !(ms > 0.2 && ms < 50) }' || wrong+=("$expected ms are expected")
    expect_printed 'RMSE in ms, all estimates'
}

begin_lab two_switches_8
try "hosts that fail leave empty fields" hosts_that_fail
try "a recording goes on in the same file" goes_on
try "Ctrl-C leaves whole rows" interrupted
try "what is foreseen from a recording" answers
try "a recording ends with the host that measures" root_dies
finish
