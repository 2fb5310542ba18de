#include "passmeter/late_counter.h"

#include <algorithm>
#include <utility>

#include "passmeter/series_row.h"

namespace passmeter {

LateCounter::LateCounter(std::string name, double ema_alpha, std::uint32_t percentile_window)
    : name_(std::move(name)), series_(ema_alpha, percentile_window) {}

std::uint32_t LateCounter::age(std::uint64_t now) const noexcept {
  if (!known_) return no_age;
  if (now <= frame_) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(now - frame_, no_age - 1));
}

void LateCounter::deliver(std::uint64_t value, std::uint64_t frame) noexcept {
  if (in_flight_ > 0) --in_flight_;
  series_.add(static_cast<double>(value), Verdict::accepted, frame);
  if (known_ && frame < frame_) return;
  known_ = true;
  last_ = value;
  frame_ = frame;
}

void LateCounter::reject_asked(Verdict verdict) noexcept {
  if (in_flight_ > 0) --in_flight_;
  series_.reject(verdict);
}

void LateCounter::lose() noexcept {
  while (in_flight_ > 0) reject_asked(Verdict::lost);
}

void LateCounter::reset() noexcept {
  known_ = false;
  last_ = frame_ = 0;
  series_.reset();
}

void LateCounter::append_to(Report& report) const {
  append_row(report, name_, Unit::count, series_, in_flight_);
}

}  // namespace passmeter
