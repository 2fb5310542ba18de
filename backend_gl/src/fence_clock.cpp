#include "fence_clock.h"

#include <algorithm>
#include <limits>

namespace passmeter::gl {
namespace {

constexpr double unknown_ns = std::numeric_limits<double>::quiet_NaN();
constexpr double gap_weight = 0.1;
/// Without a look for so long (a hidden tab, a stopped debugger) an estimate would be the pause.
constexpr std::int64_t pause_ns = 1'000'000'000;

}  // namespace

void FenceClock::start(const GlFunctions& functions, std::uint32_t slots, std::uint32_t max_scopes,
                       CpuClock cpu_clock) {
  functions_ = &functions;
  cpu_clock_ = cpu_clock;
  stride_ = 2 * max_scopes;
  slots_.assign(slots, {});
  marks_.assign(std::size_t{slots} * max_scopes, {});
  times_.assign(std::size_t{slots} * stride_, 0);
  ring_.assign(std::size_t{slots} * stride_, {});
  resolution_ns_ = unknown_ns;
  forget();
}

void FenceClock::forget() noexcept {
  for (SlotState& state : slots_) state = {};
  head_ = used_ = 0;
}

void FenceClock::delete_all() noexcept {
  for (std::uint32_t i = 0; i < used_; ++i) {
    if (pending(i).sync != nullptr) functions_->delete_sync(pending(i).sync);
  }
  forget();
}

bool FenceClock::begin(std::uint32_t slot) noexcept {
  slots_[slot] = {};
  return true;
}

bool FenceClock::open(std::uint32_t slot, std::uint32_t interval) noexcept {
  const std::uint32_t mark = make_mark(slot);
  marks(slot)[interval] = {mark, none};
  return mark != none;
}

void FenceClock::close(std::uint32_t slot, std::uint32_t interval) noexcept {
  marks(slot)[interval].end = make_mark(slot);
}

std::uint32_t FenceClock::make_mark(std::uint32_t slot) noexcept {
  look();
  // Fences of frames given up leave the ring only when their turn comes, so it can be full.
  if (used_ == ring_.size()) return none;
  const GLsync sync = functions_->fence_sync(value::sync_gpu_commands_complete, 0);
  if (sync == nullptr) return none;
  const std::uint32_t mark = slots_[slot].count++;
  pending(used_++) = {sync, slot, mark};
  return mark;
}

void FenceClock::look() noexcept {
  const std::int64_t now = cpu_clock_.now();
  // Every fence is made right after a look, so none was signalled unseen for longer than this.
  const std::int64_t gap = now - last_look_ns_;
  last_look_ns_ = now;
  while (used_ > 0) {
    const Pending& oldest = pending(0);
    if (oldest.sync != nullptr) {
      const GLenum status = functions_->client_wait_sync(oldest.sync, 0, 0);
      if (status == value::timeout_expired) break;
      const bool signalled = status == value::already_signaled || status == value::condition_satisfied;
      functions_->delete_sync(oldest.sync);
      times(oldest.slot)[oldest.mark] = signalled ? now : failed;
      SlotState& state = slots_[oldest.slot];
      ++state.seen;
      state.longest_gap_ns = std::max(state.longest_gap_ns, gap);
    }
    head_ = static_cast<std::uint32_t>((head_ + 1) % ring_.size());
    --used_;
  }
}

void FenceClock::note_resolution(double gap_ns) noexcept {
  resolution_ns_ =
      resolution_ns_ == resolution_ns_ ? resolution_ns_ + gap_weight * (gap_ns - resolution_ns_) : gap_ns;
}

void FenceClock::fill(std::uint32_t slot, std::span<Interval> intervals) noexcept {
  if (slots_[slot].longest_gap_ns > pause_ns) {
    for (Interval& interval : intervals) interval.verdict = Verdict::late;
    slots_[slot] = {};
    return;
  }
  const std::int64_t* const time = times(slot);
  std::uint32_t first = 0;
  while (first + 1 < slots_[slot].count && time[first] == failed) ++first;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    Interval& interval = intervals[i];
    const Marks mark = marks(slot)[i];
    if (mark.end == none || time[mark.begin] == failed || time[mark.end] == failed) {
      interval.verdict = mark.end == none ? Verdict::no_free_slot : Verdict::driver_error;
      continue;
    }
    interval.verdict = Verdict::accepted;
    interval.begin_ns = static_cast<double>(time[mark.begin] - time[first]);
    interval.end_ns = static_cast<double>(time[mark.end] - time[first]);
  }
  note_resolution(static_cast<double>(slots_[slot].longest_gap_ns));
  slots_[slot] = {};
}

void FenceClock::abandon(std::uint32_t slot) noexcept {
  for (std::uint32_t i = 0; i < used_; ++i) {
    Pending& entry = pending(i);
    if (entry.slot != slot || entry.sync == nullptr) continue;
    functions_->delete_sync(entry.sync);
    entry.sync = nullptr;
  }
  slots_[slot] = {};
}

}  // namespace passmeter::gl
