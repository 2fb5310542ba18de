# Reads a JUnit file written by ctest; prints each failure with the end of its output, then why tests were skipped,
# then one line "counts PASSED FAILED SKIPPED".
#
# ctest writes <skipped> for three different things: a test that skipped itself (message SKIP_...), a test that could
# not be started, and one whose fixture failed. Only the first is a skip; the other two are failures. A test that
# skipped itself and then tripped a sanitizer failed too.

function unescape(text) {
  gsub(/&lt;/, "<", text)
  gsub(/&gt;/, ">", text)
  gsub(/&quot;/, "\"", text)
  gsub(/&apos;/, "'", text)
  gsub(/&amp;/, "\\&", text)
  return text
}

function attribute(line, key,    start, rest) {
  start = index(line, key "=\"")
  if (!start) return ""
  rest = substr(line, start + length(key) + 2)
  return unescape(substr(rest, 1, index(rest, "\"") - 1))
}

/<testcase / {
  name = attribute($0, "name")
  status = attribute($0, "status")
  skip_message = ""
  reason = ""
  lines = 0
  sanitizer = 0
}

/<skipped message=/ { skip_message = attribute($0, "message") }

/<system-out>/ {
  inside = 1
  sub(/.*<system-out>/, "")
}

inside {
  text = $0
  last = sub(/<\/system-out>.*/, "", text)
  text = unescape(text)
  output[++lines] = text
  if (reason_next && text != "") {
    reason = text
    reason_next = 0
  }
  if (text ~ /: Skipped$/) reason_next = 1 # GoogleTest writes the reason on the next line
  if (text ~ /^skipped: /) reason = substr(text, 10) # our scripts write it so
  if (text ~ /ERROR: [A-Za-z]*Sanitizer|runtime error:/) sanitizer = 1
  if (last) {
    inside = 0
    reason_next = 0
  }
}

/<\/testcase>/ {
  if (status == "run") {
    passed++
  } else if (status == "disabled") {
    skipped++
    why["disabled"]++
  } else if (status == "notrun" && skip_message ~ /^SKIP_/ && !sanitizer) {
    skipped++
    why[reason == "" ? "no reason given (" name ")" : reason]++
  } else {
    failed++
    printf "FAILED %s%s\n", name, skip_message == "" ? "" : " (" skip_message ")"
    for (i = lines > 25 ? lines - 24 : 1; i <= lines; i++) print "    " output[i]
  }
}

END {
  for (reason in why) printf "skipped %d: %s\n", why[reason], reason
  printf "counts %d %d %d\n", passed, failed, skipped
}
