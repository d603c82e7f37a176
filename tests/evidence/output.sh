#!/usr/bin/env bash
# What equal outputs cost the root, and what a reader who stands still costs everybody.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "${TRELLIS_BUILD:-$here/../../build}")
report=$(mktemp)
trap 'rm -f "$report"' EXIT

echo "# Output of many hosts"
echo
echo "## Bytes that the root receives of a folded command that prints the same 4000 bytes everywhere"
echo
"$build/bin/trellis_tests" --gtest_filter='Merge.EqualOutputs*' --gtest_output="xml:$report" >/dev/null
echo "| hosts | bytes |"
echo "|---|---|"
grep -o 'name="bytes_from_[0-9]*" value="[0-9]*"' "$report" | sed 's/[^0-9]*\([0-9]*\)[^0-9]*\([0-9]*\)"/| \1 | \2 |/'
echo
echo "## A host prints 10 GB to a pager that stands still for 8 s, through a relay; real sshd"
echo
"$here/../lab/pressure_lab_test.sh" | sed 's/^/    /'
