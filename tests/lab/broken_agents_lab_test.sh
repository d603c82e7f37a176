#!/usr/bin/env bash
# Agents that talk nonsense, say nothing or stand still, on one of 8 hosts: what is told, and that the others go on.
set -euo pipefail
# shellcheck source=tests/lab/session.sh
source "$(dirname "$0")/session.sh"

begin_lab two_switches_8
all='a[00-03] b[00-03]'
agent=$build/bin/trellis-agentd
kept=/var/tmp/trellis-root/agentd-$(sha256sum "$agent.light.zst" "$agent.zst" |
    awk '{ printf "%s", $1 }' | sha256sum | cut -d ' ' -f 1)

# The agent's file of a host: the script of standard input, or none.
agent_is() { # HOST
    lab exec -i "$1" sh -c 'mkdir -p -m 700 "$(dirname "$0")"; rm -f "$0"; cat >"$0"; chmod 700 "$0"; touch "$0.zst"' "$kept"
}
agent_is_real() { # HOST
    on "$1" rm -f "$kept" "$kept.zst"
}

# The real agent, whose stream is joined by these bytes (as printf has them) once the file /run/now is there.
agent_that_adds() { # HOST BYTES
    on "$1" rm -f /run/now
    agent_is "$1" <<SCRIPT
#!/bin/sh
exec 3<&0
"$agent" "\$@" <&3 3<&- &
while kill -0 \$! 2>/dev/null && [ ! -e /run/now ]; do sleep 0.05; done
[ ! -e /run/now ] || printf '$2'
exec 3<&-
wait
exit
SCRIPT
}

# An agent that only says that it has started, and then what the script says.
agent_that_only() { # HOST SCRIPT
    agent_is "$1" <<SCRIPT
#!/bin/sh
printf '\\n%s started\\n' "\$2"
$2
exit
SCRIPT
}

expect_no_agent_left() {
    expect_nothing_left 3000 '[-]-serve'
}

# The lines of standard error about b03.
expect_said_once() { # REGULAR EXPRESSION
    expect_said "^b03: $1"
    expect_equal "the number of lines about b03" "$(grep -c '^b03' "$err")" 1
}

in_the_middle() { # BYTES REGULAR EXPRESSION
    agent_that_adds b03 "$1"
    after_begun 8 0.5 on b03 touch /run/now
    session <<<"explore $all; e 'echo begun; sleep 2.5; echo done'; e hostname"
    agent_is_real b03
    expect_said_once "$2"
    expect_printed '^b03: begun$'
    expect_equal "the number of hosts that ended well" "$(grep -c ': done$' "$out")" 7
    expect_equal "the number of hosts that answered later" "$(awk -F ': ' '$1 == $2' "$out" | wc -l)" 7
    expect_no_agent_left
    expect_nothing_left 1000 '^sleep 2.5'
}

garbage() {
    in_the_middle 'this is no frame, but words that a library prints' 'lost: what it sends is no frame'
}
oversized_frame() {
    in_the_middle '\377\377\377\177\014\000\000\000\001\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000' \
        'lost: .*exceeds the limit'
}
command_from_below() {
    in_the_middle '\000\000\000\000\017\000\000\000\001\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000' \
        'lost: .*not its own'
}

garbage_is_met_at_once() {
    agent_that_adds b03 'this is no frame, but words that a library prints'
    session_until_begun 8 <<<"explore $all; e 'echo begun; sleep 4; echo done'"
    begin_watch
    on b03 touch /run/now
    until [[ $(count_on b03 '^sshd: root@') -eq 0 || $took -gt 3000 ]]; do
        sleep 0.05
        end_watch
    done
    expect_within 1000
    wait "$running" || true
    agent_is_real b03
    expect_said_once 'lost: what it sends is no frame'
    expect_no_agent_left
}

garbage_at_a_relay() {
    agent_that_adds b03 'this is no frame, but words that a library prints'
    after_begun 8 0.5 on b03 touch /run/now
    session <<<"use ssh here a*; use ssh a00 b*
explore $all; e 'echo begun; sleep 2.5; echo done'; e hostname"
    agent_is_real b03
    expect_said_once 'lost: what it sends is no frame'
    expect_equal "the number of hosts that ended well" "$(grep -c ': done$' "$out")" 7
    expect_equal "the number of hosts that answered later" "$(awk -F ': ' '$1 == $2' "$out" | wc -l)" 7
    expect_no_agent_left
}

instead_of_a_greeting() { # SCRIPT REGULAR EXPRESSION
    agent_that_only b03 "$1"
    session --timeout 3s <<<"explore $all; e hostname"
    agent_is_real b03
    expect_said_once "$2"
    expect_equal "the number of hosts that answered" "$(grep -c . "$out")" 7
    expect_status 1
    expect_within 7000
    expect_no_agent_left
}

garbage_first() {
    instead_of_a_greeting 'echo "this is no frame, but words that a library prints"; cat >/dev/null' \
        'cannot start: what it sends is no frame'
    expect_within 2500
}
no_greeting() {
    instead_of_a_greeting 'cat >/dev/null' 'timed out'
}
early_end() {
    instead_of_a_greeting 'exit 3' 'cannot start: it ended before it greeted'
    expect_within 2500
}
no_start() {
    agent_is b03 <<<$'#!/bin/sh\ncat >/dev/null\nexit'
    session --timeout 3s <<<"explore $all; e hostname"
    agent_is_real b03
    expect_said_once 'timed out in starting the agent'
    expect_equal "the number of hosts that answered" "$(grep -c . "$out")" 7
    expect_within 7000
    expect_no_agent_left
}

stop_agent() { on "$1" kill -STOP "$(agent_of "$1")"; }
continue_agent() { on "$1" kill -CONT "$(agent_of "$1")"; }

stopped_for_a_while() {
    after_begun 8 0 stop_agent b03
    after_begun 8 5 continue_agent b03
    session <<<"explore $all; e 'echo begun; sleep 7; echo done'; e hostname"
    expect_status 0
    expect_said '^b03: silent'
    expect_said '^b03: speaks again'
    expect_equal "the number of hosts that ended well" "$(grep -c ': done$' "$out")" 8
    expect_equal "the number of hosts that answered later" "$(awk -F ': ' '$1 == $2' "$out" | wc -l)" 8
    expect_nothing_left 3000
}

stopped_for_long() {
    after_begun 8 0 stop_agent b03
    session --lease 6s <<<"explore $all; e 'echo begun; sleep 2; echo done'; e hostname"
    expect_said '^b03: silent'
    expect_said '^b03: lost'
    expect_equal "the number of hosts that ended well" "$(grep -c ': done$' "$out")" 7
    expect_equal "the number of hosts that answered later" "$(awk -F ': ' '$1 == $2' "$out" | wc -l)" 7
    expect_within 12000
    continue_agent b03 2>/dev/null || true
    expect_nothing_left 3000
}

# The agent that is to log in to others stands still.
stopped_relay() {
    session --lease 6s --timeout 3s <<'TRL'
use ssh here a*
use ssh a00 b*
explore a[00-03]
! ssh a00 'kill -STOP $(pgrep -f "[a]gentd-.*--serve" | tail -n 1)'
explore b[00-03]
e hostname
TRL
    expect_said '^b.*: timed out: the host that logs in to it is silent'
    expect_said '^a00: lost'
    expect_equal "the number of hosts that answered" "$(tr '\n' ' ' <"$out" | wc -w)" 6
    expect_within 15000
    continue_agent a00 2>/dev/null || true
    expect_nothing_left 3000
}

try "an agent's stream turns into garbage" garbage
try "a frame that is too large" oversized_frame
try "a frame that only a parent may send" command_from_below
try "garbage ends the connection within a second" garbage_is_met_at_once
try "garbage that a relay meets" garbage_at_a_relay
try "garbage instead of a greeting" garbage_first
try "an agent that never greets" no_greeting
try "an agent that ends at once" early_end
try "an agent that never starts" no_start
try "an agent that is stopped and continued" stopped_for_a_while
try "an agent that is stopped for longer than its lease" stopped_for_long
try "an agent that is stopped when it should log in to others" stopped_relay
finish
