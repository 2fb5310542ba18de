#include "particle_side.h"

#include <utility>

#include "json.h"
#include "passmeter/writers.h"

namespace web {

void ParticleSide::draw(int) {
  particles::Counted counted;
  bool news = false;
  if (!draw_one(next_, counted, news)) return;
  ++next_;
  ++frames_drawn_;
  replay_->advance();
  if (news) compare(counted);
}

void ParticleSide::compare(const particles::Counted& counted) {
  const particles::Replay::Count* const expected = replay_->of(counted.frame);
  if (expected == nullptr) return;
  const bool same = counted.alive == expected->alive &&
                    (!counted.generated_known || counted.generated == expected->generated);
  last_ = counted;
  last_replay_ = expected->alive;
  ++compared_;
  different_ += same ? 0U : 1U;
}

void ParticleSide::skip_interval() {
  if (ready()) frames_->timer().skip_interval();
}

void ParticleSide::set_enabled(bool enabled) {
  enabled_ = enabled;
  if (ready()) frames_->timer().set_enabled(enabled);
}

void ParticleSide::restart(const particles::Options& rule) {
  rule_ = rule;
  if (!ready()) return;
  make_current();
  frames_.reset();
  make_frames();
}

void ParticleSide::begin_with(std::unique_ptr<particles::Frames> frames) {
  frames_ = std::move(frames);
  if (frames_->counts_alive()) {
    replay_ = std::make_unique<particles::AliveReplay>(rule_);
  } else {
    replay_ = std::make_unique<particles::DrawnReplay>(rule_);
  }
  next_ = 0;
  compared_ = different_ = 0;
  set_enabled(enabled_);
}

void ParticleSide::lose_frames() {
  if (frames_ == nullptr) return;
  frames_->notify_lost();
  frames_.reset();
}

std::string ParticleSide::count_json() const {
  if (!ready() || compared_ == 0) return "null";
  return "{\"value\":" + std::to_string(last_.alive) + ",\"frame\":" + std::to_string(last_.frame) +
         ",\"age\":" + std::to_string(next_ - 1 - last_.frame) +
         ",\"replay\":" + std::to_string(last_replay_) + ",\"equal\":" + flag(last_.alive == last_replay_) +
         ",\"compared\":" + std::to_string(compared_) + ",\"different\":" + std::to_string(different_) + '}';
}

std::string ParticleSide::json() {
  std::string out = '{' + state_json(this) + ",\"count\":" + count_json();
  if (!ready()) return out + R"(,"report":null})";
  return out + ",\"how\":" + quoted(frames_->how()) + ",\"counts_alive\":" + flag(frames_->counts_alive()) +
         ",\"overflowed_frames\":" + std::to_string(frames_->overflowed_frames()) +
         ",\"report\":" + passmeter::to_json(frames_->report()) + '}';
}

}  // namespace web
