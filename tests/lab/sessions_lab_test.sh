#!/usr/bin/env bash
# Sessions that stay up, over agents on this machine: front ends that work at once, are interrupted and killed, and
# sessions that end or die. Needs no emulated hosts.
set -euo pipefail
# shellcheck source=tests/lab/session.sh
source "$(dirname "$0")/session.sh"

export XDG_RUNTIME_DIR=$scratch/run
mkdir -m 700 "$XDG_RUNTIME_DIR"
unset TRELLIS_SESSION TRELLIS_SEAT
trap end_sessions EXIT

end_sessions() {
    local name
    for name in $("$trellis" session list 2>/dev/null | sed 's/ .*//'); do
        "$trellis" session end "$name" || true
    done
    rm -rf "$scratch"
}

run() { # ARGUMENT...
    begin_watch
    status=0
    timeout 60 "$trellis" "$@" >"$out" 2>"$err" </dev/null || status=$?
    end_watch
}

# The process that holds a session.
holder() { "$trellis" session list | sed -n "s/^$1 .*process //p"; } # NAME

expect_no_process() { # PATTERN [SECONDS]
    local i
    for ((i = 0; i < ${2:-5} * 10; i++)); do
        pgrep -f "$1" >/dev/null || return 0
        sleep 0.1
    done
    wrong+=("still there: $(pgrep -af "$1" | head -n 3)")
}

# What a command of hosts has started: the whole command line, since the front end's own holds it too.
await_process() { # COMMAND LINE
    local i
    for ((i = 0; i < 100; i++)); do
        if pgrep -fx "$1" >/dev/null; then return 0; fi
        sleep 0.1
    done
    wrong+=("never there: $1")
}

stays_up() {
    run --session one explore 'local[0-3]'
    expect_status 0
    expect_said '^reached 4 of 4 hosts'
    run --session one e 'echo $((6 * 7))'
    expect_status 0
    expect_equal "lines" "$(grep -c ': 42$' "$out")" 4
    run session list
    expect_printed '^one  4 hosts, 0 front ends, since .*, process [0-9]+$'
    run session list --json
    expect_equal "the name as JSON" "$(jq -r .name "$out")" one
    TRELLIS_SESSION=one run e echo from the environment
    expect_equal "lines" "$(grep -c ': from the environment$' "$out")" 4
}

statuses_and_streams() {
    run --session one e 'echo out; echo err >&2; exit 7'
    expect_equal "standard output" "$(sort "$out" | tr '\n' ' ')" "local0: out local1: out local2: out local3: out "
    expect_equal "lines of standard error" "$(grep -c ': err$' "$err")" 4
    [[ $status -ne 0 ]] || wrong+=("exit status 0")
    run --session one nothing
    expect_status 2
    run --session one nothing at all
    expect_status 127
    run --session one -c 'e true; nothing'
    expect_said '^-c:1: unknown command nothing'
    expect_status 127
    printf 'e true\nnothing\n' >"$scratch/batch.trl"
    run --session one "$scratch/batch.trl"
    expect_said "^$scratch/batch.trl:2: unknown command nothing"
    run --session one help
    expect_printed '^explore '
}

local_side_is_the_front_ends() {
    mkdir "$scratch/here"
    (cd "$scratch/here" && "$trellis" --session one -c 'e -o outputs hostname; e hostname | sort > sorted; ! pwd > where')
    expect_equal "files" "$(cd "$scratch/here" && find . -type f -name 'local?' | wc -l)" 4
    expect_equal "lines" "$(wc -l <"$scratch/here/sorted")" 4
    expect_equal "the directory" "$(cat "$scratch/here/where")" "$scratch/here"
    expect_equal "standard input" "$(echo 'e echo typed' | "$trellis" --session one | grep -c typed)" 4
}

several_at_once() {
    local i fronts=()
    for i in 1 2 3 4 5 6 7 8; do
        "$trellis" --session one e "sleep 0.2; echo $i" >"$scratch/out.$i" 2>&1 &
        fronts+=($!)
    done
    wait "${fronts[@]}"
    for i in 1 2 3 4 5 6 7 8; do
        expect_equal "lines of $i" "$(grep -c ": $i\$" "$scratch/out.$i")" 4
    done
}

seats() {
    run --session one smask local0
    run --session one e echo one
    expect_equal "selected" "$(cat "$out")" "local0: one"
    run --session one --seat other e echo all
    expect_equal "selected in another seat" "$(wc -l <"$out")" 4
    run --session one -c 'rmask; cd /usr'
    run --session one e pwd
    expect_equal "hosts in /usr" "$(grep -c ': /usr$' "$out")" 4
    run --session one e 'test $(basename $PWD) = usr && echo yes'
    run --session one smask --where 'stdout ~ yes'
    expect_status 0
    run --session one -c 'rmask; cd'
}

interrupted_alone() {
    local first second
    "$trellis" --session one e 'sleep 4201; true' >"$scratch/first" 2>&1 &
    first=$!
    "$trellis" --session one e 'sleep 2.2; echo done' >"$scratch/second" 2>&1 &
    second=$!
    await_process 'sleep 4201'
    kill -INT "$first"
    status=0
    wait "$first" || status=$?
    [[ $status -ne 0 ]] || wrong+=("the interrupted front end ended with 0")
    expect_no_process 'sleep 4201'
    wait "$second" || wrong+=("the other one ended with $?")
    expect_equal "lines of the other one" "$(grep -c ': done$' "$scratch/second")" 4
}

# A session that stands still lets nobody in; the user need not wait for it.
interrupted_before_it_is_in() {
    local front held i
    held=$(holder one)
    kill -STOP "$held"
    "$trellis" --session one e echo never >"$out" 2>"$err" &
    front=$!
    for ((i = 0; i < 100; i++)); do
        if heeds_interrupts "$front"; then break; fi
        sleep 0.1
    done
    kill -INT "$front"
    status=0
    wait "$front" || status=$?
    kill -CONT "$held"
    expect_status 130
    run --session one e echo later
    expect_equal "lines" "$(grep -c ': later$' "$out")" 4
}

# Whether the process is trellis by now, and handles SIGINT (bit 1 of the mask).
heeds_interrupts() { # PROCESS
    [[ $(cat "/proc/$1/comm") == trellis ]] && awk '/^SigCgt/ { exit !(substr($2, 16) ~ /[2367abef]/) }' "/proc/$1/status"
}

killed() {
    local front
    "$trellis" --session one e 'sleep 4202; true' >/dev/null 2>&1 &
    front=$!
    await_process 'sleep 4202'
    kill -KILL "$front"
    wait "$front" 2>/dev/null || true
    expect_no_process 'sleep 4202'
    run --session one e echo alive
    expect_equal "lines" "$(grep -c ': alive$' "$out")" 4
}

slow_reader() {
    local held before after
    held=$(holder one)
    before=$(awk '/VmRSS/ { print $2 }' "/proc/$held/status")
    "$trellis" --session one e 'head -c 100000000 /dev/zero | tr "\0" x | fold -w 100' 2>/dev/null |
        (sleep 3 && cat) | wc -l >"$scratch/count" &
    sleep 1
    run --session one e echo quick
    expect_within 1500
    expect_equal "lines" "$(grep -c ': quick$' "$out")" 4
    after=$(awk '/VmRSS/ { print $2 }' "/proc/$held/status")
    [[ $((after - before)) -lt 60000 ]] || wrong+=("the session grew by $((after - before)) kB")
    wait $!
    expect_equal "lines of the slow one" "$(cat "$scratch/count")" 4000000
}

started_once() {
    local i fronts=()
    for i in 1 2 3 4 5 6; do
        "$trellis" --session race -c 'explore local[0-1]; e echo here' >"$scratch/out.$i" 2>"$scratch/err.$i" &
        fronts+=($!)
    done
    for i in "${fronts[@]}"; do wait "$i" || wrong+=("a front end ended with $?"); done
    expect_equal "processes that hold it" "$(pgrep -fc 'session hold race$')" 1
    expect_equal "lines" "$(cat "$scratch"/out.[1-6] | grep -c ': here$')" 12
    run session end race
    expect_status 0
}

measures_one_by_one() {
    local first
    "$trellis" --session one infer >"$scratch/first" 2>&1 &
    first=$!
    sleep 0.3
    run --session one infer
    wait "$first" || wrong+=("the first ended with $?")
    expect_status 0
    run --session one show topology
    expect_status 0
}

dead_session() {
    run --session two explore local0
    kill -KILL "$(holder two)"
    sleep 0.2
    run session list
    expect_equal "sessions" "$(cut -d' ' -f1 "$out" | tr '\n' ' ')" "one "
    run session end two
    expect_status 1
    expect_said 'no session is called two'
    run --session two -c 'hosts; explore local0; e echo again'
    expect_printed '^local0: again$'
    expect_status 0
}

front_end_of_a_session_that_dies() {
    "$trellis" --session two e 'sleep 4203; true' >"$out" 2>"$err" &
    local front=$!
    await_process 'sleep 4203'
    kill -KILL "$(holder two)"
    status=0
    wait "$front" || status=$?
    expect_status 1
    expect_said 'session two is gone'
    expect_no_process 'sleep 4203' 20 # nobody adopts the agents
}

ends() {
    run --session two explore local0
    "$trellis" --session two e 'sleep 4204; true' >"$out" 2>"$err" &
    local front=$!
    await_process 'sleep 4204'
    "$trellis" session end two || wrong+=("session end ended with $?")
    status=0
    wait "$front" || status=$?
    expect_status 1
    expect_said 'session two is gone: ended on request'
    expect_no_process 'sleep 4204'
    expect_no_process 'session hold two$'
}

ends_by_signal() {
    run --session two explore local0
    kill -TERM "$(holder two)"
    expect_no_process 'session hold two$'
    [[ ! -e $XDG_RUNTIME_DIR/trellis/two.sock ]] || wrong+=("its socket is left")
}

ends_when_idle() {
    run --session two --idle 1s explore local0
    expect_status 0
    expect_no_process 'session hold two$'
}

ends_when_nobody_can_reach_it() {
    run --session two --idle 2s explore local0
    rm "$XDG_RUNTIME_DIR/trellis/two.sock"
    expect_no_process 'session hold two$'
}

only_its_user() {
    expect_equal "mode of the directory" "$(stat -c %a "$XDG_RUNTIME_DIR/trellis")" 700
    expect_equal "mode of the socket" "$(stat -c %a "$XDG_RUNTIME_DIR/trellis/one.sock")" 600
    chmod 750 "$XDG_RUNTIME_DIR/trellis"
    run --session one hosts
    expect_status 1
    expect_said 'is open to others'
    chmod 700 "$XDG_RUNTIME_DIR/trellis"
    if [[ $EUID -eq 0 ]]; then
        chown 65534 "$XDG_RUNTIME_DIR/trellis"
        run --session one hosts
        expect_status 1
        expect_said 'belongs to user 65534'
        chown 0 "$XDG_RUNTIME_DIR/trellis"
    fi
    run --session '../one' hosts
    expect_status 2
}

as_gxp_users_write_it() {
    run gxpc explore 'local[[0-3]]'
    expect_status 0
    run gxpc e 'uname -s'
    expect_equal "lines" "$(grep -c ': Linux$' "$out")" 4
    run gxpc e -h local0 'test $(hostname) && echo picked'
    expect_equal "picked" "$(cat "$out")" "local0: picked"
    run gxpc smask
    run gxpc bcp
    expect_status 2
    expect_said 'trellis-migration'
    run gxpc quit
    expect_status 0
    expect_no_process 'session hold gxp$'
}

try "a session stays up between commands" stays_up
try "GXP's commands as its users write them" as_gxp_users_write_it
try "each front end has its exit status and its streams" statuses_and_streams
try "files, programs and input are the front end's" local_side_is_the_front_ends
try "several front ends work at once" several_at_once
try "seats keep selection and directory" seats
try "Ctrl-C ends the command of one front end" interrupted_alone
try "Ctrl-C ends a front end that nobody lets in" interrupted_before_it_is_in
try "what a killed front end ran is ended" killed
try "a slow reader holds up nobody" slow_reader
try "of several that start a session one does" started_once
try "measurements wait for one another" measures_one_by_one
try "a dead session is recognised and replaced" dead_session
try "a front end survives its session's death" front_end_of_a_session_that_dies
try "a session ends on request" ends
try "a session ends by SIGTERM" ends_by_signal
try "a session ends when nobody uses it" ends_when_idle
try "a session ends when nobody can reach it" ends_when_nobody_can_reach_it
try "a session is its user's alone" only_its_user
finish
