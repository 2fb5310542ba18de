// The WebGL2 canvas of the deferred frame.
#pragma once

#include <memory>

#include "gl_canvas.h"
#include "gl_renderer.h"
#include "passmeter/gl/gl_timer.h"
#include "scene_side.h"

namespace web {

class GlSide final : public SceneSide {
 public:
  /// `canvas`: a CSS selector.
  explicit GlSide(const char* canvas);

  const std::string& why() const override { return why_; }
  bool ready() const override { return renderer_ != nullptr && !lost(); }
  bool lost() const override { return canvas_.lost(); }
  void draw(int frame) override;
  bool idle() override { return canvas_.idle(); }
  void make_current() override { canvas_.make_current(); }
  passmeter::GpuTimer* timer() override { return timer_.get(); }
  const passmeter::Choice& choice() const override { return choice_; }
  void set_load(const Load& load) override;
  void force(Force force) override;
  void lose() override { canvas_.lose(); }
  void restore() override { canvas_.restore(); }
  int errors() override { return canvas_.errors(); }
  int size() const { return canvas_.size(); }

 private:
  void make_renderer();
  void make_timer();
  void on_lost();
  void on_restored();
  void open(int pass);
  void close(int pass);

  GlCanvas canvas_;
  std::unique_ptr<scene::GlRenderer> renderer_;
  std::unique_ptr<passmeter::gl::GlTimer> timer_;
  std::array<passmeter::PassId, most_passes> passes_;
  passmeter::Choice choice_;
  Load load_;
  Force force_ = Force::automatic;
  std::string why_;
};

}  // namespace web
