#!/usr/bin/env bash
# One file of 512 MB to 16 hosts at 200 Mbit/s and to 32 at 100 Mbit/s, by trellis and its peers.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
for file in chain_16 chain_32; do
    "$here/../bench/bcast_bench" "$here/../lab/files/$file.lab" 512
    echo
done
