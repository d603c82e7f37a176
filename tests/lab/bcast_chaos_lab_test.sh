#!/usr/bin/env bash
# Rounds in which much goes wrong on 16 hosts while they take a file, drawn from a seed: agents killed or stopped, links
# of hosts and of switches cut silently, cards that get slow. Every host that is left must have the exact bytes, none
# other bytes under the final name; no part of it and no process may be left. 3 rounds, 100 with TRELLIS_FULL=1;
# TRELLIS_CHAOS_SEED=N runs that one alone.
set -euo pipefail
# shellcheck source=tests/lab/session.sh
source "$(dirname "$0")/session.sh"
# shellcheck source=tests/lab/mishaps.sh
source "$lab_folder/mishaps.sh"

hosts='a[00-03] b[00-03] c[00-03] d[00-03]'
megabytes=24
# Seconds. TCP repeats after pauses that double: who was cut off for four is heard again after eight, or over a new
# login, on processors and links that are busy with the broadcast.
lease=12
begun_mark=': begun$'

# At this rate the machine's processors have time enough.
sed 's/rate=200mbit/rate=50mbit/' "$lab_folder/files/chain_16.lab" >"$scratch/bcast_chaos_16.lab"
trap end_lab EXIT
lab up "$scratch/bcast_chaos_16.lab" --visible "$build" --until $$
mapfile -t lab_hosts < <(lab status | awk '$2 == "running" { print $1 }')
on ctl sh -c "head -c ${megabytes}000000 /dev/urandom > /tmp/source"
digest=$(on ctl sha256sum /tmp/source | cut -d ' ' -f 1)

slow_card() { # HOST SECONDS
    lab rate "$1" 12mbit
    sleep "$2"
    lab rate "$1" 50mbit
}

# Whom a mishap takes away for longer than a lease, or for good.
excuse() { # MISHAP HOST SECONDS
    case $1 in
        kill_agent) excused+=("$2") ;;
        stop_agent) [[ $3 -lt $lease ]] || excused+=("$2") ;;
        cut_link)
            [[ $3 -ge $lease ]] || return 0
            case $2 in
                s1) excused+=(b00 b01 b02 b03) ;;
                s3) excused+=(c00 c01 c02 c03) ;;
                s4) excused+=(d00 d01 d02 d03) ;;
                *) excused+=("$2") ;;
            esac
            ;;
    esac
}

# Sets `mishap` to a function and its arguments.
draw_mishap() {
    local kinds=(kill_agent stop_agent stop_agent cut_link cut_link slow_card) trunks=(s1 s3 s4)
    local kind=${kinds[RANDOM % ${#kinds[@]}]} seconds=$((1 + RANDOM % 4)) host
    [[ $((RANDOM % 8)) -gt 0 ]] || seconds=16
    host=${lab_hosts[RANDOM % ${#lab_hosts[@]}]}
    [[ $host != ctl ]] || host=a00
    [[ $kind != cut_link || $((RANDOM % 4)) -gt 0 ]] || host=${trunks[RANDOM % 3]}
    mishap=("$kind" "$host" "$seconds")
}

list_files() {
    local host
    for host in "${lab_hosts[@]}"; do
        [[ $host != ctl ]] || continue
        on "$host" sh -c 'd=absent; [ ! -e /tmp/big ] || d=$(sha256sum /tmp/big | cut -d " " -f 1)
            echo "$(hostname) $d $(ls -A /tmp | grep -c "^.big.trellis-")"; rm -rf /tmp/big /tmp/.big.trellis-*'
    done >"$scratch/files"
}

round() {
    local i count delay seconds running=() mishaps=() methods=(chain chain tree flat) method plain=
    excused=()
    RANDOM=$seed
    count=$((1 + RANDOM % 3))
    method=${methods[RANDOM % 4]}
    [[ $((RANDOM % 4)) -gt 0 ]] || plain=--plain
    : >"$out"
    for ((i = 0; i < count; i++)); do
        draw_mishap
        delay=$((RANDOM % 4000))
        seconds=$((delay / 1000)).$(printf %03d $((delay % 1000)))
        mishaps+=("${mishap[*]} after $seconds s;")
        excuse "${mishap[@]}"
        strike 16 "$seconds" "${mishap[@]}" >/dev/null 2>&1 &
        running+=($!)
    done
    session --lease ${lease}s <<TRL
explore $hosts
e echo begun
bcast --json --order random --method $method $plain /tmp/source /tmp/big
TRL
    wait "${running[@]}"
    expect_nothing_left $((lease * 1000 + 4000))
    list_files
    mapfile -t complaints < <(python3 "$lab_folder/bcast_chaos_check.py" "$out" "$scratch/files" "$digest" 120 "${excused[@]}")
    wrong+=("${complaints[@]}")
    [[ ${#wrong[@]} -eq 0 ]] || wrong+=("TRELLIS_CHAOS_SEED=$seed: $method $plain: ${mishaps[*]}")
}

first=${TRELLIS_CHAOS_SEED:-1}
rounds=3
[[ -z ${TRELLIS_FULL:-} ]] || rounds=100
[[ -z ${TRELLIS_CHAOS_SEED:-} ]] || rounds=1
for ((seed = first; seed < first + rounds; seed++)); do
    try "bcast chaos, round $seed" round
done
finish
