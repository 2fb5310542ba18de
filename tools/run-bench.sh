# shellcheck shell=bash
# `tools/run bench [--json FILE] [--pairs N] [--quick]`; sourced by tools/run. The same program runs by hand on a
# machine with a GPU: build target passmeter_bench with any preset and -DPASSMETER_BENCH=ON.
#
# Last, unless --quick, what passmeter adds to a page's download.

status=0
build_in_root full passmeter_bench passmeter_read_bench
in_root "$top/build/full/bench/passmeter_bench" "$@" || status=$?

# What reading back costs, late and by waiting. Its JSON goes beside the other, as FILE-reads.json.
read_arguments=()
previous=
for argument in "$@"; do
  [ "$argument" = --quick ] && read_arguments+=(--quick)
  [ "$previous" = --json ] && read_arguments+=(--json "${argument%.json}-reads.json")
  previous=$argument
done
printf '\nreading back\n'
in_root "$top/build/full/bench/passmeter_read_bench" "${read_arguments[@]}" || status=$?
case " $* " in
*" --quick "*) ;;
*)
  build_in_root web web_hello web_hello_plain web_hello_both web_hello_both_plain
  printf "\nadded to a page's download\n"
  "$here/web-size.sh" "$top/build/web" || status=$?
  ;;
esac
exit "$status"
