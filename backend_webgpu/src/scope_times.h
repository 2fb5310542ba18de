#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "passmeter/frame_sample.h"
#include "passmeter/stamps.h"

namespace passmeter::webgpu {

/// What the queries of a frame held before it.
struct QueryHistory {
  std::uint64_t frame = 0;  // the frame's number
  /// As the frame before left them, by pair; what pairs from `moved_from` on held lies `moved_by` higher.
  std::span<const std::uint64_t> before;
  std::uint32_t moved_from = 0, moved_by = 0;
};

/// Turns a frame's resolved stamps into the times of its scopes. A scope's own passes add up; its children's
/// times add to that. A scope without passes of its own spans its children. One bad pair makes the scope, and
/// the scopes around it, bad: a time with a piece missing would be wrong without looking wrong.
class ScopeTimes {
 public:
  ScopeTimes(std::uint32_t max_intervals, std::uint32_t max_pairs);

  /// `pair_interval[n]` is the interval that pair n (stamps 2n and 2n + 1) belongs to. An interval that comes
  /// with the verdict no_free_slot keeps it. `now_ns` by the CPU clock of Interval::cpu_begin_ns.
  void fill(std::span<Interval> intervals, std::span<const std::uint32_t> pair_interval,
            std::span<const std::uint64_t> stamps, const QueryHistory& history, const StampRule& rule,
            std::int64_t now_ns) noexcept;

  /// Forgets the stamps of earlier frames (other query sets).
  void forget_history() noexcept;

 private:
  /// What has been learnt about one interval so far, in ticks since the frame's first accepted stamp.
  struct Sum {
    bool own = false;     // it has pairs of its own
    bool marked = false;  // it, or a scope inside it, has
    bool placed = false;  // begin and end are known
    Verdict verdict = Verdict::accepted;
    std::int64_t begin = 0, end = 0;
    double own_ns = 0, children_ns = 0;

    void reject(Verdict why) noexcept;
    void widen(std::int64_t from, std::int64_t to) noexcept;
  };

  void judge_pairs(std::span<const Interval> intervals, std::span<const std::uint32_t> pair_interval,
                   std::span<const std::uint64_t> stamps, const QueryHistory& history, const StampRule& rule,
                   std::int64_t now_ns) noexcept;
  bool stale(std::size_t pair, std::uint64_t begin, std::uint64_t end,
             const QueryHistory& history) const noexcept;
  void remember(std::span<const std::uint64_t> stamps, const QueryHistory& history) noexcept;
  void sum_up(std::span<Interval> intervals, double ns_per_tick) noexcept;

  std::vector<Sum> sums_;
  std::vector<std::uint64_t> last_;  // the stamps last read, by slot
  std::uint64_t last_frame_ = 0;     // of that frame
};

}  // namespace passmeter::webgpu
