#!/usr/bin/env bash
# bwtree against the rates of the laboratory's links, over real connections: each within 10%. Where other guests take our
# processors away, rates are not what they are: what is wrong in such a measurement does not count, and if that happens three
# times, it is told as skipped.
set -euo pipefail
# shellcheck source=tests/lab/session.sh
source "$(dirname "$0")/session.sh"

# FROM TO N RATE, as bwtree_check.py reads them, of files/uneven_16.lab.
true_rates() {
    local host
    for host in a00 a01 a02 a03 a04 a05 c00 c01 c02 c03 c04 c05; do
        echo "$host b00 0 100"
        echo "b00 $host 3 100"
    done
    for host in b00 b01 b02 b03; do
        echo "$host a00 0 100"
        echo "a00 $host 3 50"
    done
    echo 'a00 b00 1 300'
    echo 'b00 a00 2 300'
    echo 'b00 a00 1 80'
    echo 'a00 b00 2 40'
    echo 'c00 a00 1 >=270'
    echo 'a00 c00 2 >=270'
}

# Leaves what is wrong in `faults`; false if the processors were taken away meanwhile.
measure_once() {
    session <<<"explore a[00-05] b[00-03] c[00-05]; infer; bwtree; show bandwidth --json > /tmp/bandwidth.json"
    expect_status 0
    on ctl cat /tmp/bandwidth.json >"$scratch/bandwidth.json"
    true_rates >"$scratch/true_rates"
    mapfile -t faults < <("$lab_folder/bwtree_check.py" "$scratch/bandwidth.json" <"$scratch/true_rates" 2>>"$err")
    [[ $((stolen * 50)) -le $((took * $(nproc))) ]]
}

true_bandwidths() {
    local faults=() try disturbed
    for try in 1 2 3; do
        disturbed=
        measure_once || disturbed=1
        [[ ${#faults[@]} -gt 0 && -n $disturbed ]] || break
    done
    expect_within 60000
    if [[ -z $disturbed ]]; then
        wrong+=("${faults[@]}")
    elif [[ ${#faults[@]} -gt 0 ]]; then
        slowed+=("rates: $try measurements, as this machine's processors were taken away")
    fi
    expect_nothing_left 3000
}

begin_lab uneven_16
try "the bandwidth of each link of uneven_16" true_bandwidths
lab down
finish
