// One canvas of the tab "Particles": each count that comes back is compared with a replay on the CPU.
#pragma once

#include <memory>
#include <string>

#include "particle_frames.h"
#include "replay.h"
#include "side.h"

namespace web {

class ParticleSide : public Side {
 public:
  explicit ParticleSide(const particles::Options& rule) : rule_(rule) {}

  bool ready() const override { return frames_ != nullptr; }
  void draw(int) final;  // the particles' frames follow one another, whatever the tab's number
  void poll() override { frames_->timer().poll(); }
  void skip_interval() override;
  void set_enabled(bool enabled) override;

  /// Starts anew, with that rule.
  void restart(const particles::Options& rule);
  /// A JSON object: what Side says, the last count with its replay, and the report; null where there is none.
  std::string json();

 protected:
  virtual bool draw_one(std::uint32_t frame, particles::Counted& counted, bool& news) = 0;
  /// Makes frames of the rule where there is something to draw on.
  virtual void make_frames() = 0;

  void begin_with(std::unique_ptr<particles::Frames> frames);
  void lose_frames();
  const particles::Options& rule() const { return rule_; }

 private:
  void compare(const particles::Counted& counted);
  std::string count_json() const;

  particles::Options rule_;
  std::unique_ptr<particles::Frames> frames_;
  std::unique_ptr<particles::Replay> replay_;
  std::uint32_t next_ = 0;  // frame
  particles::Counted last_;
  std::uint32_t last_replay_ = 0;
  std::uint64_t compared_ = 0, different_ = 0;
  bool enabled_ = true;
};

}  // namespace web
