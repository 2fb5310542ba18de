# shellcheck shell=bash
# shellcheck disable=SC2154 # here, top and jobs are set by tools/run
# `tools/run web [--port N]`: builds the page and serves it on this machine; sourced by tools/run.

# Node, 18 or newer: whatever the machine has, else Debian's.
web_node() {
  local major=0
  command -v node >/dev/null && major=$(node -p 'process.versions.node.split(".")[0]')
  [ "$major" -ge 18 ] || host_packages nodejs
}

web_serve() {
  local port=8080
  while [ $# -gt 0 ]; do
    case "$1" in
    --port)
      [ $# -gt 1 ] || die "--port wants a number"
      port=$2
      shift 2
      ;;
    --port=*)
      port=${1#--port=}
      shift
      ;;
    *) die "\`web\` knows only --port N, not $1" ;;
    esac
  done
  if ! [[ $port =~ ^[0-9]{1,5}$ ]] || [ "$port" -gt 65535 ]; then
    die "--port wants a number from 0 (any free one) to 65535"
  fi
  web_node
  build_in_root web passmeter_page
  exec node "$top/samples/web/serve.mjs" "$top/build/web/site" "$port"
}

# Also sourced for its functions by run-web-test.sh.
[ "$command" != web ] || web_serve "$@"
