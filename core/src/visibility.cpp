#include "passmeter/visibility.h"

#include <algorithm>
#include <utility>

#include "passmeter/series_row.h"

namespace passmeter {
namespace {

constexpr std::uint32_t most_objects = 1u << 20;
constexpr std::uint32_t most_zeros = 255;
constexpr std::uint32_t most_window = 65536;

template <class T>
void default_or_at_most(T& value, T fallback, T limit, bool& changed) {
  if (value == 0) value = fallback;
  if (value <= limit) return;
  value = limit;
  changed = true;
}

VisibilityConfig checked(VisibilityConfig config, bool& changed) {
  constexpr std::uint32_t no_limit = 1u << 30;
  default_or_at_most(config.objects, 0u, most_objects, changed);
  default_or_at_most(config.hide_after, 2u, most_zeros, changed);
  default_or_at_most(config.retest_hidden_every, 3u, no_limit, changed);
  default_or_at_most(config.retest_visible_every, 8u, no_limit, changed);
  default_or_at_most(config.stale_after_frames, 30u, no_limit, changed);
  default_or_at_most(config.late_after_frames, 300u, no_limit, changed);
  default_or_at_most(config.percentile_window, 1024u, most_window, changed);
  if (config.ema_alpha == 0) config.ema_alpha = 0.1;
  if (!(config.ema_alpha > 0 && config.ema_alpha <= 1)) {
    config.ema_alpha = config.ema_alpha > 1 ? 1.0 : 0.1;
    changed = true;
  }
  return config;
}

// Spreads ids over the frames of a retest interval, also where the hidden ones are every n-th of them.
std::uint32_t phase(std::uint32_t id) noexcept { return (id * 2654435761u) >> 16; }

}  // namespace

Visibility::Visibility(VisibilityConfig given) : diagnostics_(given.log) {
  bool changed = false;
  config_ = checked(std::move(given), changed);
  if (changed) {
    diagnostics_.raise(Diagnostic::bad_config,
                       "A VisibilityConfig value is out of range; the nearest valid one is used.");
  }
  objects_.resize(config_.objects);
  waiting_.resize(config_.objects);
  for (Series* series : {&tested_series_, &hidden_series_, &skipped_series_, &latency_series_}) {
    *series = Series(config_.ema_alpha, config_.percentile_window);
  }
}

bool Visibility::contains(std::uint32_t object) const noexcept {
  if (object < objects_.size()) return true;
  diagnostics_.raise(Diagnostic::unknown_object,
                     "An object id is not under VisibilityConfig::objects; it counts as visible.");
  return false;
}

bool Visibility::visible(std::uint32_t object) const noexcept {
  return !contains(object) || !objects_[object].hidden;
}

std::uint32_t Visibility::age(std::uint32_t object) const noexcept {
  if (!contains(object) || !objects_[object].known) return never;
  return now() - objects_[object].answered_of;
}

std::uint64_t Visibility::samples(std::uint32_t object) const noexcept {
  return contains(object) ? objects_[object].samples : 0;
}

// --- Frames
// ---------------------------------------------------------------------------------------------------

void Visibility::begin_frame() noexcept {
  if (frame_open_) {
    diagnostics_.raise(Diagnostic::frame_begun_twice,
                       "begin_frame() inside a frame: the open frame is ended first.");
    end_frame();
  }
  ++begun_;
  frame_open_ = true;
  lost_ = false;
  room_ = kept_ = 0;
  tested_ = skipped_ = 0;
}

void Visibility::offer(std::uint32_t room) noexcept {
  room_ = room;
  drop_stale();  // after the frame's answers, which may have refreshed them
  give_turns();
}

void Visibility::end_frame() noexcept {
  if (!frame_open_) {
    diagnostics_.raise(Diagnostic::end_without_begin, "end_frame() without begin_frame() does nothing.");
    return;
  }
  frame_open_ = false;
  tested_series_.add(tested_, Verdict::accepted, frame());
  hidden_series_.add(hidden_, Verdict::accepted, frame());
  skipped_series_.add(skipped_, Verdict::accepted, frame());
}

// Keeps queries of this frame for those who found none in the last one. Who was not asked for in the last
// frame has left the view, or was forgotten, and would keep a query unused.
void Visibility::give_turns() noexcept {
  kept_ = 0;
  while (waiting_used_ > 0 && kept_ < room_) {
    Object& object = objects_[waiting_[waiting_first_]];
    if (++waiting_first_ == waiting_.size()) waiting_first_ = 0;
    --waiting_used_;
    object.waiting = false;
    if (object.wished_in != now() - 1 || object.pending) continue;
    object.turn_in = now();
    ++kept_;
  }
}

void Visibility::drop_stale() noexcept {
  while (oldest_hidden_ != never &&
         now() - objects_[oldest_hidden_].answered_of > config_.stale_after_frames) {
    make_unknown(oldest_hidden_);
  }
}

// --- Questions
// ------------------------------------------------------------------------------------------------

bool Visibility::due(const Object& object, std::uint32_t id) const noexcept {
  if (object.tested_in == now()) return false;  // once a frame is enough, whatever came of it
  if (!object.known) return true;
  if (!object.hidden && object.zeros > 0) return true;  // the first zeros want to be confirmed
  const std::uint32_t every = object.hidden ? config_.retest_hidden_every : config_.retest_visible_every;
  return now() - object.tested_in >= every || (now() + phase(id)) % every == 0;
}

Ask Visibility::ask(std::uint32_t id) noexcept {
  if (!frame_open_) {
    diagnostics_.raise(Diagnostic::scope_outside_frame,
                       "An object is to be tested outside begin_frame() and end_frame(); it is not.");
    return Ask::refused;
  }
  if (lost_ || !contains(id)) return Ask::refused;
  Object& object = objects_[id];
  if (object.pending) return Ask::in_flight;
  const bool its_turn = object.turn_in == now();
  if (!its_turn && !object.waiting && !due(object, id)) return Ask::not_due;
  if (its_turn) {
    --kept_;
  } else if (room_ - tested_ <= kept_) {
    skip(object, id);
    return Ask::no_room;
  }
  start(object);
  return Ask::test;
}

void Visibility::start(Object& object) noexcept {
  object.pending = true;
  object.tested_in = object.wished_in = now();
  object.turn_in = 0;
  ++tested_;
  ++in_flight_;
}

void Visibility::skip(Object& object, std::uint32_t id) noexcept {
  if (object.wished_in == now() && object.waiting) return;  // asked for twice in the frame: one skip
  object.wished_in = now();
  ++skipped_;
  latency_series_.reject(Verdict::no_free_slot);
  diagnostics_.raise(Diagnostic::pool_full,
                     "No query is free: some objects are not tested in this frame, and first in the next.");
  if (object.waiting) return;
  object.waiting = true;
  const std::uint64_t place = std::uint64_t{waiting_first_} + waiting_used_;
  waiting_[place % waiting_.size()] = id;
  ++waiting_used_;
}

// --- Answers
// --------------------------------------------------------------------------------------------------

void Visibility::answer(std::uint32_t id, std::uint64_t frame, std::uint64_t samples) noexcept {
  if (!contains(id) || frame < lost_before_) return;
  if (in_flight_ > 0) --in_flight_;
  const std::uint32_t tested_in = static_cast<std::uint32_t>(frame + 1);
  latency_series_.add(now() - tested_in, Verdict::accepted, frame);

  Object& object = objects_[id];
  if (!object.pending || object.tested_in != tested_in) return;
  object.pending = false;
  object.known = true;
  object.answered_of = tested_in;
  object.samples = samples;
  if (object.hidden) unhide(id);  // to be hidden again as the newest
  if (samples != 0) {
    object.zeros = 0;
    return;
  }
  if (object.zeros < most_zeros) ++object.zeros;
  if (object.zeros >= config_.hide_after) hide(id);
}

void Visibility::reject(std::uint32_t id, std::uint64_t frame, Verdict verdict) noexcept {
  if (!contains(id) || frame < lost_before_) return;
  if (in_flight_ > 0) --in_flight_;
  latency_series_.reject(verdict);
  Object& object = objects_[id];
  if (object.tested_in == static_cast<std::uint32_t>(frame + 1)) object.pending = false;
}

void Visibility::lose() noexcept {
  lost_ = true;  // what room was offered in this frame is gone with the queries
  lost_before_ = begun_;
  for (; in_flight_ > 0; --in_flight_) latency_series_.reject(Verdict::lost);
  forget_all();
}

void Visibility::forget(std::uint32_t object) noexcept {
  if (!contains(object)) return;
  objects_[object].pending = false;
  make_unknown(object);
}

void Visibility::forget_all() noexcept {
  for (std::uint32_t id = 0; id < objects_.size(); ++id) forget(id);
}

void Visibility::make_unknown(std::uint32_t id) noexcept {
  Object& object = objects_[id];
  if (object.hidden) unhide(id);
  object.known = false;
  object.zeros = 0;
  object.samples = 0;
}

// Hidden objects are linked by the age of their answers, so that stale ones are found without looking at all.
void Visibility::hide(std::uint32_t id) noexcept {
  Object& object = objects_[id];
  object.hidden = true;
  // Answers come nearly in order: the place is at the newest end or a few steps from it.
  std::uint32_t before = newest_hidden_;
  while (before != never && now() - objects_[before].answered_of < now() - object.answered_of) {
    before = objects_[before].older;
  }
  object.older = before;
  object.newer = before == never ? oldest_hidden_ : objects_[before].newer;
  (object.older == never ? oldest_hidden_ : objects_[object.older].newer) = id;
  (object.newer == never ? newest_hidden_ : objects_[object.newer].older) = id;
  ++hidden_;
}

void Visibility::unhide(std::uint32_t id) noexcept {
  Object& object = objects_[id];
  (object.older == never ? oldest_hidden_ : objects_[object.older].newer) = object.newer;
  (object.newer == never ? newest_hidden_ : objects_[object.newer].older) = object.older;
  object.older = object.newer = never;
  object.hidden = false;
  --hidden_;
}

// --- Report
// ---------------------------------------------------------------------------------------------------

void Visibility::append_to(Report& report) const {
  append_row(report, config_.name + " tested", Unit::count, tested_series_);
  append_row(report, config_.name + " hidden", Unit::count, hidden_series_);
  append_row(report, config_.name + " skipped", Unit::count, skipped_series_);
  append_row(report, config_.name + " latency", Unit::count, latency_series_, in_flight_);
}

void Visibility::reset_statistics() noexcept {
  for (Series* series : {&tested_series_, &hidden_series_, &skipped_series_, &latency_series_})
    series->reset();
}

}  // namespace passmeter
