#!/usr/bin/env bash
# `hostname` on 64 and 256 hosts by trellis and its peers, and the floor under it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
for job in "four_switches_64 20" "four_clusters_256 10"; do
    read -r file rounds <<<"$job"
    "$here/../bench/shell_bench" "$here/../lab/files/$file.lab" "$rounds"
    echo
    "$here/../bench/floor_bench" "$here/../lab/files/$file.lab" | sed 's/^# /## /'
    echo
done
