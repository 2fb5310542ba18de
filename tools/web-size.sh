#!/usr/bin/env bash
# What passmeter adds to a page's download: gzipped .js and .wasm of the starter (samples/web_hello) with it, less
# those of the same program without it. Prints one line a variant, `name bytes limit`; fails above a limit.
#
#   web-size.sh [BUILD_FOLDER]      default: build/web, built with the preset `web`
set -euo pipefail

build=${1:-$(dirname "${BASH_SOURCE[0]}")/../build/web}
hello=$build/samples/web_hello

packed() { # packed NAME: bytes
  local js wasm
  js=$(gzip -9 -c "$hello/$1.js" | wc -c)
  wasm=$(gzip -9 -c "$hello/$1.wasm" | wc -c)
  echo $((js + wasm))
}

failed=0
added() { # added LABEL WITH WITHOUT LIMIT
  local with without bytes
  with=$(packed "$2")
  without=$(packed "$3")
  bytes=$((with - without))
  printf '%-16s %6d bytes gzipped (%d with passmeter, %d without; limit %d)\n' "$1" "$bytes" "$with" "$without" "$4"
  [ "$bytes" -le "$4" ] || failed=1
}

added 'WebGL2' web_hello web_hello_plain 20480
added 'WebGL2 + WebGPU' web_hello_both web_hello_both_plain 32768
exit $failed
