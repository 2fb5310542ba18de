// The city on a WebGL2 canvas.
#pragma once

#include "city_frames_gl.h"
#include "city_side.h"
#include "on_gl_canvas.h"

namespace web {

class CityGlSide final : public OnGlCanvas<CitySide> {
 public:
  /// `canvas`: a CSS selector. The city must outlive it.
  CityGlSide(const char* canvas, const city::City& city);

 private:
  bool draw_one(int frame, bool culling, bool shown, city::Drawn& drawn) override;
  void make_frames();
  void on_lost();

  const city::City& city_;
  city::FramesGl* gl_ = nullptr;  // owned by CitySide
};

}  // namespace web
