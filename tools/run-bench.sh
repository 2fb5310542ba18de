# shellcheck shell=bash
# `tools/run bench [--json FILE] [--pairs N] [--quick]`; sourced by tools/run. The same program runs by hand on a
# machine with a GPU: build target passmeter_bench with any preset and -DPASSMETER_BENCH=ON.

build_in_root full passmeter_bench
in_root "$top/build/full/bench/passmeter_bench" "$@"
