# shellcheck shell=bash
# `tools/run format [--check]`; sourced by tools/run. One clang-format for all: the development root's.

mapfile -t files < <(cd "$top" && find core backend_gl backend_webgpu samples tests bench \
  \( -name '*.h' -o -name '*.cpp' \) -not -path '*/node_modules/*' | sort)
if [ "${1:-}" = --check ]; then
  if ! at_root clang-format --dry-run --Werror "${files[@]}"; then
    die "some files are not formatted: call \`tools/run format\`"
  fi
  say "${#files[@]} files are formatted"
else
  at_root clang-format -i "${files[@]}"
fi
