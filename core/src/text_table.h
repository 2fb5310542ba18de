#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "passmeter/report.h"

// Pieces that the two text writers share.
namespace passmeter::text {

/// Cells in columns as wide as their widest one. The first column is left-aligned, the others right-aligned.
class Table {
 public:
  /// A row; cells missing at its end are empty.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// A line across the table.
  void add_rule() { rows_.emplace_back(); }
  void align_left(std::size_t column) { left_.push_back(column); }
  /// Appends the table. Where it is wider than `columns`, the first column is cut back to what room there is;
  /// a longer first cell then has a line of its own above the rest of its row.
  void append_to(std::string& out, std::size_t columns) const;

 private:
  std::vector<std::size_t> widths(std::size_t columns) const;
  void append_row(std::string& out, const std::vector<std::string>& row,
                  const std::vector<std::size_t>& widths) const;
  bool left(std::size_t column) const;

  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> left_{0};
};

/// "1 ns", "65.5 us", "16.7 ms"; "?" if unknown.
std::string duration(double ns);
/// Milliseconds with three digits; "?" if unknown, "<0.066" for what is under the resolution or the last
/// digit.
std::string milliseconds(double ns, double resolution_ns);
/// One digit after the point; "?" if unknown.
std::string one_decimal(double value);
/// A backend's name as people write it: "GL", "WebGPU"; others as they are.
std::string backend_name(std::string_view backend);
/// What the report's times come from, in one line: "timestamp", "none (lost)".
std::string source_and_state(const Report& report);

/// Where notes begin: titles stand in a column of their own, this wide at least.
inline constexpr std::size_t title_width = 11;
/// A line that begins with `title`, wrapped; nothing for an empty note.
void append_note(std::string& out, std::string_view title, std::string_view note, std::size_t columns,
                 std::size_t width = title_width);
/// What stands below a table: rejected measurements by reason, diagnostics, hint. `owner` goes before each
/// title
/// ("GL "), for tables about more than one report.
void append_notes(std::string& out, const Report& report, const std::string& owner, std::size_t columns,
                  std::size_t width = title_width);

}  // namespace passmeter::text
