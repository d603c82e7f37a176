#!/usr/bin/env bash
# What happens when something dies or falls silent under a running command: 8 hosts on 2 switches.
set -euo pipefail
# shellcheck source=tests/lab/session.sh
source "$(dirname "$0")/session.sh"

begin_lab two_switches_8
all='a[00-03] b[00-03]'

kill_agent() { on "$1" kill -9 "$(agent_of "$1")"; }

killed_agent() {
    after_begun 8 0.5 kill_agent b03
    session <<<"explore $all; e 'echo begun; sleep 6.5; echo done'"
    expect_said '^b03: lost'
    expect_printed '^a00: done$'
    expect_equal "the number of hosts that ended well" "$(grep -c ': done$' "$out")" 7
    expect_printed '^b03: begun$'
    expect_status 1
    expect_nothing_left 3000
    expect_nothing_left 1000 '^sleep 6.5'
}

killed_job() {
    session_until_begun 1 <<<"explore b03; e 'echo begun; sleep 61.5'"
    kill_agent b03
    sleep 3
    expect_equal "jobs of the killed agent" "$(count_on b03 '^sleep 61.5')" 0
    wait "$running" || true
    expect_said '^b03: lost'
}

# The lines 1 to 80 of each of these hosts, each once and in order.
count="e 'echo begun; for i in \$(seq 80); do echo line \$i; sleep 0.1; done'"
expect_counted() { # HOST...
    local host
    for host in "$@"; do
        diff -q <(grep "^$host: line" "$out") <(seq -f "$host: line %g" 80) >/dev/null ||
            wrong+=("lines of $host are missing, double or in disorder")
    done
}

killed_relay() {
    after_begun 6 0.5 kill_agent a00
    session <<<"use ssh here a*; use ssh a[00-01] b*; explore a[00-01]; explore b[00-03]; $count; e hostname"
    expect_said '^a00: lost'
    expect_counted a01 b00 b01 b02 b03
    expect_equal "the number of hosts that answered later" "$(awk -F ': ' '$1 == $2' "$out" | wc -l)" 5
    expect_within 40000
    expect_nothing_left 3000
}

broken_connection() {
    after_begun 8 0.5 on b03 sh -c "kill -9 \$(pgrep -f 'sshd: root@notty')"
    session <<<"explore $all; $count"
    expect_counted a00 a01 a02 a03 b00 b01 b02 b03
    expect_status 0
    expect_within 30000
    expect_nothing_left 3000
}

silent_link() {
    after_begun 8 0 lab cut b02
    session <<<"explore $all; e 'echo begun; sleep 8; echo done'; e hostname"
    lab heal b02
    expect_said '^b02: silent'
    expect_said '^b02: lost'
    expect_within 45000
    expect_equal "the number of hosts that ended well" "$(grep -c ': done$' "$out")" 7
    expect_printed '^a00: a00$'
    expect_nothing_left 40000
}

short_cut() {
    after_begun 8 0 lab cut b02
    after_begun 8 6 lab heal b02
    session <<<"explore $all; e 'echo begun; sleep 12; echo done'"
    expect_said '^b02: silent'
    expect_status 0
    expect_equal "the number of hosts that ended well" "$(grep -c ': done$' "$out")" 8
}

killed_shell() {
    session_until_begun 8 <<<"explore $all; e 'echo begun; sleep 77.5'"
    expect_equal "jobs before" "$(processes_left '^sleep 77.5')" 8
    on ctl sh -c 'kill -9 $(pgrep -x trellis)'
    wait "$running" || true
    expect_nothing_left 20000
    expect_nothing_left 1000 '^sleep 77.5'
}

interrupted() {
    after_begun 8 0 on ctl sh -c 'kill -INT $(pgrep -x trellis)'
    session <<<"explore $all; e 'echo begun; sleep 78.5'"
    expect_equal "what was printed before" "$(grep -c ': begun$' "$out")" 8
    expect_within 30000
    expect_nothing_left 3000
    expect_nothing_left 1000 '^sleep 78.5'
}

timed_out() {
    session <<<"explore $all; e --timeout 1s 'test \$(hostname) = b01 && sleep 79.5; echo done'"
    expect_said '^b01: timed out'
    expect_equal "the number of hosts that ended well" "$(grep -c ': done$' "$out")" 7
    expect_within 30000
    expect_nothing_left 3000
}

# Out of its process group and of its agent's reach, but not of the guardian's.
daemons() {
    session <<TRL
explore $all
e 'setsid sh -c "(nohup sleep 81.5 &)" >/dev/null 2>&1; echo left'
e 'sleep 0.5; pgrep -c -f "^sleep 81.5"'
TRL
    expect_equal "hosts with a daemon" "$(grep -c ': 1$' "$out")" 8
    expect_nothing_left 3000
    expect_nothing_left 1000 '^sleep 81.5'
}

jobs_at_the_end() {
    session <<TRL
explore $all
e 'echo begun; sleep 84.5' &
e sleep 84.5 &
e 'trap "" TERM INT; sleep 84.5 & wait; sleep 84.5' &
e 'sleep 0.5; pgrep -c -f "^sleep 84.5"'
kill -STOP %2
e 'sleep 0.5; ps -eo stat=,args= | grep -c "^T[a-z]* *sleep 84.5"'
TRL
    expect_equal "jobs of each host" "$(grep -c ': 3$' "$out")" 8
    expect_equal "hosts with a stopped job" "$(grep -c ': 1$' "$out")" 8
    expect_said '^ending \[1\] running \(8 of 8 hosts\)'
    expect_said '^ending \[2\] suspended \(8 of 8 hosts\)'
    expect_within 20000
    expect_nothing_left 3000
    expect_nothing_left 1000 '^sleep 84.5'
}

stranger() {
    local longest
    on_background b03 "$scratch/knock" python3 "$lab_folder/knock.py" 12
    for _ in {1..100}; do
        ! grep -qs begun "$scratch/knock" || break
        sleep 0.1
    done
    session <<<"explore $all; infer > /dev/null; infer > /dev/null; infer > /dev/null"
    wait "$background" || true
    expect_status 0
    grep -qE '^[1-9][0-9]* ports, [1-9][0-9]* connections, 0 bytes' "$scratch/knock" ||
        wrong+=("the stranger: $(cat "$scratch/knock")")
    longest=$(sed -nE 's/.* within ([0-9]+) ms.*/\1/p' "$scratch/knock")
    [[ ${longest:-9999} -le 1500 ]] || wrong+=("the stranger was let wait: $(cat "$scratch/knock")")
    expect_said '^b03: closed a connection from .*did not prove'
    # At most once for each inference.
    expect_equal "too many complaints" "$(($(grep -c '^b03: closed a connection' "$err") > 3))" 0
    expect_nothing_left 3000
}

# The agent is killed as soon as it listens for the others: it does so only while infer measures, here for so long that
# a busy machine finds it in time.
killed_agent_in_infer() {
    on_background b03 "$scratch/killed" timeout 60 sh -c \
        "until ss -Hltn 'sport != :22' | grep -q .; do :; done; kill -9 \$(pgrep -f '[a]gentd-.*--serve' | tail -n 1)"
    local infer='infer --gentle --anew > /dev/null'
    session <<<"explore $all; $infer; $infer; $infer; e hostname"
    wait "$background" || wrong+=("no agent was killed: $(cat "$scratch/killed")")
    expect_said 'b03: lost|infer: b03:'
    expect_printed '^a00: a00$'
    expect_within 60000
    expect_nothing_left 3000
}

places='/tmp /var/tmp /dev/shm /root'
empty_caches="rm -rf /tmp/trellis-root /var/tmp/trellis-root /dev/shm/trellis-root /root/.cache/trellis-root"
empty_disks() { on b03 sh -c "for d in $places; do rm -f \$d/full; done"; }

disk_filled_by_the_command() {
    session <<<"explore $all
e 'if [ \$(hostname) = b03 ]; then for d in $places; do head -c 1G /dev/zero >\$d/full; done; fi && echo done'
e hostname"
    empty_disks
    expect_said '^b03: .*No space left'
    expect_said '^b03: exit 1'
    expect_equal "the number of hosts that ended well" "$(grep -c ': done$' "$out")" 7
    expect_equal "the number of hosts that answered later" "$(awk -F ': ' '$1 == $2' "$out" | wc -l)" 8
    expect_status 1
    expect_nothing_left 3000
}

# Too little is left for the agent's file, but enough for the trial before it.
disk_full_in_the_push() {
    on b03 sh -c "$empty_caches
        for d in $places; do head -c 1G /dev/zero >\$d/full 2>/dev/null; truncate -s -256K \$d/full; done; true"
    session <<<"explore $all; e hostname"
    empty_disks
    expect_said '^b03: cannot start: .*No space left'
    expect_equal "the number of hosts that answered" "$(grep -c . "$out")" 7
    expect_within 15000
    expect_equal "files left by the push" "$(on b03 sh -c "ls -A /tmp/trellis-root /var/tmp/trellis-root \
        /dev/shm/trellis-root /root/.cache/trellis-root 2>/dev/null | grep -c agentd" || true)" 0
    expect_nothing_left 3000
    session <<<"explore b03; e hostname"
    expect_printed '^b03: b03$'
}

try "a command that fills the disks" disk_filled_by_the_command
try "a disk that fills up while the agent is sent" disk_full_in_the_push
try "an agent that is killed under a command" killed_agent
try "a stranger at the ports of infer" stranger
try "an agent that is killed under infer" killed_agent_in_infer
try "the jobs of a killed agent" killed_job
try "a relay that is killed: others adopt what was below it" killed_relay
try "a connection that breaks is replaced" broken_connection
try "a link that is cut silently" silent_link
try "a link that comes back in time" short_cut
try "the shell killed" killed_shell
try "Ctrl-C" interrupted
try "a command that leaves daemons" daemons
try "jobs at the end of a session" jobs_at_the_end
try "a command that takes too long on one host" timed_out
finish
