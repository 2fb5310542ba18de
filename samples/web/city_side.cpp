#include "city_side.h"

#include <utility>

#include "json.h"
#include "passmeter/writers.h"

namespace web {

void CitySide::draw(int frame) {
  if (++since_aside_ < aside_every) return draw_shown(frame);
  since_aside_ = 0;
  if (draw_one(frame, !culling_, false, aside_)) ++frames_drawn_;
}

void CitySide::draw_shown(int frame) {
  if (!draw_one(frame, culling_, true, shown_)) return;
  ++frames_drawn_;
  any_shown_ = true;
  shown_with_culling_ = culling_;
}

void CitySide::poll() {
  for (const bool culling : {false, true}) frames_->timer(culling).poll();
}

void CitySide::skip_interval() {
  if (!ready()) return;
  for (const bool culling : {false, true}) frames_->timer(culling).skip_interval();
}

void CitySide::set_enabled(bool enabled) {
  enabled_ = enabled;
  if (!ready()) return;
  for (const bool culling : {false, true}) frames_->timer(culling).set_enabled(enabled);
}

void CitySide::begin_with(std::unique_ptr<city::Frames> frames) {
  frames_ = std::move(frames);
  any_shown_ = false;
  set_enabled(enabled_);
}

void CitySide::lose_frames() {
  if (frames_ == nullptr) return;
  frames_->notify_lost();
  frames_.reset();
}

std::string CitySide::counts_json() const {
  if (!ready() || !any_shown_) return "null";
  std::string out = "{\"culling\":" + flag(shown_with_culling_) +
                    ",\"in_view\":" + std::to_string(shown_.in_view) +
                    ",\"drawn\":" + std::to_string(shown_.count);
  if (shown_with_culling_) {
    out += ",\"tested\":" + std::to_string(shown_.tested) +
           ",\"hidden\":" + std::to_string(frames_->visibility().hidden());
  }
  return out + '}';
}

std::string CitySide::json() {
  std::string out = '{' + state_json(this) + ",\"counts\":" + counts_json();
  for (const bool culling : {true, false}) {
    out += culling ? ",\"on\":" : ",\"off\":";
    out += ready() ? passmeter::to_json(frames_->report(culling)) : "null";
  }
  return out + '}';
}

}  // namespace web
