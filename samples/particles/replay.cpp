#include "replay.h"

#include <algorithm>

namespace particles {

Replay::Count Replay::advance() {
  const Count count = step(static_cast<std::uint32_t>(frames_));
  history_[frames_++ % history_.size()] = count;
  return count;
}

const Replay::Count* Replay::of(std::uint64_t frame) const {
  const bool known = frame < frames_ && frames_ - frame <= history_.size();
  return known ? &history_[frame % history_.size()] : nullptr;
}

Replay::Count AliveReplay::step(std::uint32_t frame) {
  std::erase_if(alive_, [](Particle& particle) { return !particles::step(particle); });
  Count count;
  count.generated = static_cast<std::uint32_t>(alive_.size());
  for (std::uint32_t i = 0; i < emitted(options_, frame); ++i, ++count.generated) {
    if (alive_.size() < options_.capacity) alive_.push_back(born(frame, i));
  }
  count.alive = static_cast<std::uint32_t>(alive_.size());
  return count;
}

Replay::Count DrawnReplay::step(std::uint32_t frame) {
  std::uint32_t& generation = kept_[frame % kept_.size()];  // the oldest, whose place the new one takes
  all_ -= generation;
  const std::uint32_t fresh = emitted(options_, frame);
  generation = std::min(fresh, options_.capacity - all_);
  Count count;
  count.generated = all_ + fresh;
  all_ += generation;
  count.alive = all_;
  return count;
}

}  // namespace particles
