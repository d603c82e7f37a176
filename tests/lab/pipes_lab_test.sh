#!/usr/bin/env bash
# Pipes between this side and processes on real hosts: a master with workers, standard input to all, a terminal.
set -euo pipefail
# shellcheck source=tests/lab/session.sh
source "$(dirname "$0")/session.sh"

begin_lab two_switches_8
all='a[00-03] b[00-03]'

# The master sends one line down and counts what comes up.
master_and_workers() {
    lab exec -i ctl sh -c 'cat > /tmp/master' <<'SH'
echo 100000
exec 1>&2  # the end of the workers' input
sort | uniq -c | awk '$1 == 1 && NF == 3 { lines[$2]++ } END { for (host in lines) print host, lines[host] }' |
    sort > /tmp/counted
SH
    session <<TRL
explore $all
mw 'sh /tmp/master' -- 'read lines; seq -f "\$(hostname) %.0f" \$lines'
! cat /tmp/counted
TRL
    expect_equal "whole lines, once each" "$(tr '\n' ' ' <"$out")" \
        "a00 100000 a01 100000 a02 100000 a03 100000 b00 100000 b01 100000 b02 100000 b03 100000 "
    expect_status 0
}

other_descriptors() {
    session <<TRL
explore $all
mw --up 4=5 --down 3=6 'echo word >&6; exec 6>&-; sort <&5 | tr "\\n" " "' -- 'read w <&3; echo \$w \$(hostname) >&4; echo shown'
TRL
    expect_printed 'word a00 word a01 word a02 word a03 word b00 word b01 word b02 word b03'
    expect_equal "labelled lines" "$(grep -c ': shown$' "$out")" 8
    expect_status 0
}

a_master_that_has_had_enough() {
    session <<<"explore $all; mw 'head -n 3 > /dev/null' -- 'yes'"
    expect_said ': signal 13|: exit 141'
    expect_within 20000
    expect_equal "workers left" "$(processes_left '^yes$')" 0
}

a_master_that_fails() {
    session <<<"explore $all; mw 'cat > /dev/null; exit 5' -- 'exit 3'"
    expect_said 'master ended with status 5'
    expect_said ': exit 3$'
    expect_status 5
}

input_to_all_hosts_but_a_dead_one() {
    session <<TRL
explore $all
! head -c 30000000 /dev/urandom > /tmp/input
! (sleep 0.3; ssh a02 pkill -KILL -f agentd-) > /dev/null 2>&1 &
e 'cat > /tmp/copy' < /tmp/input
e 'md5sum < /tmp/copy' | cut -d ' ' -f 2 | sort | uniq -c | awk '{ print \$1 }'
TRL
    expect_said 'a02: lost'
    expect_printed '^7$'
}

a_script_is_not_eaten() {
    session <<TRL
explore a00
e -i cat
e echo after
TRL
    expect_said 'standard input is the script'
    expect_printed 'a00: after'
}

a_terminal_on_one_host() {
    status=0
    lab exec -t ctl "$trellis" -c "explore a00; e --pty 'tty; test -t 0 && test -t 1 && echo both; exit 3'" \
        >"$out" 2>"$err" </dev/null || status=$?
    expect_printed '/dev/pts/[0-9]+'
    expect_printed 'both'
    [[ $status -ne 0 ]] || wrong+=("exit status 0")
}

try "a terminal on one host" a_terminal_on_one_host
try "a master and workers, every line once" master_and_workers
try "other descriptors" other_descriptors
try "a master that has had enough ends the workers" a_master_that_has_had_enough
try "statuses of both sides" a_master_that_fails
try "input to all hosts but a dead one" input_to_all_hosts_but_a_dead_one
try "a script on standard input is not eaten" a_script_is_not_eaten
finish
