#!/usr/bin/env bash
# Rounds in which much goes wrong at once on 32 hosts, drawn from a seed, while `e` and `mw` run: agents killed or
# stopped, links cut and healed, full disks, sshd killed. 10 rounds, 100 with TRELLIS_FULL=1; TRELLIS_CHAOS_SEED=N runs
# that one alone.
set -euo pipefail
# shellcheck source=tests/lab/session.sh
source "$(dirname "$0")/session.sh"
# shellcheck source=tests/lab/mishaps.sh
source "$lab_folder/mishaps.sh"

begin_lab two_clusters_32
lease=8000 # milliseconds
lab exec -i ctl sh -c 'cat > /tmp/master' <<'SH'
for i in $(seq 8); do echo word $i; sleep 0.5; done &
exec >&-
cat > /tmp/joined
wait
SH

fill_disk() { # HOST SECONDS
    on "$1" sh -c 'head -c 1G /dev/zero > /tmp/full' || true
    sleep "$2"
    on "$1" rm -f /tmp/full
}

# With its connections.
kill_sshd() { # HOST SECONDS
    on "$1" pkill -KILL -x sshd
    sleep "$2"
    on "$1" /usr/sbin/sshd -f /run/sshd_config
}

# Sets `mishap` to a function and its arguments.
draw_mishap() {
    local kinds=(kill_agent stop_agent stop_agent cut_link cut_link fill_disk kill_sshd) hosts=("${lab_hosts[@]}")
    local kind=${kinds[RANDOM % ${#kinds[@]}]} seconds=$((1 + RANDOM % 4)) host
    [[ $((RANDOM % 8)) -gt 0 ]] || seconds=12
    host=${hosts[RANDOM % ${#hosts[@]}]}
    [[ $host != ctl ]] || host=a00
    [[ $kind != cut_link || $((RANDOM % 4)) -gt 0 ]] || host=b1 # a switch of 8
    mishap=("$kind" "$host" "$seconds")
}

round() {
    local i count delay seconds last=0 running=() mishaps=()
    RANDOM=$seed
    count=$((1 + RANDOM % 4))
    : >"$out"
    for ((i = 0; i < count; i++)); do
        draw_mishap
        delay=$((RANDOM % 2000))
        [[ $delay -le $last ]] || last=$delay
        seconds=$((delay / 1000)).$(printf %03d $((delay % 1000)))
        mishaps+=("${mishap[*]} after $seconds s;")
        strike 32 "$seconds" "${mishap[@]}" >/dev/null 2>&1 &
        running+=($!)
    done
    session --lease $((lease / 1000))s <<'TRL'
explore --fan-out 8 a[00-15] b[00-15]
mw 'exec sh /tmp/master' -- 'h=$(hostname); while read -r w; do echo $h $w; done; seq -f "$h %g" 200' &
! date +%s%3N
e --json 'echo begun; for i in $(seq 20); do echo line $i; sleep 0.2; done'
wait
! date +%s%3N
e --json hostname
TRL
    wait "${running[@]}"
    on ctl cat /tmp/joined >"$scratch/joined"
    mapfile -t complaints < <(python3 "$lab_folder/chaos_check.py" "$out" "$scratch/joined" $((last + lease)))
    wrong+=("${complaints[@]}")
    expect_nothing_left $((lease + 4000))
    [[ ${#wrong[@]} -eq 0 ]] || wrong+=("TRELLIS_CHAOS_SEED=$seed: ${mishaps[*]}")
}

first=${TRELLIS_CHAOS_SEED:-1}
rounds=10
[[ -z ${TRELLIS_FULL:-} ]] || rounds=100
[[ -z ${TRELLIS_CHAOS_SEED:-} ]] || rounds=1
for ((seed = first; seed < first + rounds; seed++)); do
    try "chaos, round $seed" round
done
finish
