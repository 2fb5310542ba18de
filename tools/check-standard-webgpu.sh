#!/bin/sh
# Syntax check of core and backend_webgpu with Emscripten's clang and the standard webgpu.h, as emdawnwebgpu has it:
# the port itself cannot be downloaded everywhere, but its header is the one of Dawn's package. Run inside the
# development root, at the top of the checkout.
set -eu
header=/usr/include/webgpu/webgpu.h
[ -e "$header" ] || { echo "there is no $header: the Dawn package is missing" >&2; exit 1; }

# Only those headers, in front of Emscripten's own.
include=build/standard-webgpu
rm -rf "$include"
mkdir -p "$include/webgpu" "$include/dawn"
cp "$header" "$include/webgpu/"
# Dawn's own copy refuses Emscripten, where the port brings its own; the declarations are the same.
[ ! -e /usr/include/dawn/webgpu.h ] || sed '/#error "Do not include this header/d' /usr/include/dawn/webgpu.h >"$include/dawn/webgpu.h"
grep -rq WGPU_STRLEN "$include" || { echo "$header is not the standard header" >&2; exit 1; }

for file in core/src/*.cpp backend_webgpu/src/*.cpp; do
  echo "$file"
  em++ -std=c++20 -fsyntax-only -fno-exceptions -fno-rtti -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
    -isystem "$include" -Icore/include -Ibackend_webgpu/include "$file"
done
