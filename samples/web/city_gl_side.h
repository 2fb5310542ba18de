// The city on a WebGL2 canvas.
#pragma once

#include "city_frames_gl.h"
#include "city_side.h"
#include "gl_canvas.h"

namespace web {

class CityGlSide final : public CitySide {
 public:
  /// `canvas`: a CSS selector. The city must outlive it.
  CityGlSide(const char* canvas, const city::City& city);

  const std::string& why() const override { return why_; }
  bool lost() const override { return canvas_.lost(); }
  bool idle() override { return canvas_.idle(); }
  void make_current() override { canvas_.make_current(); }
  void lose() override { canvas_.lose(); }
  void restore() override { canvas_.restore(); }
  int errors() override { return canvas_.errors(); }
  int size() const { return canvas_.size(); }

 private:
  bool draw_one(int frame, bool culling, bool shown, city::Drawn& drawn) override;
  void make_frames();
  void on_lost();

  const city::City& city_;
  GlCanvas canvas_;
  city::FramesGl* gl_ = nullptr;  // owned by CitySide
  std::string why_;
};

}  // namespace web
