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

whole_session_on() { # FILE HOSTS COUNT [OPTION OF THE LABORATORY...]
    hosts=$2
    count=$3
    begin_lab "$1" "${@:4}"
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

whole_session_on ipv6_8 'a[00-03] b[00-03]' 8
whole_session_on two_nics_8 'a[00-03] b[00-03]' 8
session_through_gateway ssh
session_through_gateway 'ssh --end-to-end'
whole_session_on two_clusters_32 'a[00-15] b[00-15]' 32
# Here the network leaves the processors to the hosts.
whole_session_on four_clusters_64 'a[00-15] b[00-15] c[00-15] d[00-15]' 64 --spin 0
whole_session_on four_clusters_256 'a[00-63] b[00-63] c[00-63] d[00-63]' 256 --spin 0
finish
