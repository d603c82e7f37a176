#!/usr/bin/env bash
# `hostname` on 64 hosts by trellis and its peers, and the floor under it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
"$here/../bench/shell_bench"
echo
"$here/../bench/floor_bench" | sed 's/^# /## /'
