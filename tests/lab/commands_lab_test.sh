#!/usr/bin/env bash
# The commands in whole sessions: selection, output, files, mistakes.
set -euo pipefail
# shellcheck source=tests/lab/session.sh
source "$(dirname "$0")/session.sh"

begin_lab two_switches_8
all='a[00-03] b[00-03]'

selections() {
    session <<TRL
explore $all
e 'test \$(hostname) != a02'
smask
e echo one
smask b[[00;01]]
e echo two
smask - b00
e echo three
rmask
e echo four
TRL
    expect_equal "where the last command succeeded" "$(grep -c ': one$' "$out")" 7
    expect_equal "by name" "$(grep -c ': two$' "$out")" 2
    expect_equal "one taken away" "$(grep ': three$' "$out")" "b01: three"
    expect_equal "all again" "$(grep -c ': four$' "$out")" 8
    expect_said '^a02: exit 1'
}

hosts_from_elsewhere_are_explained() {
    on ctl sh -c 'echo "a[00-01] # two" >/tmp/list'
    session <<'TRL'
explore nowhere
explore -f /tmp/list --table /etc/hosts --pick '/^[ab]0[01]$/'
explore a[00-02]
explain a02 nowhere
TRL
    expect_said '^reached 4 of 4 hosts in '
    expect_said '^reached 3 of 3 hosts in .*, 2 of them before$'
    expect_printed '^a02: alive, here -> (.* -> )?a02$'
    expect_printed ' by ssh, no rule: ssh -l root a02$'
    expect_printed '^    reached in '
    expect_printed '^nowhere: not reached: unreachable: '
    expect_printed '^    unreachable: nowhere: .* \(after '
}

directories_and_variables() {
    session <<TRL
explore a00 b00
cd /usr
export COLOUR=blue
e 'pwd; echo \$COLOUR'
e umask
TRL
    expect_printed "^a00: $(on ctl ssh a00 umask)$" # what users make there is not theirs alone
    expect_printed '^a00: /usr$'
    expect_printed '^b00: blue$'
    expect_status 0
}

local_programs() {
    session <<TRL
explore $all
e hostname | sort | head -n 1
e echo x > /tmp/answers
! wc -l < /tmp/answers
e 'echo wrong >&2' 2> /tmp/errors
! readlink /proc/self/fd/* | grep -c ^socket:
TRL
    expect_equal "the lines, and the sockets that a program gets" "$(tr '\n' ' ' <"$out")" "a00: a00 8 0 "
    expect_equal "errors" "$(on ctl grep -c wrong /tmp/errors)" 8
}

json_lines() {
    session <<<"explore --json a00 nowhere; e --json 'echo x; exit 3'"
    expect_equal "malformed lines" "$(jq -c . <"$out" >/dev/null 2>&1 || echo some)" ""
    expect_printed '"host":"a00".*"line":"x"'
    expect_printed '"code":3'
    expect_printed '"outcome":"unreachable"'
}

control_characters_stay_in_files() {
    session <<<"explore a00; e 'printf \"\\033[31mred\\n\"'"
    expect_printed 'red'
}

much_output() {
    session <<<"explore $all; e 'seq 1 50000' | wc -l"
    expect_equal "the number of lines" "$(cat "$out")" 400000
}

saved_and_loaded() {
    session <<<"explore $all; infer > /dev/null; save /tmp/session.json"
    expect_status 0
    session <<<"load /tmp/session.json; topics; show topology"
    expect_printed '^topology: topology of 8 hosts, loaded'
}

nothing_listens_afterwards() {
    session <<<"explore $all; infer; e 'sleep 0.5; ss -Hltn | grep -v :22'"
    expect_equal "listening ports" "$(grep -cE '^[ab]0[0-3]: LISTEN' "$out")" 0
}

mistakes() {
    session <<<'explor a00'
    expect_said "explor.*explore"
    expect_status 127
    session <<<'e --tiemout 3 x'
    expect_said 'timeout'
    session <<<"e 'open"
    expect_status 2
    expect_said '[0-9]'
    session <<<'explore a[00-'
    expect_status 2
    session <<<'topology draw /etc/passwd'
    expect_said '/etc/passwd.*(expected|line)'
    session <<<'infer'
    expect_said 'explore|select'
}

two_names_of_one_machine() {
    local address
    address=$(on ctl getent hosts a00 | awk '{ print $1 }')
    session <<<"explore a00 $address; e hostname"
    expect_equal "agents that answered" "$(grep -c . "$out")" 1
    expect_said 'a00'
}

# At the prompt of a terminal, which then stands on a line of its own.
ended_by_a_signal() {
    local shell keys
    mkfifo "$scratch/keys"
    exec {keys}<>"$scratch/keys"
    : >"$out"
    script -qec "$lab_folder/lab exec -t ctl $trellis --no-history" /dev/null <&"$keys" >"$out" 2>"$err" &
    shell=$!
    until grep -q 'trellis\[0/0/0\]> ' "$out" || ! kill -0 "$shell" 2>/dev/null; do sleep 0.1; done
    on ctl sh -c 'kill -TERM $(pgrep -x trellis)'
    wait "$shell" || true
    exec {keys}<&-
    expect_printed 'trellis\[0/0/0\]> '
    expect_equal "the last byte" "$(tail -c 1 "$out" | od -An -c | tr -d ' ')" '\n'
    expect_nothing_left 1000 "^$trellis"
}

try "selection by outcome, name and rest" selections
try "hosts from files and tables, and how they were reached" hosts_from_elsewhere_are_explained
try "directories and variables" directories_and_variables
try "pipes, files and local commands" local_programs
try "every line of --json is an object" json_lines
try "output to a file is left as it is" control_characters_stay_in_files
try "much output, none lost" much_output
try "a session saved and loaded" saved_and_loaded
try "no port is left open" nothing_listens_afterwards
try "mistakes are named" mistakes
try "a signal at the prompt" ended_by_a_signal
try "two names of one machine are noticed" two_names_of_one_machine
finish
