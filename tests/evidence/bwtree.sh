#!/usr/bin/env bash
# What bwtree and the published method say of the links of 32 emulated hosts, beside what these are and beside iperf3.
set -euo pipefail
"$(cd "$(dirname "$0")" && pwd)/../bench/bwtree_bench"
