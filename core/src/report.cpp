#include "passmeter/report.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "small_sort.h"

namespace passmeter {
namespace {

constexpr std::uint32_t no_row = 0xFFFFFFFFu;

// The rows as a forest, by index: the rows themselves are large and move only once, at the end.
struct Forest {
  std::vector<std::uint32_t> parent;       // no_row for a root
  std::vector<std::uint32_t> first_child;  // [n] is the first root
  std::vector<std::uint32_t> next_sibling;
};

std::uint32_t find_row(const std::vector<SeriesReport>& rows, std::string_view name) noexcept {
  if (name.empty()) return no_row;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (rows[i].name == name) return i;
  }
  return no_row;
}

bool measured(const SeriesReport& row) noexcept {
  return row.verdicts.accepted() != 0 && std::isfinite(row.ema);
}

bool measured_time(const SeriesReport& row) noexcept {
  return measured(row) && row.unit == Unit::nanoseconds;
}

// Times first, then what counts other things, then what was never measured.
int group(const SeriesReport& row) noexcept {
  return !measured(row) ? 2 : row.unit == Unit::nanoseconds ? 0 : 1;
}

bool comes_before(const SeriesReport& a, const SeriesReport& b) noexcept {
  if (group(a) != group(b)) return group(a) < group(b);
  return group(a) == 0 && a.ema > b.ema;
}

std::vector<std::uint32_t> find_parents(const std::vector<SeriesReport>& rows) {
  std::vector<std::uint32_t> parents(rows.size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) parents[i] = find_row(rows, rows[i].parent);
  return parents;
}

// The row of the ring through `row` that comes first.
std::uint32_t first_of_ring(const std::vector<std::uint32_t>& parent, std::uint32_t row) noexcept {
  std::uint32_t first = row;
  for (std::uint32_t next = parent[row]; next != row; next = parent[next]) first = std::min(first, next);
  return first;
}

// Rows made by hand may name each other as parents. Each walk up from a row marks its way with the walk's
// number; where it meets its own mark it has gone round. The first row of such a ring becomes a root.
void cut_cycles(std::vector<std::uint32_t>& parent) {
  std::vector<std::uint32_t> mark(parent.size(), no_row);
  for (std::uint32_t start = 0; start < parent.size(); ++start) {
    std::uint32_t row = start;
    while (row != no_row && mark[row] == no_row) {
      mark[row] = start;
      row = parent[row];
    }
    if (row != no_row && mark[row] == start) parent[first_of_ring(parent, row)] = no_row;
  }
}

Forest make_forest(const std::vector<SeriesReport>& rows) {
  const std::uint32_t n = static_cast<std::uint32_t>(rows.size());
  Forest forest{find_parents(rows), std::vector<std::uint32_t>(n + 1, no_row),
                std::vector<std::uint32_t>(n, no_row)};
  cut_cycles(forest.parent);

  std::vector<std::uint32_t> order(n);
  for (std::uint32_t i = 0; i < n; ++i) order[i] = i;
  small_sort(order.begin(), order.end(), [&rows](std::uint32_t a, std::uint32_t b) {
    if (comes_before(rows[a], rows[b])) return true;
    return !comes_before(rows[b], rows[a]) && a < b;
  });
  // Pushed to the front from last to first, each list of children ends up in order.
  for (std::uint32_t i = n; i-- > 0;) {
    const std::uint32_t row = order[i];
    std::uint32_t& head = forest.first_child[forest.parent[row] == no_row ? n : forest.parent[row]];
    forest.next_sibling[row] = head;
    head = row;
  }
  return forest;
}

// The rows depth first; sets their depth on the way.
std::vector<std::uint32_t> walk(const Forest& forest, std::vector<SeriesReport>& rows) {
  std::vector<std::uint32_t> order;
  order.reserve(rows.size());
  std::uint32_t depth = 0;
  std::uint32_t row = forest.first_child[rows.size()];
  while (row != no_row) {
    rows[row].depth = depth;
    order.push_back(row);
    if (forest.first_child[row] != no_row) {
      row = forest.first_child[row];
      ++depth;
      continue;
    }
    while (row != no_row && forest.next_sibling[row] == no_row) {
      row = forest.parent[row];
      --depth;
    }
    if (row == no_row) break;
    row = forest.next_sibling[row];
  }
  return order;
}

// order[i] says which row goes to place i. Swaps, so that the rows' strings keep their memory.
void permute(std::vector<SeriesReport>& rows, std::vector<std::uint32_t>& order) {
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    std::uint32_t place = i;
    while (order[place] != i) {
      const std::uint32_t from = order[place];
      std::swap(rows[place], rows[from]);
      order[place] = place;
      place = from;
    }
    order[place] = place;
  }
}

// Overlapping children can outweigh their parent; a share is never negative.
double exclusive_time(const SeriesReport& row) noexcept {
  if (!measured_time(row) || !std::isfinite(row.exclusive_ema)) return 0;
  return std::max(row.exclusive_ema, 0.0);
}

void compute_shares(std::vector<SeriesReport>& rows) noexcept {
  double total = 0;
  for (const SeriesReport& row : rows) total += exclusive_time(row);
  for (SeriesReport& row : rows) {
    const bool known = measured_time(row) && std::isfinite(row.exclusive_ema) && total > 0;
    row.share = known ? exclusive_time(row) / total : unknown;
  }
}

}  // namespace

const SeriesReport* Report::find(std::string_view name) const noexcept {
  const std::uint32_t row = find_row(series, name);
  return row == no_row ? nullptr : &series[row];
}

void arrange(Report& report) {
  const Forest forest = make_forest(report.series);
  std::vector<std::uint32_t> order = walk(forest, report.series);
  permute(report.series, order);
  compute_shares(report.series);
}

}  // namespace passmeter
