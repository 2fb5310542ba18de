#include "tab.h"

#include <emscripten/emscripten.h>

#include <algorithm>

namespace web {

bool Tab::gpu_is_idle() {
  bool idle = true;
  for (std::size_t i = 0; i < sides; ++i) {
    Side* const some = side(i);
    if (some == nullptr || !some->ready()) continue;
    some->make_current();
    some->poll();  // fences are dated by when they are looked at
    if (!some->idle()) idle = false;
  }
  return idle;
}

/// A browser that is busy drawing one canvas keeps the other one's device waiting, so at first none is drawn;
/// but not for long, since some browsers never answer.
bool Tab::waits_for_a_device() {
  constexpr int most_ticks = 30;
  if (ticks_waited_ == most_ticks) return false;
  for (std::size_t i = 0; i < sides; ++i) {
    const Side* const some = side(i);
    if (some == nullptr || !some->asking()) continue;
    ++ticks_waited_;
    return true;
  }
  return false;
}

/// Animation frames may stop while a page is out of sight: a long time without a look is the GPU's time no
/// more.
void Tab::note_unfinished(bool idle) {
  constexpr double longest_ms = 1000;
  const double now = emscripten_get_now();
  const double since = looked_at_ == 0 ? 0 : std::min(now - looked_at_, longest_ms);
  unfinished_ms_ = idle ? 0 : unfinished_ms_ + since;
  looked_at_ = now;
}

void Tab::tick(bool may_draw) {
  const bool idle = gpu_is_idle();
  note_unfinished(idle);
  if (!idle || !may_draw || waits_for_a_device()) return;
  for (std::size_t tried = 0; tried < sides; ++tried) {
    Side* const next = side(turn_);
    if (turn_ == 0) next_frame();
    turn_ = (turn_ + 1) % sides;
    if (next == nullptr || !next->ready()) continue;
    next->draw(frame_);
    // The first frame is mostly compiling, here as there: the other one may begin meanwhile.
    if (Side* const other = side(turn_); other != nullptr && other->ready()) other->warm_up();
    return;
  }
}

bool Tab::draw_now(std::size_t index) {
  Side* const which = index < sides ? side(index) : nullptr;
  if (which == nullptr || !which->ready()) return false;
  which->draw_shown(frame_);
  return true;
}

void Tab::skip_interval() {
  looked_at_ = 0;
  unfinished_ms_ = 0;
  for (std::size_t i = 0; i < sides; ++i) {
    if (Side* const some = side(i)) some->skip_interval();
  }
}

void Tab::set_enabled(bool enabled) {
  for (std::size_t i = 0; i < sides; ++i) {
    if (Side* const some = side(i)) some->set_enabled(enabled);
  }
}

}  // namespace web
