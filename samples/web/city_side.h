// One canvas of the tab "Occlusion": the city, with culling or without. In every eighth frame it is drawn the
// other way, which is not shown: so both times are known of the same place.
#pragma once

#include <memory>
#include <string>

#include "city.h"
#include "city_frames.h"
#include "side.h"

namespace web {

class CitySide : public Side {
 public:
  bool ready() const override { return frames_ != nullptr; }
  void draw(int frame) final;
  void draw_shown(int frame) final;
  void poll() override;
  void skip_interval() override;
  void set_enabled(bool enabled) override;

  void set_culling(bool on) { culling_ = on; }
  /// A JSON object: what Side says, counts of the last frame shown, and the reports of both kinds of frames,
  /// null where there are none.
  std::string json();

 protected:
  /// One frame; on the canvas only if `shown`. False: it could not be drawn.
  virtual bool draw_one(int frame, bool culling, bool shown, city::Drawn& drawn) = 0;

  void begin_with(std::unique_ptr<city::Frames> frames);
  /// The context or device is gone.
  void lose_frames();
  city::Frames* frames() { return frames_.get(); }

 private:
  static constexpr int aside_every = 8;

  std::string counts_json() const;

  std::unique_ptr<city::Frames> frames_;
  city::Drawn shown_, aside_;
  bool any_shown_ = false;
  bool shown_with_culling_ = true;
  bool culling_ = true;
  bool enabled_ = true;
  int since_aside_ = 0;
};

}  // namespace web
