# What the tests of whole sessions share: a laboratory, sessions of trellis on its host ctl, and what is expected of
# them. Sourced by the *_lab_test.sh; they print "ok NAME", "not ok NAME" or "skip NAME: REASON" for each test. On a
# virtual machine whose processors are given to others for a while, what took too long only for that is no failure:
# that part of the test is skipped, and said to be.
# shellcheck shell=bash

lab_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(realpath "${TRELLIS_BUILD:-$lab_folder/../../build}")
trellis=$build/bin/trellis
export LAB_NAME="test-$$"
scratch=$(mktemp -d)
failed_tests=0
wrong=()
slowed=()

# Left by session(): what it printed, its exit status, how many milliseconds it took, and how many of them other guests
# took from all our processors together.
out=$scratch/out
err=$scratch/err
status=0
took=0
stolen=0

lab() { "$lab_folder/lab" "$@"; }

on() { # HOST COMMAND...
    lab exec "$@"
}

begin_lab() { # NAME [OPTION...]
    trap end_lab EXIT
    lab up "$lab_folder/files/$1.lab" "${@:2}" --visible "$build" --until $$
    mapfile -t lab_hosts < <(lab status | awk '$2 == "running" { print $1 }')
}

end_lab() {
    lab down >/dev/null 2>&1 || true
    rm -rf "$scratch"
}

now_ms() { date +%s%3N; }

stolen_ms() { awk -v hertz="$(getconf CLK_TCK)" '$1 == "cpu" { print int($9 * 1000 / hertz) }' /proc/stat; }

begin_watch() {
    watch_begin=$(now_ms)
    watch_stolen=$(stolen_ms)
    took=0
    stolen=0
}

# Sets `took` and `stolen`.
end_watch() {
    took=$(($(now_ms) - watch_begin))
    stolen=$(($(stolen_ms) - watch_stolen))
}

# Runs the lines of standard input as a session on ctl.
session() { # [OPTION...]
    begin_watch
    status=0
    timeout "${session_limit:-300}" "$lab_folder/lab" exec -i ctl "$trellis" "$@" >"$out" 2>"$err" || status=$?
    end_watch
}

# Runs one test function; it is wrong if an expectation failed.
try() { # NAME FUNCTION [ARGUMENT...]
    wrong=()
    slowed=()
    "${@:2}" </dev/null || wrong+=("$2 ended with status $?")
    if [[ ${#wrong[@]} -eq 0 ]]; then
        echo "ok $1"
        [[ ${#slowed[@]} -eq 0 ]] || printf 'skip timing of %s\n' "${slowed[@]/#/$1: }"
        return
    fi
    failed_tests=$((failed_tests + 1))
    echo "not ok $1"
    printf '    %s\n' "${wrong[@]}"
    printf '    exit status %s after %s ms; standard output:\n' "$status" "$took"
    sed 's/^/        /' "$out" | tail -n 15
    echo "    standard error:"
    sed 's/^/        /' "$err" | tail -n 15
}

finish() {
    [[ $failed_tests -eq 0 ]]
    exit
}

expect_said() { # REGULAR EXPRESSION, in standard error
    grep -qE -- "$1" "$err" || wrong+=("nothing was said like: $1")
}

expect_printed() { # REGULAR EXPRESSION, in standard output
    grep -qE -- "$1" "$out" || wrong+=("nothing was printed like: $1")
}

expect_status() { # NUMBER
    [[ $status -eq $1 ]] || wrong+=("exit status $status, not $1")
}

expect_within() { # MILLISECONDS
    if [[ $took -le $1 ]]; then return; fi
    if [[ $((took - stolen)) -gt $1 ]]; then
        wrong+=("took $took ms, not at most $1")
    else
        slowed+=("took $took ms, not at most $1, but this machine's processors were taken away for $stolen ms")
    fi
}

expect_equal() { # WHAT GOT WANTED
    [[ $2 == "$3" ]] || wrong+=("$1 is '$2', not '$3'")
}

# The processes on a host whose command line matches.
count_on() { # HOST PATTERN
    on "$1" pgrep -c -f "$2" 2>/dev/null || true
}

# Agents and what they started, on all hosts together.
processes_left() { # [PATTERN]
    local host sum=0 count
    for host in "${lab_hosts[@]}"; do
        count=$(count_on "$host" "${1:-[a]gentd-}")
        sum=$((sum + ${count:-0}))
    done
    echo "$sum"
}

# Waits until no agent runs anywhere, or nothing that matches; leaves `took` as it is.
expect_nothing_left() { # MILLISECONDS [PATTERN]
    local took stolen
    begin_watch
    while [[ $(processes_left "${2:-}") -gt 0 ]]; do
        end_watch
        if [[ $((took - stolen)) -gt $1 ]]; then
            wrong+=("$(processes_left "${2:-}") processes are left after $took ms")
            return
        fi
        sleep 0.3
    done
}

# Runs a program on a host in the background; its last words go to a file.
on_background() { # HOST FILE COMMAND...
    local host=$1 file=$2
    shift 2
    lab exec "$host" "$@" >"$file" 2>&1 </dev/null &
    # shellcheck disable=SC2034  # for the test to wait for
    background=$!
}

# Runs a command once this many hosts have printed "begun" (within a minute) and some seconds have passed.
after_begun() { # HOSTS SECONDS COMMAND...
    local hosts=$1 seconds=$2
    shift 2
    : >"$out"
    (
        SECONDS=0
        until [[ $(grep -c ': begun$' "$out") -ge $hosts ]]; do
            sleep 0.1
            [[ $SECONDS -lt 60 ]] || exit
        done
        sleep "$seconds"
        "$@"
    ) >/dev/null 2>&1 &
}

# Starts the lines of standard input as a session; returns when this many hosts have printed "begun". To be waited for
# as "$running".
session_until_begun() { # HOSTS [OPTION...]
    : >"$out"
    cat >"$scratch/in"
    lab exec -i ctl "$trellis" "${@:2}" <"$scratch/in" >"$out" 2>"$err" &
    # shellcheck disable=SC2034  # for the test to wait for
    running=$!
    until [[ $(grep -c ': begun$' "$out") -ge $1 ]] || ! kill -0 "$running" 2>/dev/null; do sleep 0.1; done
}

# The number of the agent's process; its guardian's comes before it.
agent_of() { on "$1" pgrep -f '[a]gentd-.*--serve' | tail -n 1; } # HOST
