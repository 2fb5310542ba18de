#include "tab.h"

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

void Tab::tick(bool may_draw) {
  if (!gpu_is_idle() || !may_draw) return;
  for (std::size_t tried = 0; tried < sides; ++tried) {
    Side* const next = side(turn_);
    if (turn_ == 0) next_frame();
    turn_ = (turn_ + 1) % sides;
    if (next == nullptr || !next->ready()) continue;
    next->draw(frame_);
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
