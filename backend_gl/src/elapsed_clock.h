// GL_TIME_ELAPSED queries. Only one can be active at a time, so opening a pass inside another ends the outer
// one's query and closing it begins a new one: each pass is a list of segments that hold none of its
// children's time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "clock_choice.h"
#include "passmeter/frame_sample.h"
#include "query_frames.h"

namespace passmeter::gl {

class ElapsedClock {
 public:
  void start(const GlFunctions& functions, std::uint32_t slots, std::uint32_t max_scopes, bool no_wait);
  /// The context is gone: no driver call.
  void forget() noexcept;
  /// Ends the active query, if there is one, and deletes all.
  void delete_all() noexcept;

  bool begin(std::uint32_t slot) noexcept {
    if (frames_asked_ < frames_asked_throughout && !seen_elsewhere_) ++frames_asked_;
    if (++turn_ >= max_scopes_ || turn_ > most_opened_) turn_ = 1;
    open_owner_ = owner_.data() + std::size_t{slot} * 2 * max_scopes_;
    return frames_.begin(slot);
  }
  /// False: no query is free. Then nothing was changed.
  bool open(std::uint32_t interval) noexcept {
    if (interval > most_opened_) most_opened_ = interval;
    if (!frames_.reserve()) return false;
    end_segment();
    begin_segment(interval);
    return true;
  }
  /// The innermost open scope, whose parent is given, ends.
  void close(std::uint32_t parent) noexcept {
    end_segment();
    if (parent != Interval::no_parent) begin_segment(parent);
    frames_.unreserve();
  }

  /// Whether the application has a TIME_ELAPSED query of its own active: ours would fail then, and ending
  /// ours would end the application's. One driver call. Call with none of ours active.
  bool in_use_elsewhere() noexcept;
  /// Whether to ask that before the interval, which has no parent, is opened. Each call costs as much as a
  /// mark, and what an application does it does in every frame: so every such interval is asked about in the
  /// first frames and for good once the answer was yes; later the first one of a frame, and another one in
  /// turn.
  bool worth_asking(std::uint32_t interval) const noexcept {
    return interval == 0 || frames_asked_ < frames_asked_throughout || interval == turn_;
  }

  /// Reads a frame that is available and judges its intervals: verdict, inclusive and exclusive time. Calls
  /// note_time(ns) for some of the segments. `cpu_now_ns` includes the clock's own inaccuracy. Answers as
  /// QueryFrames::read().
  template <class NoteTime>
  Answer fill(std::uint32_t slot, std::span<Interval> intervals, std::int64_t cpu_now_ns,
              NoteTime&& note_time);

  QueryFrames& frames() noexcept { return frames_; }

 private:
  /// A frame of nothing but zeros may be one of empty passes, or a clock that does not run. It is taken for
  /// the second until the clock has shown any other value, and again after so many such frames in a row.
  static constexpr std::uint32_t zero_frames_trusted = 60;

  static constexpr std::uint32_t most_noted = 4;
  static constexpr std::uint32_t frames_asked_throughout = 120;

  void begin_segment(std::uint32_t interval) noexcept {
    std::uint32_t place = 0;
    const GLuint id = frames_.next(place);
    open_owner_[place] = interval;
    functions_->begin_query(value::time_elapsed, id);
    active_ = true;
  }
  void end_segment() noexcept {
    if (!active_) return;
    active_ = false;
    functions_->end_query(value::time_elapsed);
  }
  Answer judge(std::uint32_t slot, std::span<Interval> intervals, std::int64_t cpu_now_ns) noexcept;
  void judge_flat(std::span<Interval> intervals, std::int64_t cpu_now_ns) noexcept;
  void judge_segments(std::uint32_t slot, std::span<Interval> intervals, std::int64_t cpu_now_ns) noexcept;
  bool stands_still(bool all_zero) noexcept;
  void add_children(std::span<Interval> intervals, std::int64_t cpu_now_ns) noexcept;

  const GlFunctions* functions_ = nullptr;
  std::uint32_t max_scopes_ = 0;
  QueryFrames frames_;
  std::vector<std::uint32_t> owner_;     ///< Per slot and segment: the interval it belongs to.
  std::uint32_t* open_owner_ = nullptr;  ///< Of the frame that is being marked.
  std::span<std::uint64_t> times_;
  bool active_ = false;
  bool moved_ = false;
  bool seen_elsewhere_ = false;
  std::uint32_t frames_asked_ = 0;  ///< In which every interval was asked about.
  std::uint32_t turn_ = 0;
  std::uint32_t most_opened_ = 0;
  std::uint32_t zero_frames_ = 0;
};

template <class NoteTime>
Answer ElapsedClock::fill(std::uint32_t slot, std::span<Interval> intervals, std::int64_t cpu_now_ns,
                          NoteTime&& note_time) {
  const Answer answer = judge(slot, intervals, cpu_now_ns);
  if (answer != Answer::yes) return answer;
  // What can't be true teaches nothing about the clock, unless it is so short that it may only be coarse.
  const std::int64_t frame_ns = intervals.empty() ? 0 : cpu_now_ns - intervals.front().cpu_begin_ns;
  const auto believed = static_cast<std::uint64_t>(std::max(frame_ns, most_quantum_ns));
  std::uint32_t noted = 0;
  for (std::size_t i = 0; i < times_.size() && noted < most_noted; ++i) {
    if (times_[i] == 0 || times_[i] > believed) continue;
    note_time(times_[i]);
    ++noted;
  }
  return Answer::yes;
}

}  // namespace passmeter::gl
