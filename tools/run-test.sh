# shellcheck shell=bash
# `tools/run test [NAME]`; sourced by tools/run.
#
#   (no name)   in the development root: everything with g++ 14 and with clang (the library without exceptions and
#               RTTI), the consumer projects among them; on this machine: core and OpenGL with its own compiler
#   sanitize    AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer; then ThreadSanitizer where threads are
#   web         in real browsers (run-web-test.sh)
#   style       formatting of the sources, shellcheck over the scripts
#   NAME        the tests whose name matches this regular expression, with g++ 14
#
# The last line is always `N passed, N failed`, and `, N skipped` when there are any. Only tests that ran and
# succeeded count as passed; a build that fails, or a run that finds no tests, counts as a failure.

passed=0
failed=0
skipped=0

# Adds one JUnit file to the totals and shows its failures and skips.
count_junit() { # count_junit LABEL FILE EXIT_STATUS LOG
  local label=$1 file=$2 status=$3 log=$4 text p=0 f=0 s=0
  if [ ! -s "$file" ]; then
    step_failed "$label: no test was run" "$log"
    return
  fi
  text=$(awk -f "$here/tally.awk" "$file")
  read -r _ p f s <<<"${text##*$'\n'}"
  printf '%s\n' "$text" | sed '$d; s/^/  /'
  if [ "$f" = 0 ] && [ "$status" != 0 ]; then # ctest knows of something that its file does not show
    step_failed "$label: ctest failed" "$log"
  elif [ $((p + f + s)) = 0 ]; then
    step_failed "$label: no test was run" "$log"
  fi
  add_counts "$label" "$p" "$f" "$s"
}

add_counts() { # add_counts LABEL PASSED FAILED SKIPPED
  passed=$((passed + $2))
  failed=$((failed + $3))
  skipped=$((skipped + $4))
  printf '%s: %d passed, %d failed, %d skipped\n' "$@"
}

step_failed() { # step_failed WHAT LOG
  failed=$((failed + 1))
  printf 'FAILED %s (log: %s)\n' "$1" "$2"
  grep -aE 'error:|warning:|CMake Error|FAILED|ninja:' "$2" | head -n 20 | sed 's/^/    /' || true
  tail -n 12 "$2" | sed 's/^/    /'
}

# Configures, builds and tests a preset in the development root: everything, or the targets in `only`.
only=()
test_in_root() { # test_in_root PRESET [CTEST ARGUMENTS]
  local preset=$1 status=0
  shift
  local log=$top/build/$preset.log junit=$top/build/$preset/junit.xml
  if ! configure_in_root "$preset"; then
    step_failed "$preset: configuring" "$log"
    return
  fi
  say "building ${only[*]:-everything} ($preset)"
  if ! logged "$log" at_root cmake --build --preset "$preset" --target "${only[@]:-all}" -- -k 0; then
    step_failed "$preset: building" "$log"
    return
  fi
  say "testing ($preset)"
  rm -f "$junit"
  log=$top/build/$preset-test.log
  logged "$log" at_root ctest --preset "$preset" "$@" || status=$?
  count_junit "$preset" "$junit" "$status" "$log"
}

# Core and OpenGL as a stranger builds them: this machine's packages and compiler, no development root.
test_on_host() {
  local log=$top/build/gl.log junit=$top/build/gl/junit.xml status=0 list
  mapfile -t list < <(grep -v '^#' "$here/host-packages.txt")
  host_packages "${list[@]}"
  say "building and testing core and OpenGL with this machine's compiler (gl)"
  rm -f "$junit"
  CMAKE_BUILD_PARALLEL_LEVEL=$jobs CTEST_PARALLEL_LEVEL=$jobs logged "$log" at_top cmake --workflow --preset gl ||
    status=$?
  count_junit gl "$junit" "$status" "$log"
}

at_top() (
  cd "$top" && "$@"
)

# One check by its exit status.
check() { # check LABEL COMMAND...
  local label=$1 log=$top/build/$1.log
  shift
  if logged "$log" "$@"; then add_counts "$label" 1 0 0; else step_failed "$label" "$log"; fi
}

test_style() {
  host_packages shellcheck
  check format "$here/run" format --check
  check scripts shellcheck -x -S warning -e SC2154 "$here/run" "$here/make-root" "$top/.ci/run" "$here"/*.sh
}

test_web() {
  [ -e "$here/run-web-test.sh" ] || die "the browser tests are not there yet"
  # shellcheck source=/dev/null
  . "$here/run-web-test.sh"
}

summary() {
  printf '%d passed, %d failed' "$passed" "$failed"
  [ "$skipped" = 0 ] || printf ', %d skipped' "$skipped"
  printf '\n'
  [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}

# The programs in which threads meet; their tests have the label `threads`. ThreadSanitizer has nothing to say about
# the others.
threaded=(webgpu_dawn_test webgpu_fake_test webgpu_helpers_dawn_test webgpu_helpers_fake_test)

case "${1:-}" in
"")
  test_in_root full
  test_in_root clang
  test_on_host
  ;;
sanitize)
  test_in_root asan
  only=("${threaded[@]}")
  test_in_root tsan -L '^threads$'
  ;;
style) test_style ;;
web) test_web ;; # adds to the totals with count_junit or add_counts
*) test_in_root full -R "$1" ;;
esac
summary
