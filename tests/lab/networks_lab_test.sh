#!/usr/bin/env bash
# A whole session on each other kind of laboratory: explore, a command, infer, and nothing left behind.
set -euo pipefail
# shellcheck source=tests/lab/session.sh
source "$(dirname "$0")/session.sh"

# Host ranges, how many hosts, and what to say before exploring, for the laboratory that is up.
hosts=
count=0
rules=

expect_answers() {
    expect_status 0
    expect_said "^reached $count of $count hosts"
    expect_equal "hosts that answered with their own name" "$(awk -F ': ' 'NF == 2 && $1 == $2' "$out" | wc -l)" "$count"
    expect_nothing_left 5000
}

whole_session() {
    session <<<"explore $hosts
e hostname
infer"
    expect_answers
    expect_said "; $count hosts, [0-9]+ switch"
}

# Through a gateway; no infer, for the hosts on either side of it cannot reach one another.
session_by_rules() {
    session <<<"$rules
explore $hosts
e hostname"
    expect_answers
}

whole_session_on() { # FILE HOSTS COUNT
    hosts=$2
    count=$3
    begin_lab "$1"
    try "a session on $1" whole_session
    lab down
}

session_through_gateway() { # WAY
    hosts='a[00-02] gw b[00-02]'
    count=7
    rules=$'use ssh here gw\nuse ssh here a*\n'"use $1 gw b*"
    begin_lab gateway_6
    try "hosts behind a gateway by use $1" session_by_rules
    lab down
}

# The user's ssh knows how the inner hosts are reached: nothing is said about it to trellis.
ssh_config() { on ctl sh -c 'printf "$0" >/tmp/config' "$1"; }

jump_session() { # [WHAT TO SAY BEFORE EXPLORING]
    session -F /tmp/config <<<"${1-}
explore a[00-02] gw b[00-02]
e hostname"
    expect_answers
}

jump_host() {
    ssh_config 'Host b*\n ProxyJump gw\n'
    jump_session
}

jump_host_of_another_name() {
    ssh_config 'Host gate\n HostName gw\n HostKeyAlias gw\nHost b*\n ProxyJump root@gate:22\n'
    jump_session
}

jump_hosts_in_a_row() {
    ssh_config 'Host b*\n ProxyJump a00,gw\n'
    jump_session
}

jump_host_behind_another() {
    ssh_config 'Host b*\n ProxyJump gw\nHost gw\n ProxyJump a01\n'
    jump_session
}

jump_host_of_the_program() {
    ssh_config 'Host b*\n ProxyJump gw\n'
    jump_session 'use ssh-program here *'
}

unknown_jump_host() {
    ssh_config 'Host b*\n ProxyJump nowhere\n'
    session -F /tmp/config <<<'explore a[00-02] gw b[00-02]
e hostname'
    expect_status 1
    expect_said '^b\[00-02\]: unreachable: jump host nowhere: .+'
    expect_equal "hosts that answered" "$(grep -c . "$out")" 4
    expect_nothing_left 5000
}

sessions_through_jump_hosts() {
    count=7
    begin_lab gateway_6
    try "a jump host of the user's ssh" jump_host
    try "a jump host by another name, user and port" jump_host_of_another_name
    try "two jump hosts in a row" jump_hosts_in_a_row
    try "a jump host behind a jump host" jump_host_behind_another
    try "a jump host of the program ssh" jump_host_of_the_program
    try "a jump host that does not exist" unknown_jump_host
    lab down
}

whole_session_on ipv6_8 'a[00-03] b[00-03]' 8
whole_session_on two_nics_8 'a[00-03] b[00-03]' 8
session_through_gateway ssh
session_through_gateway 'ssh --end-to-end'
sessions_through_jump_hosts
whole_session_on two_clusters_32 'a[00-15] b[00-15]' 32
whole_session_on four_clusters_64 'a[00-15] b[00-15] c[00-15] d[00-15]' 64
# On processors that cannot serve four times as many, hosts that wait for them look as if they were silent.
if [[ $took -le 8000 ]]; then
    whole_session_on four_clusters_256 'a[00-63] b[00-63] c[00-63] d[00-63]' 256
else
    echo "skip a session on four_clusters_256: this machine needs $took ms, not at most 8000, for one on 64 hosts"
fi
finish
