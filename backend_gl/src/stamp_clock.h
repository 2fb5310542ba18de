// Timestamps at both ends of a pass (glQueryCounter). They nest by themselves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "passmeter/frame_sample.h"
#include "passmeter/stamps.h"
#include "query_frames.h"

namespace passmeter::gl {

class StampClock {
 public:
  void start(const GlFunctions& functions, std::uint32_t slots, std::uint32_t max_scopes,
             unsigned counter_bits);

  bool begin(std::uint32_t slot) noexcept { return frames_.begin(slot); }
  bool open(std::uint32_t slot, std::uint32_t interval) noexcept {
    if (!frames_.pool().has(2)) return false;  // the end needs one too
    return mark(slot, marks(slot)[interval].begin);
  }
  void close(std::uint32_t slot, std::uint32_t interval) noexcept {
    if (!mark(slot, marks(slot)[interval].end)) marks(slot)[interval].end = QueryFrames::none;
  }

  /// Reads a frame whose queries are all available and judges its intervals: verdict and position in time.
  /// Calls note_stamp(ticks) for some of the stamps that are neither unwritten nor negative. `cpu_now_ns`
  /// includes the clock's own inaccuracy. False: the driver refused.
  template <class NoteStamp>
  bool fill(std::uint32_t slot, std::span<Interval> intervals, std::int64_t cpu_now_ns,
            NoteStamp&& note_stamp);

  QueryFrames& frames() noexcept { return frames_; }

 private:
  static constexpr std::uint32_t most_noted = 4;

  struct Marks {
    std::uint32_t begin, end;
  };

  Marks* marks(std::uint32_t slot) noexcept { return marks_.data() + std::size_t{slot} * max_scopes_; }
  bool mark(std::uint32_t slot, std::uint32_t& place) noexcept {
    const GLuint id = frames_.add(slot, place);
    if (id == 0) return false;
    functions_->query_counter(id, value::timestamp);
    return true;
  }

  const GlFunctions* functions_ = nullptr;
  std::uint32_t max_scopes_ = 0;
  StampRule rule_;
  QueryFrames frames_;
  std::vector<Marks> marks_;
};

template <class NoteStamp>
bool StampClock::fill(std::uint32_t slot, std::span<Interval> intervals, std::int64_t cpu_now_ns,
                      NoteStamp&& note_stamp) {
  const std::span<const std::uint64_t> stamps = frames_.read(slot);
  if (stamps.empty()) return false;
  const std::uint64_t first = stamps[0];
  std::uint64_t last_begin = first;
  std::uint32_t noted = 0;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    Interval& interval = intervals[i];
    const Marks mark = marks(slot)[i];
    if (mark.end == QueryFrames::none) {
      interval.verdict = Verdict::no_free_slot;
      continue;
    }
    const std::uint64_t begin = stamps[mark.begin];
    const std::uint64_t end = stamps[mark.end];
    interval.verdict = judge_stamps(begin, end, rule_, cpu_now_ns - interval.cpu_begin_ns).verdict;
    // Stamps that are implausible for being coarse must be seen for the coarseness to be known. A few a frame
    // do.
    if (noted < most_noted &&
        (interval.verdict == Verdict::accepted || interval.verdict == Verdict::implausible)) {
      noted += 2;
      note_stamp(begin);
      note_stamp(end);
    }
    if (interval.verdict != Verdict::accepted) continue;
    // Passes begin in the order they were opened, also where their work overlaps. One that begins before the
    // one opened before it has a begin that was not written: its query still holds an old frame's.
    if (ticks_between(last_begin, begin, rule_.counter_bits) < 0) {
      interval.verdict = Verdict::negative;
      continue;
    }
    last_begin = begin;
    interval.begin_ns = static_cast<double>(ticks_between(first, begin, rule_.counter_bits));
    interval.end_ns = static_cast<double>(ticks_between(first, end, rule_.counter_bits));
  }
  return true;
}

}  // namespace passmeter::gl
