#!/usr/bin/env bash
# MPI programs under each placement of their ranks, and what the placements are worth by themselves.
set -euo pipefail
"$(cd "$(dirname "$0")" && pwd)/../bench/rankmap_bench"
