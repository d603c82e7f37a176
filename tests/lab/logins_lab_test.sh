#!/usr/bin/env bash
# What is told when a login goes wrong, and that it delays no other host: 8 hosts, one fault after the other on a03.
set -euo pipefail
# shellcheck source=tests/lab/session.sh
source "$(dirname "$0")/session.sh"

begin_lab two_switches_8

ssh_config() { on ctl sh -c 'mkdir -p ~/.ssh; cat >~/.ssh/config' <<<"$1"; }
forget_ssh_config() { on ctl rm -f /root/.ssh/config; }

# The known hosts of ctl, changed by a program for awk.
change_known_hosts() { # PROGRAM
    on ctl sh -c 'cp ~/.ssh/known_hosts ~/.ssh/kept' </dev/null
    on ctl awk "$1" /root/.ssh/kept >"$scratch/known_hosts"
    lab exec -i ctl sh -c 'cat >~/.ssh/known_hosts' <"$scratch/known_hosts"
}
restore_known_hosts() { on ctl sh -c 'mv ~/.ssh/kept ~/.ssh/known_hosts'; }

# The other hosts answer, whatever is wrong with one.
expect_others() {
    expect_printed '^a00: a00$'
    expect_printed '^b03: b03$'
}

all_well() {
    session <<<'explore a[00-03] b[00-03]; e hostname'
    expect_status 0
    expect_others
    expect_equal "the number of answers" "$(grep -c . "$out")" 8
    expect_nothing_left 3000
}

unknown_name() {
    session <<<'explore nowhere a[00-03] b[00-03]; e hostname'
    expect_said '^nowhere: unreachable: .+'
    expect_status 1
    expect_within 15000
    expect_others
}

refused_connection() {
    on a03 sh -c 'kill $(pgrep -o -x sshd)'
    session <<<'explore a[00-03] b[00-03]; e hostname'
    lab kill a03
    lab start a03
    expect_said '^a03: unreachable: .*refused'
    expect_within 15000
    expect_others
}

no_route() {
    lab kill a03
    session <<<'explore --timeout 5s a[00-03] b[00-03]; e hostname'
    lab start a03
    expect_said '^a03: (unreachable|timed out)'
    expect_within 7000
    expect_others
}

silent_server() {
    # Returns when it listens.
    on a03 python3 -c '
import os, socket, time
listener = socket.create_server(("", 2222))
if os.fork():
    os._exit(0)
connection = listener.accept()
time.sleep(30)' >/dev/null 2>&1
    ssh_config $'Host quiet\n HostName a03\n Port 2222'
    session <<<'explore --timeout 4s quiet a[00-02] b[00-03]; e hostname'
    forget_ssh_config
    expect_said '^quiet: timed out in login'
    expect_within 6000
    expect_others
}

unknown_key() {
    change_known_hosts '!/^a03[ ,]/'
    session <<<'explore a[00-03] b[00-03]; e hostname'
    restore_known_hosts
    expect_said '^a03: refused: host key unknown'
    expect_within 15000
    expect_others
}

changed_key() {
    change_known_hosts '/^b00[ ,]/ { key = $3 } { line[NR] = $0 } END { for (i = 1; i <= NR; i++) {
        split(line[i], word, " "); if (word[1] ~ /^a03(,|$)/) print word[1], word[2], key; else print line[i] } }'
    session <<<'explore a[00-03] b[00-03]; e hostname'
    restore_known_hosts
    expect_said '^a03: refused: host key changed.*known_hosts line [0-9]+'
    expect_others
}

revoked_key() {
    change_known_hosts '/^a03[ ,]/ { print "@revoked", $0 } { print }'
    session <<<'explore a[00-03] b[00-03]; e hostname'
    restore_known_hosts
    expect_said '^a03: refused: host key revoked.*known_hosts line [0-9]+'
    expect_others
}

no_authentication() {
    on a03 sh -c 'mv ~/.ssh/authorized_keys ~/.ssh/kept'
    session <<<'explore a[00-03] b[00-03]; e hostname'
    on a03 sh -c 'mv ~/.ssh/kept ~/.ssh/authorized_keys'
    expect_said '^a03: refused: .*publickey'
    expect_others
}

places='/tmp /var/tmp /dev/shm /root'

no_executable_directory() {
    on a03 sh -c "rm -rf /tmp/trellis-root /var/tmp/trellis-root /dev/shm/trellis-root /root/.cache/trellis-root; for d in $places; do mount -o remount,noexec \$d; done"
    session <<<'explore a[00-03] b[00-03]; e hostname'
    on a03 sh -c "for d in $places; do mount -o remount,exec \$d; done"
    expect_said '^a03: cannot start.*may not be executed'
    expect_within 15000
    expect_others
}

disk_full() {
    on a03 sh -c "rm -rf /tmp/trellis-root /var/tmp/trellis-root /dev/shm/trellis-root /root/.cache/trellis-root
        for d in $places; do head -c 1G /dev/zero >\$d/full 2>/dev/null; done; true"
    session <<<'explore a[00-03] b[00-03]; e hostname'
    on a03 sh -c "for d in $places; do rm -f \$d/full; done"
    expect_said '^a03: cannot start.*(disk full|No space)'
    expect_others
}

wrong_architecture() {
    on a03 sh -c 'rm -rf /tmp/trellis-root /var/tmp/trellis-root /dev/shm/trellis-root /root/.cache/trellis-root
        echo mips64 >/run/arch; mount --bind /run/arch /proc/sys/kernel/arch'
    session <<<'explore a[00-03] b[00-03]; e hostname'
    on a03 umount /proc/sys/kernel/arch
    expect_said '^a03: cannot start.*mips64'
    expect_others
}

# The form of the agent that needs nothing of the host is sent, also by an agent that does not have it.
no_libraries() {
    local library rules
    library=$(on a03 sh -c 'realpath "$(ldconfig -p | sed -n "s/.*libssl.so.3 .*=> //p")"')
    for rules in '' $'use ssh here a*\nuse ssh a00 b*\n'; do
        local host=a03
        [[ -z $rules ]] || host=b03
        on "$host" sh -c "rm -rf /var/tmp/trellis-root; mount --bind /dev/null '$library'"
        session <<<"${rules}explore a[00-03] b[00-03]; e hostname"
        expect_status 0
        expect_equal "the number of answers" "$(grep -c . "$out")" 8
        expect_equal "the form on $host" "$(form_on "$host")" full
        expect_equal "the form on a02" "$(form_on a02)" light
        on "$host" umount "$library"
    done
}
form_on() { # HOST
    on "$1" sh -c 'cd /var/tmp/trellis-root; if readelf -d agentd-*[0-9a-f] | grep -q NEEDED; then echo light; else echo full; fi'
}

login_shell() { # SHELL
    on a03 sh -c 'sed "s|^root:.*|root:x:0:0:root:/root:$1|" /etc/passwd >/run/passwd; cat /run/passwd >/etc/passwd' sh "$1"
}

# Libraries that the user has for other programs are not the agent's, but those of the user's commands.
odd_libraries() {
    on a03 sh -c 'rm -rf /var/tmp/trellis-root; mkdir -p /run/odd; cd /run/odd
        for name in libssl.so.3 libcrypto.so.3 libzstd.so.1; do echo none >"$name"; done
        echo "export LD_LIBRARY_PATH=/run/odd" >/root/.bashrc'
    login_shell /bin/bash
    session <<<"explore a[00-03] b[00-03]; e 'echo \$LD_LIBRARY_PATH'"
    expect_status 0
    expect_printed '^a03: /run/odd$'
    expect_equal "the form on a03" "$(form_on a03)" light
    on a03 rm /root/.bashrc
    login_shell /bin/sh
}

strange_shells() {
    local shell
    for shell in /usr/bin/tcsh /usr/bin/fish /bin/bash; do
        on a03 sh -c "echo 'echo noise before' | tee /root/.cshrc /root/.bashrc >/dev/null; mkdir -p /root/.config/fish
            echo 'echo noise before' >/root/.config/fish/config.fish"
        login_shell "$shell"
        session <<<'explore a[00-03] b[00-03]; e hostname'
        expect_status 0
        expect_printed '^a03: a03$'
        expect_equal "the number of answers with $shell" "$(grep -c . "$out")" 8
    done
    on a03 rm -rf /root/.cshrc /root/.bashrc /root/.config
    login_shell /bin/sh
}

try "all hosts are reached, and left clean" all_well
try "an unknown name" unknown_name
try "a refused connection" refused_connection
try "a host that is down" no_route
try "an sshd that is silent" silent_server
try "an unknown host key" unknown_key
try "a changed host key" changed_key
try "a revoked host key" revoked_key
try "a refused authentication" no_authentication
try "no directory for executable files" no_executable_directory
try "full disks" disk_full
try "another architecture" wrong_architecture
try "a host without the libraries" no_libraries
try "a user's own libraries" odd_libraries
try "csh, fish, bash and noisy start-up files" strange_shells
finish
