# shellcheck shell=bash
# shellcheck disable=SC2154 # here, top and jobs are set by tools/run
# `tools/run test web`; sourced from run-test.sh, whose totals it adds to.
#
#   unit tests of core and backend_gl compiled with Emscripten, under Node
#   both headers' worlds: the library with Emscripten's older webgpu.h (built) and the standard one (checked)
#   the page and the cases in Chromium and Firefox

# shellcheck source=tools/run-web.sh
. "$here/run-web.sh"

web_test_machine() {
  host_packages chromium firefox-esr xvfb xauth libgl1-mesa-dri libegl1 mesa-vulkan-drivers fonts-dejavu-core
  web_node
  command -v npm >/dev/null || host_packages npm
}

# The drivers' library, exactly as locked.
web_test_driver() {
  local log=$top/build/web-npm.log
  [ -e "$top/tests/web/node_modules/.package-lock.json" ] &&
    [ "$top/tests/web/node_modules/.package-lock.json" -nt "$top/tests/web/package-lock.json" ] && return
  say "installing what drives the browsers"
  logged "$log" npm ci --prefix "$top/tests/web" --ignore-scripts --no-audit --no-fund && return
  step_failed "web: npm ci" "$log"
  return 1
}

web_test_browsers() {
  local log=$top/build/web-browsers.log status=0 last
  say "testing in Chromium and Firefox"
  xvfb-run -a -s '-screen 0 1400x1100x24' \
    node "$top/tests/web/run.mjs" "$top/build/web" 2>&1 | tee "$log" || status=$?
  last=$(tail -n 1 "$log")
  if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
    add_counts "browsers" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "${BASH_REMATCH[4]:-0}"
  else
    step_failed "web: the browser tests ended with status $status before their totals" "$log"
  fi
}

# The files of the library in C++20 against the standard webgpu.h of the Dawn package, compiled by Emscripten's clang.
web_test_standard_header() {
  check web-standard-header at_root "$here/check-standard-webgpu.sh"
}

web_test_machine
test_in_root web
if web_test_driver; then web_test_browsers; fi
web_test_standard_header
check web-webgl-alone at_root sh -c \
  'cmake --preset web-gl -DPASSMETER_TESTS=OFF && cmake --build build/web-gl --target passmeter_page web_hello'
