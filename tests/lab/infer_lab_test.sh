#!/usr/bin/env bash
# infer against the truth, over real round trips, by the default method and the published one. The latter splits a switch
# now and then (tests/evidence/infer.md), in one of three runs of the larger network at worst: the groups of hosts must be
# exact in one of five inferences, which such a method misses once in 250 times, and the answers to questions about shared
# links good in each; the default method has two. Where other guests take our processors away, round trips are not what
# they are: such an inference does not count, and where six do not, that is told as skipped timing.
set -euo pipefail
# shellcheck source=tests/lab/session.sh
source "$(dirname "$0")/session.sh"

# The laboratory that is up, and its hosts.
file=
hosts=

# How many inferences were wrong, and how many of those while other guests had more than 2% of our processors' time.
missed=0
disturbed=0

# False if the groups of hosts by switch are not the true ones.
infer_once() { # METHOD
    local steady=yes
    session <<<"explore $hosts; infer --method $1; show topology --json > /tmp/inferred.json"
    expect_status 0
    if [[ $((stolen * 50)) -gt $((took * $(nproc))) ]]; then steady=no; fi
    on ctl cat /tmp/inferred.json >"$scratch/inferred.json"
    lab truth "$lab_folder/files/$file.lab" --without ctl >"$scratch/truth.json"
    "$trellis" -c "topology compare $scratch/truth.json $scratch/inferred.json --json" >"$out" 2>"$err"
    [[ $steady == no ]] || expect_printed '"wrong_answer_rate":0.[01]'
    if jq -e .same_groups "$out" >/dev/null; then return; fi
    missed=$((missed + 1))
    if [[ $steady == no ]]; then disturbed=$((disturbed + 1)); fi
    return 1
}

true_groups() { # METHOD INFERENCES
    missed=0
    disturbed=0
    while ! infer_once "$1"; do
        if [[ $((missed - disturbed)) -eq $2 ]]; then
            wrong+=("in none of $2 inferences are the groups the true ones")
            break
        elif [[ $disturbed -gt 5 ]]; then
            slowed+=("groups: $disturbed of $missed inferences, as this machine's processors were taken away")
            break
        fi
    done
    expect_nothing_left 3000
}

infer_on() { # FILE HOSTS METHOD...
    file=$1
    hosts=$2
    shift 2
    begin_lab "$file" --precise
    local method
    for method in "$@"; do
        try "the switches of $file, by the method $method" true_groups "$method" "$([[ $method == survey ]] && echo 2 || echo 5)"
    done
    lab down
}

infer_on four_switches_16 'a[00-03] b[00-03] c[00-03] d[00-03]' survey published
infer_on two_clusters_32 'a[00-15] b[00-15]' survey published
infer_on four_clusters_64 'a[00-15] b[00-15] c[00-15] d[00-15]' survey
finish
