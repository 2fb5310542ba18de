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
             unsigned counter_bits, bool no_wait);

  bool begin(std::uint32_t slot) noexcept {
    open_marks_ = marks(slot);
    return frames_.begin(slot);
  }
  bool open(std::uint32_t interval) noexcept {
    if (!frames_.reserve()) return false;
    mark(open_marks_[interval].begin);
    return true;
  }
  void close(std::uint32_t interval) noexcept {
    frames_.unreserve();
    mark(open_marks_[interval].end);
  }

  /// Reads a frame that is available and judges its intervals: verdict, position in time, and times as if
  /// none were nested. Calls note_stamp(ticks) for some of the stamps that are neither unwritten nor
  /// negative. `cpu_now_ns` includes the clock's own inaccuracy. Answers as QueryFrames::read().
  template <class NoteStamp>
  Answer fill(std::uint32_t slot, std::span<Interval> intervals, std::int64_t cpu_now_ns,
              NoteStamp&& note_stamp);

  QueryFrames& frames() noexcept { return frames_; }

 private:
  static constexpr std::uint32_t most_noted = 4;

  struct Marks {
    std::uint32_t begin, end;
  };

  Marks* marks(std::uint32_t slot) noexcept { return marks_.data() + std::size_t{slot} * max_scopes_; }
  void mark(std::uint32_t& place) noexcept {
    functions_->query_counter(frames_.next(place), value::timestamp);
  }

  const GlFunctions* functions_ = nullptr;
  std::uint32_t max_scopes_ = 0;
  StampRule rule_;
  QueryFrames frames_;
  std::vector<Marks> marks_;
  Marks* open_marks_ = nullptr;  ///< Of the frame that is being marked.
};

template <class NoteStamp>
Answer StampClock::fill(std::uint32_t slot, std::span<Interval> intervals, std::int64_t cpu_now_ns,
                        NoteStamp&& note_stamp) {
  std::span<std::uint64_t> stamps;
  const Answer answer = frames_.read(slot, stamps);
  if (answer != Answer::yes) return answer;
  // Places in time count from the first pass that can be believed.
  std::uint64_t first = 0;
  bool any_accepted = false;
  const Marks* mark = marks(slot);
  std::uint64_t last_begin = 0;
  std::uint32_t noted = 0;
  for (Interval& interval : intervals) {
    const std::uint64_t begin = stamps[mark->begin];
    const std::uint64_t end = stamps[mark->end];
    ++mark;
    const std::int64_t ticks = ticks_between(begin, end, rule_.counter_bits);
    const std::int64_t cpu_elapsed_ns = cpu_now_ns - interval.cpu_begin_ns;
    // The plain case without a call; it is within what judge_stamps() accepts.
    const bool plain = ticks >= 0 && ticks <= cpu_elapsed_ns && (begin | end) != 0;
    interval.verdict = plain ? Verdict::accepted : judge_stamps(begin, end, rule_, cpu_elapsed_ns).verdict;
    // Stamps that are implausible for being coarse must be seen for the coarseness to be known. A few a frame
    // do.
    if (noted < most_noted && (plain || interval.verdict == Verdict::implausible)) {
      noted += 2;
      note_stamp(begin);
      note_stamp(end);
    }
    if (interval.verdict != Verdict::accepted) continue;
    // Passes begin in the order they were opened, also where their work overlaps. One that begins before the
    // one opened before it has a begin that was not written: its query still holds an old frame's.
    if (!any_accepted) first = last_begin = begin;
    any_accepted = true;
    if (ticks_between(last_begin, begin, rule_.counter_bits) < 0) {
      interval.verdict = Verdict::negative;
      continue;
    }
    last_begin = begin;
    interval.begin_ns = static_cast<double>(ticks_between(first, begin, rule_.counter_bits));
    interval.inclusive_ns = interval.exclusive_ns = static_cast<double>(ticks);
    interval.end_ns = interval.begin_ns + interval.inclusive_ns;
  }
  return Answer::yes;
}

}  // namespace passmeter::gl
