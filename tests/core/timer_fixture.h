#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "passmeter/scripted_timer.h"

namespace passmeter::testing {

inline constexpr std::int64_t us = 1'000;
inline constexpr std::int64_t ms = 1'000'000;

/// Keeps what a timer logs.
class Log {
 public:
  LogCallback callback() {
    return {[](void* user, Diagnostic diagnostic, const char* message) {
              static_cast<Log*>(user)->lines_.emplace_back(diagnostic, message);
            },
            this};
  }
  /// How often that diagnostic was logged.
  std::ptrdiff_t times(Diagnostic diagnostic) const {
    return std::count_if(lines_.begin(), lines_.end(),
                         [=](const auto& line) { return line.first == diagnostic; });
  }
  std::size_t size() const { return lines_.size(); }

 private:
  std::vector<std::pair<Diagnostic, std::string>> lines_;
};

/// One frame around `body`, then the rest of 16 ms.
template <class Body>
void draw_frame(ScriptedTimer& timer, Body&& body) {
  timer.begin_frame();
  const std::int64_t begin = timer.now_ns();
  body();
  timer.end_frame();
  timer.idle_ns(16 * ms - (timer.now_ns() - begin));
}

/// A frame with one scope of that length.
inline void draw_pass(ScriptedTimer& timer, PassId pass, std::int64_t ns) {
  draw_frame(timer, [&] {
    const auto scope = timer.scope(pass);
    timer.work_ns(ns);
  });
}

inline void draw_nothing(ScriptedTimer& timer, int frames) {
  for (int i = 0; i < frames; ++i) draw_frame(timer, [] {});
}

/// The report's row of that name; an empty row if there is none.
inline SeriesReport row_of(const GpuTimer& timer, const char* name) {
  const Report report = timer.report();
  const SeriesReport* row = report.find(name);
  return row != nullptr ? *row : SeriesReport{};
}

}  // namespace passmeter::testing
