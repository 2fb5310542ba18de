// The WebGL2 canvas of the deferred frame.
#pragma once

#include <memory>

#include "gl_renderer.h"
#include "on_gl_canvas.h"
#include "passmeter/gl/gl_timer.h"
#include "scene_side.h"

namespace web {

class GlSide final : public OnGlCanvas<SceneSide> {
 public:
  /// `canvas`: a CSS selector.
  explicit GlSide(const char* canvas);

  /// Compiles the shaders and waits for them; nothing is drawn before.
  void make_renderer();

  bool ready() const override { return renderer_ != nullptr && !lost(); }
  void draw(int frame) override;
  passmeter::GpuTimer* timer() override { return timer_.get(); }
  const passmeter::Choice& choice() const override { return choice_; }
  void set_load(const Load& load) override;
  void force(Force force) override;

 private:
  void choose();
  void make_timer();
  void on_lost();
  void on_restored();
  void open(int pass);
  void close(int pass);

  std::unique_ptr<scene::GlRenderer> renderer_;
  std::unique_ptr<passmeter::gl::GlTimer> timer_;
  std::array<passmeter::PassId, most_passes> passes_;
  passmeter::Choice choice_;
  Load load_;
  Force force_ = Force::automatic;
  bool new_timer_ = false;  // the restored context gets a timer of its own, not a restored one
};

}  // namespace web
