#include <algorithm>
#include <cmath>
#include <string_view>

#include "find_time.h"
#include "format.h"
#include "passmeter/writers.h"
#include "text_table.h"

namespace passmeter {
namespace {

constexpr std::size_t columns = 120;

struct Names {
  std::string left, right;
};

Names names_of(const Comparison& comparison) {
  Names names{text::backend_name(comparison.left.backend), text::backend_name(comparison.right.backend)};
  if (names.left == names.right) names = {"left", "right"};
  return names;
}

std::string one_or_both(const std::string& left, const std::string& right) {
  return left == right ? left : left + " | " + right;
}

std::string ratio_text(double ratio) { return std::isfinite(ratio) ? format::fixed(ratio, 3) : "?"; }

std::string band_text(const ComparisonRow& row) {
  if (!std::isfinite(row.low) || !std::isfinite(row.high)) return "?";
  return ratio_text(row.low) + "-" + ratio_text(row.high);
}

std::string verdict_text(Difference verdict, const Names& names) {
  switch (verdict) {
    case Difference::same:
      return "same";
    case Difference::left_slower:
      return names.left + " slower";
    case Difference::right_slower:
      return names.right + " slower";
    case Difference::undecided:
      break;
  }
  return "?";
}

// Short enough for both sides to stand in one column.
std::string_view short_source(Source source) {
  return source == Source::time_elapsed ? "elapsed" : to_string(source);
}

std::string counts(const SeriesReport* row) {
  if (row == nullptr) return "-";
  return format::integer(row->verdicts.accepted()) + "/" + format::integer(row->verdicts.rejected());
}

// Where a pass is below its clock's resolution the comparison gives its mean, which may be smaller than it.
std::string time_text(double ns, const SeriesReport* row, const Report& report) {
  return text::milliseconds(ns, row != nullptr && row->below_resolution ? 0 : report.resolution_ns);
}

std::string name_text(const std::string& name, const SeriesReport* left, const SeriesReport* right) {
  const std::uint32_t depth = left != nullptr ? left->depth : right != nullptr ? right->depth : 0;
  std::string out(std::size_t{2} * (depth < 20 ? depth : 20), ' ');
  format::append_printable(out, name);
  return out;
}

void add_row(text::Table& table, const Comparison& comparison, const ComparisonRow& row, const Names& names) {
  const Report& l = comparison.left;
  const Report& r = comparison.right;
  const SeriesReport* left = find_time(l, row.name);
  const SeriesReport* right = find_time(r, row.name);
  table.add({name_text(row.name, left, right), time_text(row.left_ns, left, l),
             time_text(row.right_ns, right, r), ratio_text(row.ratio), band_text(row),
             verdict_text(row.verdict, names),
             one_or_both(std::string(short_source(l.source)), std::string(short_source(r.source))),
             one_or_both(text::duration(l.resolution_ns), text::duration(r.resolution_ns)),
             one_or_both(text::one_decimal(l.latency_frames), text::one_decimal(r.latency_frames)),
             counts(left), counts(right)});
}

void add_frame(text::Table& table, const Comparison& comparison) {
  const double left = comparison.left.frame.busy_p50;
  const double right = comparison.right.frame.busy_p50;
  table.add({"frame", text::milliseconds(left, 0), text::milliseconds(right, 0),
             right > 0 ? ratio_text(left / right) : "?"});
}

void append_side(std::string& out, const std::string& name, const Report& report, std::size_t width) {
  std::string machine = text::source_and_state(report);
  for (const std::string* part : {&report.adapter, &report.driver}) {
    if (!part->empty()) machine += " | " + *part;
  }
  text::append_note(out, name, machine, columns, width);
  text::append_note(out, "", report.reason, columns, width);
}

}  // namespace

std::string to_text(const Comparison& comparison) {
  const Names names = names_of(comparison);
  std::string out;
  const std::size_t width =
      std::max(format::display_width(names.left), format::display_width(names.right)) + 1 + text::title_width;
  append_side(out, names.left, comparison.left, width);
  append_side(out, names.right, comparison.right, width);
  out += '\n';

  text::Table table;
  for (const std::size_t column : {5u, 6u}) table.align_left(column);
  table.add({"pass", names.left + " ms", names.right + " ms", "ratio", "95 % band", "verdict", "source",
             "resolution", "latency", "n/rej " + names.left, names.right});
  table.add_rule();
  for (const ComparisonRow& row : comparison.rows) add_row(table, comparison, row, names);
  if (!comparison.rows.empty()) table.add_rule();
  add_frame(table, comparison);
  table.append_to(out, columns);

  out += '\n';
  text::append_note(out, "reading",
                    "Times are medians; frame is GPU busy time. ratio = " + names.left + " / " + names.right +
                        "; same: the band holds 1, so noise may be all there is. latency in frames; n/rej: "
                        "measurements accepted and rejected.",
                    columns, width);
  text::append_notes(out, comparison.left, names.left + " ", columns, width);
  text::append_notes(out, comparison.right, names.right + " ", columns, width);
  return out;
}

}  // namespace passmeter
