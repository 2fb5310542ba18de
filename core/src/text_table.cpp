#include "text_table.h"

#include <algorithm>
#include <cmath>

#include "format.h"

namespace passmeter::text {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t least_first_column = 12;
constexpr double us = 1e3;
constexpr double ms = 1e6;

std::size_t sum_of_columns(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  for (const std::size_t width : widths) sum += width + gap;
  return sum < gap ? 0 : sum - gap;
}

std::string counted(std::uint64_t count, std::string_view what) {
  std::string out = format::integer(count);
  out += ' ';
  out += what;
  return out;
}

void append_listed(std::string& list, std::string_view item) {
  if (!list.empty()) list += ", ";
  list += item;
}

std::string reasons(const VerdictCounts& verdicts) {
  std::string out;
  for (std::size_t i = 1; i < verdict_count; ++i) {
    if (verdicts.count[i] != 0)
      append_listed(out, counted(verdicts.count[i], to_string(static_cast<Verdict>(i))));
  }
  return out;
}

struct Rejection {
  std::string reasons;
  std::string passes;
};

// Passes that share the same counts share a line: what rejects a frame rejects all its passes.
std::vector<Rejection> rejections(const Report& report) {
  std::vector<Rejection> all;
  for (const SeriesReport& row : report.series) {
    std::string text = reasons(row.verdicts);
    if (text.empty()) continue;
    auto same = std::find_if(all.begin(), all.end(), [&](const Rejection& r) { return r.reasons == text; });
    if (same == all.end()) same = all.insert(all.end(), {std::move(text), {}});
    std::string name;
    format::append_printable(name, row.name);
    append_listed(same->passes, name);
  }
  return all;
}

std::string diagnostics(const Report& report) {
  std::string out;
  for (std::size_t i = 0; i < diagnostic_count; ++i) {
    if (report.diagnostics[i] == 0) continue;
    append_listed(out, counted(report.diagnostics[i], to_string(static_cast<Diagnostic>(i))));
  }
  return out;
}

}  // namespace

bool Table::left(std::size_t column) const {
  return std::find(left_.begin(), left_.end(), column) != left_.end();
}

std::vector<std::size_t> Table::widths(std::size_t columns) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    if (row.size() > widths.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], format::display_width(row[i]));
  }
  const std::size_t sum = sum_of_columns(widths);
  if (!widths.empty() && sum > columns) {
    const std::size_t excess = sum - columns;
    const std::size_t room = widths[0] > excess ? widths[0] - excess : 0;
    widths[0] = std::min(widths[0], std::max(room, least_first_column));
  }
  return widths;
}

void Table::append_row(std::string& out, const std::vector<std::string>& row,
                       const std::vector<std::size_t>& widths) const {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out.append(gap, ' ');
    if (left(i)) {
      format::pad_right(out, row[i], widths[i]);
    } else {
      format::pad_left(out, row[i], widths[i]);
    }
    if (i == 0 && row.size() > 1 && format::display_width(row[0]) > widths[0]) {
      out += '\n';
      out.append(widths[0], ' ');
    }
  }
  format::trim_end(out);
  out += '\n';
}

void Table::append_to(std::string& out, std::size_t columns) const {
  const std::vector<std::size_t> all = widths(columns);
  for (const auto& row : rows_) {
    if (row.empty()) {
      out.append(sum_of_columns(all), '-');
      out += '\n';
    } else {
      append_row(out, row, all);
    }
  }
}

std::string duration(double ns) {
  if (!std::isfinite(ns)) return "?";
  std::string out;
  const bool nanoseconds = ns < us;
  const bool microseconds = ns < ms;
  format::append_short(out, nanoseconds ? ns : microseconds ? ns / us : ns / ms, 1);
  out += nanoseconds ? " ns" : microseconds ? " us" : " ms";
  return out;
}

std::string milliseconds(double ns, double resolution_ns) {
  if (!std::isfinite(ns)) return "?";
  const double resolution = std::isfinite(resolution_ns) ? resolution_ns : 0;
  // Also what would read 0.000: a zero that was measured and one that was rounded to look alike otherwise.
  const bool too_small = ns >= 0 && (ns < resolution || ns < 0.5 * us);
  if (!too_small) return format::fixed(ns / ms, 3);
  const double limit_us = std::max(std::ceil(resolution / us), 1.0);
  return "<" + format::fixed(limit_us / 1e3, 3);
}

std::string one_decimal(double value) { return std::isfinite(value) ? format::fixed(value, 1) : "?"; }

std::string backend_name(std::string_view backend) {
  if (backend.empty()) return "?";
  if (backend == "gl") return "GL";
  if (backend == "gles") return "GLES";
  if (backend == "webgl") return "WebGL";
  if (backend == "webgl2") return "WebGL2";
  if (backend == "webgpu") return "WebGPU";
  std::string out;
  format::append_printable(out, backend);
  return out;
}

std::string source_and_state(const Report& report) {
  std::string out = to_string(report.source);
  if (report.state != State::measuring) {
    out += " (";
    out += report.state == State::switched_off ? "switched off" : to_string(report.state);
    out += ')';
  }
  return out;
}

void append_note(std::string& out, std::string_view title, std::string_view note, std::size_t columns,
                 std::size_t width) {
  if (note.empty()) return;
  std::string lead;
  format::pad_right(lead, title, width);
  lead.append(gap, ' ');
  std::string safe;
  format::append_printable(safe, note);
  format::append_wrapped(out, lead, safe, columns);
}

void append_notes(std::string& out, const Report& report, const std::string& owner, std::size_t columns,
                  std::size_t width) {
  std::string title = owner + "rejected";
  for (const Rejection& rejection : rejections(report)) {
    append_note(out, title, rejection.passes + ": " + rejection.reasons, columns, width);
    title.clear();
  }
  append_note(out, owner + "diagnostics", diagnostics(report), columns, width);
  append_note(out, owner + "hint", report.hint, columns, width);
}

}  // namespace passmeter::text
