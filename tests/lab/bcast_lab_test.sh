#!/usr/bin/env bash
# bcast over real connections: a file and a tree of files to 16 hosts by each method, standard input, holes, a command, a
# full disk, a directory that cannot be written, an agent that is killed in the middle, a disk that hangs, Ctrl-C, and
# going on after it; the exact bytes everywhere and nothing of temporary files left.
set -euo pipefail
# shellcheck source=tests/lab/session.sh
source "$(dirname "$0")/session.sh"

hosts='a[00-03] b[00-03] c[00-03] d[00-03]'
megabytes=${TRELLIS_BCAST_MB:-24}

# Hosts whose file has this digest, the hosts being named before the digest by "e".
expect_digests() { # COUNT PATH
    local digest
    digest=$(on ctl sha256sum "$2" | cut -d ' ' -f 1)
    expect_equal "hosts with the exact bytes" "$(grep -c ": $digest  $2" "$out")" "$1"
}

expect_no_temporaries() {
    expect_equal "temporary files" "$(grep -c 'trellis-' "$out")" 0
}

one_file() {
    session <<TRL
explore $hosts
bcast /tmp/big /tmp
e sha256sum /tmp/big
e ls -A /tmp
TRL
    expect_status 0
    expect_said "^16 of 16 hosts have it: "
    expect_digests 16 /tmp/big
    expect_no_temporaries
    grep 'have it' "$err" | sed 's/^/    /'
}

# Its text is on the wire only if that is asked for: seen by a socket that takes all packets of b02.
sniff='import os, socket
tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
tap.setsockopt(socket.SOL_SOCKET, 33, 1 << 25)  # SO_RCVBUFFORCE: nothing is missed while others have the processors
tap.settimeout(0.2)
open("/tmp/sniffing", "w").close()
seen = 0
while not os.path.exists("/tmp/sniffed"):
    try:
        seen += tap.recv(1 << 17).count(b"text-that-is-sought")
    except socket.timeout:
        pass
print(seen)'

texts_on_the_wire() { # OPTION...
    on b02 rm -f /tmp/sniffing /tmp/sniffed
    on b02 python3 -c "$sniff" >"$scratch/sniffed" &
    until on b02 test -e /tmp/sniffing; do sleep 0.1; done
    session <<TRL
explore $hosts
bcast $* /tmp/text /tmp
e sha256sum /tmp/text
e rm -f /tmp/text
TRL
    on b02 touch /tmp/sniffed
    wait $!
    expect_status 0
    expect_digests 16 /tmp/text
}

plain() {
    session <<TRL
explore $hosts
e rm -f /tmp/big
bcast --plain /tmp/big /tmp
e sha256sum /tmp/big
bcast --plain /tmp/tree /tmp/plain_tree
e '${describe_tree/tree/plain_tree}'
e 'rm -r /tmp/plain_tree; ls -A /tmp'
TRL
    expect_status 0
    expect_digests 16 /tmp/big
    expect_equal "hosts with the same tree" "$(grep -cF ": $(on ctl sh -c "$describe_tree")" "$out")" 16
    expect_no_temporaries
    grep 'have it' "$err" | sed 's/^/    /'
}

what_a_listener_sees() {
    on ctl sh -c 'yes "text-that-is-sought $(head -c 500 /dev/urandom | base64 -w 0)" | head -c 3000000 > /tmp/text'
    texts_on_the_wire --order name
    expect_equal "texts on the wire, encrypted" "$(cat "$scratch/sniffed")" 0
    texts_on_the_wire --plain --order name
    local seen texts
    seen=$(cat "$scratch/sniffed")
    texts=$(on ctl grep -c text-that-is-sought /tmp/text)
    [[ $seen -ge $texts ]] || wrong+=("texts on the wire, plain: $seen, of $texts in the file")
}

# Names, types, modes, times, links and contents, in one digest.
describe_tree='cd /tmp/tree && { find . -printf "%p %y %m %T@ %l\n"; find . -type f -printf "%p %n\n"; find . -type f -exec sha256sum {} +; } | LC_ALL=C sort | sha256sum'

a_tree() {
    session <<TRL
explore $hosts
bcast /tmp/tree /tmp
e '$describe_tree'
TRL
    expect_status 0
    expect_equal "hosts with the same tree" "$(grep -cF ": $(on ctl sh -c "$describe_tree")" "$out")" 16
}

# Runs a command as soon as b02 has begun to store.
once_begun() { # COMMAND...
    (
        SECONDS=0
        until [[ $(on b02 sh -c 'ls -A /tmp | grep -c "^.big.trellis-"' 2>/dev/null) -gt 0 ]]; do
            sleep 0.05
            [[ $SECONDS -lt 60 ]] || exit
        done
        "$@"
    ) >/dev/null 2>&1 &
}

kill_agent_of() { on "$1" kill -9 "$(agent_of "$1")"; } # HOST

killed_in_the_middle() {
    once_begun kill_agent_of b02
    session <<TRL
explore $hosts
e rm -f /tmp/big
bcast --limit $((megabytes * 1000 / 4))k /tmp/big /tmp
e sha256sum /tmp/big
TRL
    expect_said "^15 of 16 hosts have it: "
    expect_said "^bcast: b02: "
    expect_digests 15 /tmp/big
    expect_nothing_left 5000
    on b02 sh -c 'rm -f /tmp/.big.trellis-*'
}

disk_in_a_file='truncate -s 100M /tmp/disk && mkfs.ext4 -q /tmp/disk && mkdir /tmp/d && mount -o loop /tmp/disk /tmp/d'

# Disks that are frozen in the middle, one of a host that takes a file and one where files are gathered: whatever asks them to
# write waits, and nothing can end that.
files_that_hang() {
    on ctl sh -c 'until ls /tmp/d/d03/.big.trellis-*; do sleep 0.05; done; fsfreeze -f /tmp/d; sleep 65; fsfreeze -u /tmp/d' >/dev/null 2>&1 &
    on ctl "$trellis" <<TRL >/dev/null 2>"$scratch/gathering" &
explore d03
gather /tmp/big /tmp/d
e sleep 10
TRL
    local gathering=$!
    on b02 sh -c 'until ls /tmp/d/.big.trellis-*; do sleep 0.1; done; sleep 1; fsfreeze -f /tmp/d' >/dev/null 2>&1 &
    session <<TRL
explore $hosts
e mkdir -p /tmp/d
bcast --limit $((megabytes * 1000 / 8))k /tmp/big /tmp/d/big
e sha256sum /tmp/d/big
TRL
    expect_said "^bcast: b02: its files have not answered for a minute"
    expect_said "^15 of 16 hosts have it: .* in 1?[0-9][. ]"
    expect_within 110000
    wait "$gathering" || true
    on b02 fsfreeze -u /tmp/d
    expect_nothing_left 5000
    local digest
    digest=$(on ctl sha256sum /tmp/big | cut -d ' ' -f 1)
    expect_equal "hosts with the exact bytes" "$(grep -c ": $digest" "$out")" 15
    expect_equal "parts left on the disk that hung" "$(on b02 sh -c 'ls -A /tmp/d | grep -c big')" 0
    on b02 umount /tmp/d
    cat "$scratch/gathering" >>"$err"
    expect_said "^gather: d03: /tmp/d: has not answered for a minute"
    expect_equal "parts left where it was gathered" "$(on ctl sh -c 'ls -A /tmp/d/*/ | grep -c trellis-')" 0
    on ctl umount /tmp/d
}

interrupted() {
    once_begun on ctl sh -c 'kill -INT $(pgrep -x trellis)'
    session <<TRL
explore $hosts
e rm -f /tmp/big
bcast --limit $((megabytes * 1000 / 60))k /tmp/big /tmp
TRL
    expect_nothing_left 5000
    local host left=0
    for host in "${lab_hosts[@]}"; do
        left=$((left + $(on "$host" sh -c 'ls -A /tmp | grep -c big')))
    done
    expect_equal "files left, but that of ctl" "$left" 1
    expect_within 30000
}

kept='ls -A /tmp | grep -c "^.big.trellis-kept-"'

gone_on_with() {
    once_begun on ctl sh -c 'sleep 3; kill -INT $(pgrep -x trellis)'
    session <<TRL
explore $hosts
e rm -f /tmp/big
bcast --resume --limit $((megabytes * 1000 / 6))k /tmp/big /tmp
TRL
    expect_nothing_left 5000
    expect_equal "files of a host that keeps what has come" "$(on b02 sh -c "$kept")" 2
    session <<TRL
explore $hosts
bcast --json --resume /tmp/big /tmp
e sha256sum /tmp/big
e ls -A /tmp
TRL
    expect_status 0
    expect_said "^bcast: [0-9.]+ MB .*was there from an earlier one: a\[00-03\],b\[00-03\],c\[00-03\],d\[00-03\]"
    expect_digests 16 /tmp/big
    expect_no_temporaries
}

by_each_method() {
    session <<TRL
explore $hosts
e rm -f /tmp/big
bcast --method tree /tmp/big /tmp
e sha256sum /tmp/big
e rm -f /tmp/big
bcast --method flat --order name /tmp/big /tmp
e sha256sum /tmp/big
TRL
    expect_status 0
    expect_digests 32 /tmp/big
    grep 'have it' "$err" | sed 's/^/    /'
}

# A gigabyte, of which a host of this laboratory has not half.
holes() {
    on ctl sh -c 'truncate -s 1G /tmp/holes && echo x | dd of=/tmp/holes bs=1 seek=500000000 conv=notrunc status=none'
    session <<TRL
explore $hosts
bcast /tmp/holes /tmp
e -b 'stat -c "%s bytes, %b blocks" /tmp/holes'
e 'tail -c +500000001 /tmp/holes | head -c 1'
e rm -f /tmp/holes
TRL
    expect_status 0
    expect_within 30000
    expect_equal "hosts with the one byte" "$(grep -c ': x$' "$out")" 16
    expect_printed '1073741824 bytes, [0-9]{1,3} blocks'
    grep 'have it' "$err" | sed 's/^/    /'
    on ctl rm -f /tmp/holes
}

# A host sees the machine's own files so.
read_only_target() {
    session <<TRL
explore $hosts
bcast /tmp/big /usr
TRL
    expect_status 1
    expect_said "^bcast: a\[00-03\],b\[00-03\],c\[00-03\],d\[00-03\]: /usr/big: Read-only file system"
    expect_said "^0 of 16 hosts have it"
}

neither_file_nor_directory() {
    on ctl sh -c 'mkdir -p /tmp/odd && mkfifo /tmp/odd/fifo'
    session <<TRL
explore $hosts
bcast /tmp/odd /tmp
e ls -A /tmp
TRL
    expect_said "^bcast: /tmp/odd/fifo: neither a file, a directory nor a symbolic link"
    expect_equal "hosts that have something of it" "$(grep -c ': odd$' "$out")" 0
}

full_disk() {
    session <<TRL
explore $hosts
e 'if [ \$(hostname) = b03 ]; then head -c 1G /dev/zero >/tmp/full; fi; true'
bcast /tmp/big /tmp/other
e 'rm -f /tmp/full; ls -A /tmp'
TRL
    expect_said "^bcast: b03: /tmp: no space: .* needed"
    expect_said "^15 of 16 hosts have it: "
    expect_equal "hosts with the file" "$(grep -c ': other$' "$out")" 15
    expect_no_temporaries
}

standard_input() {
    session <<TRL
explore $hosts
bcast - /tmp/from_input < /tmp/big
e sha256sum /tmp/from_input
TRL
    expect_status 0
    local digest
    digest=$(on ctl sha256sum /tmp/big | cut -d ' ' -f 1)
    expect_equal "hosts with the exact bytes" "$(grep -c ": $digest" "$out")" 16
}

from_a_host() {
    session <<TRL
explore $hosts
bcast c01:/tmp/big /tmp/of_c01
e sha256sum /tmp/of_c01
TRL
    expect_said "^16 of 16 hosts have it: "
    expect_equal "hosts with the exact bytes" "$(grep -c ": $(on ctl sha256sum /tmp/big | cut -d ' ' -f 1)" "$out")" 15
}

# The front end connects to the first host itself.
from_a_standing_session() {
    for line in "explore $hosts" "bcast /tmp/big /tmp/stood" "e sha256sum /tmp/stood"; do
        on ctl "$trellis" --session bcast -c "$line"
    done >"$out" 2>"$err"
    on ctl "$trellis" session end bcast
    expect_said "^16 of 16 hosts have it: "
    local digest
    digest=$(on ctl sha256sum /tmp/big | cut -d ' ' -f 1)
    expect_equal "hosts with the exact bytes" "$(grep -c ": $digest" "$out")" 16
    expect_equal "lines about the control tree" "$(grep -c 'control tree' "$err")" 0
}

back_again() {
    session <<TRL
explore $hosts
gather 'c[00-03]:/tmp/bi*' 'c[00-01]:/tmp/tree' /tmp/back
gather /tmp/absent /tmp/back
TRL
    expect_status 1
    expect_said "^from 4 of 4 hosts: 6 files and directories, "
    expect_said "^gather: a\[00-03\],b\[00-03\],c\[00-03\],d\[00-03\]: /tmp/absent: No such file or directory"
    local digest
    digest=$(on ctl sha256sum /tmp/big | cut -d ' ' -f 1)
    expect_equal "gathered files with the exact bytes" "$(on ctl sh -c 'sha256sum /tmp/back/*/big' | grep -c "$digest")" 4
    expect_equal "gathered trees" "$(on ctl sh -c 'ls -d /tmp/back/*/tree | wc -l; rm -r /tmp/back')" 2
}

into_a_command() {
    session <<TRL
explore $hosts
bcast --verify --pipe 'sha256sum > piped' /tmp/big /tmp
e cat /tmp/piped
bcast --pipe 'head -c 1 > first' /tmp/big /tmp
bcast --method tree --pipe 'sleep 1; cat > /dev/null' /tmp/big /tmp
bcast --pipe 'echo broken >&2; exit 3' /tmp/big
e ls -A /tmp
TRL
    expect_said "^bcast: a\[00-03\],b\[00-03\],c\[00-03\],d\[00-03\]: the command ended with status 3: broken"
    expect_equal "transfers through which a command ended early" "$(grep -c '^16 of 16 hosts have it' "$err")" 3
    expect_equal "hosts with the exact bytes" "$(grep -c ": $(on ctl sha256sum /tmp/big | cut -d ' ' -f 1)" "$out")" 16
    expect_no_temporaries
}

begin_lab four_switches_16
on ctl sh -c "head -c ${megabytes}000000 /dev/urandom > /tmp/big"
on ctl sh -c 'mkdir -p "/tmp/tree/a b/c" && cd /tmp/tree && : > empty && echo x > "a b/line
break" && chmod 750 "a b" && ln -s "a b" link && seq 1 1000 | while read -r n; do echo $n > "a b/c/$n"; done && ln "a b/c/7" other'
try "a file to 16 hosts" one_file
try "a file from a session that stays up" from_a_standing_session
try "a tree of files" a_tree
try "without encryption" plain
try "what a listener sees" what_a_listener_sees
try "files gathered again" back_again
try "standard input" standard_input
try "a file of one of the hosts" from_a_host
try "other methods" by_each_method
try "a gigabyte of holes" holes
try "a directory that cannot be written" read_only_target
try "a command that reads it" into_a_command
try "a pipe in a directory" neither_file_nor_directory
try "a full disk" full_disk
try "a host that is killed" killed_in_the_middle
if on b02 sh -c "$disk_in_a_file" && on ctl sh -c "$disk_in_a_file"; then
    try "disks that hang" files_that_hang
else
    echo "skip disks that hang: no file can be mounted as a disk here"
fi
try "Ctrl-C" interrupted
try "going on after Ctrl-C" gone_on_with
lab down
finish
