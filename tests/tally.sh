# Counting of tests for `run`: sourced, not run. Every test case, check and lab script is noted once as passed, failed
# or skipped; the last line that print_tally writes is the sum. Logs of what ran lie in $logs.
# shellcheck shell=bash

: "${logs:?the directory for logs}"
passed=0
failed=0
skipped=0
skip_reasons=()
failures=()
# No single program or script takes nearly as long; what hangs is ended, and fails with status 124.
patience=(timeout --foreground --kill-after=30 900)

note_pass() { passed=$((passed + 1)); }

note_fail() { # NAME
    failed=$((failed + 1))
    failures+=("$1")
}

note_skip() { # NAME REASON
    skipped=$((skipped + 1))
    skip_reasons+=("$1: $2")
}

show_log() { # FILE
    echo "---- end of $1"
    tail -n 60 "$1"
    echo "----"
}

# A check is one test: status 0 is passed, 77 is skipped with the reason in its last line.
check() { # NAME COMMAND...
    local name=$1 log="$logs/$1.log" status=0
    shift
    local begin=$SECONDS
    ("$@") >"$log" 2>&1 </dev/null || status=$?
    case $status in
        0) note_pass ;;
        77) note_skip "$name" "$(tail -n 1 "$log")" ;;
        *)
            note_fail "$name"
            show_log "$log"
            ;;
    esac
    printf '%-24s %s (%d s)\n' "$name" "$(outcome_word "$status")" $((SECONDS - begin))
}

outcome_word() { # STATUS
    case $1 in
        0) echo ok ;;
        77) echo skipped ;;
        *) echo FAILED ;;
    esac
}

# A googletest program: each of its cases is a test. A program that dies is one failure more.
googletest() { # NAME PROGRAM [ARGUMENT...]
    local name=$1 shards=${SHARDS:-1} begin=$SECONDS shard statuses=0
    shift
    local running=()
    for ((shard = 0; shard < shards; shard++)); do
        GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard \
            "${patience[@]}" "$@" --gtest_brief=0 --gtest_color=no \
            >"$logs/$name.$shard.log" 2>&1 </dev/null &
        running+=($!)
    done
    for ((shard = 0; shard < shards; shard++)); do
        local status=0
        wait "${running[$shard]}" || status=$?
        count_googletest "$name" "$logs/$name.$shard.log" "$status"
        statuses=$((statuses + status))
    done
    printf '%-24s %s (%d s)\n' "$name" "$(outcome_word "$statuses")" $((SECONDS - begin))
}

count_googletest() { # NAME LOG STATUS
    local name=$1 log=$2 status=$3 before=$failed line
    while IFS= read -r line; do
        case $line in
            "[       OK ]"*) note_pass ;;
            "[  SKIPPED ] "*" ms)") note_skip "$(case_name "$line")" "$(reason_of_skip "$log" "$(case_name "$line")")" ;;
            "[ TIMING   ] "*) note_skip "$name" "${line#*] }" ;;
            "[  FAILED  ] "*" ms)") note_fail "$name $(case_name "$line")" ;;
        esac
    done < <(grep -a -E '^\[(       OK|  SKIPPED|  FAILED | TIMING  ) +\]' "$log" || true)
    if [[ $status -ne 0 && $failed -eq $before ]]; then note_fail "$name ended with status $status"; fi
    if [[ $status -ne 0 ]]; then
        grep -a -E -B 25 '^\[  FAILED  \] .* ms\)' "$log" | head -n 200 || true
        show_log "$log"
    fi
}

case_name() { # LINE of googletest
    local name=${1#*] }
    name=${name%% (*}
    echo "${name%%, where*}"
}

# What GTEST_SKIP() said: the line after the place, which stands after the case's RUN line.
reason_of_skip() { # LOG CASE
    awk -v run="[ RUN      ] $2" '$0 == run { inside = 1; next }
        inside && /^\[/ { exit }
        inside && /: Skipped$/ { next }
        inside && NF { print; exit }' "$1"
}

# A script that prints a line for each of its tests: "ok NAME", "not ok NAME", or "skip NAME: REASON". One that ends
# badly without a "not ok" is one failure more.
script() { # NAME COMMAND...
    run_script "$@"
    count_script "$1"
}

# The two halves, of which the first may run in the background.
run_script() { # NAME COMMAND...
    local name=$1 status=0 begin=$SECONDS
    shift
    "${patience[@]}" "$@" >"$logs/$name.log" 2>&1 </dev/null || status=$?
    echo "$status $((SECONDS - begin))" >"$logs/$name.end"
}

count_script() { # NAME
    local name=$1 log="$logs/$1.log" status seconds before=$failed line
    read -r status seconds <"$logs/$name.end"
    while IFS= read -r line; do
        case $line in
            "ok "*) note_pass ;;
            "not ok "*) note_fail "$name: ${line#not ok }" ;;
            "skip "*) note_skip "$name" "${line#skip }" ;;
        esac
    done <"$log"
    if [[ $status -ne 0 && $failed -eq $before ]]; then note_fail "$name ended with status $status"; fi
    if [[ $failed -ne $before ]]; then show_log "$log"; fi
    printf '%-24s %s (%d s)\n' "$name" "$(outcome_word $((failed - before)))" "$seconds"
}

# The reasons of what was skipped, the names of what failed, and the sum. Its status says whether all is well.
print_tally() {
    local line
    for line in ${skip_reasons[@]+"${skip_reasons[@]}"}; do echo "skipped $line"; done
    for line in ${failures[@]+"${failures[@]}"}; do echo "failed $line"; done
    echo "$passed passed, $failed failed, $skipped skipped"
    [[ $failed -eq 0 && $passed -gt 0 ]]
}
