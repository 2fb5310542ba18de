// The WebGL2 canvas.
#pragma once

#include <GLES3/gl3.h>
#include <emscripten/html5.h>

#include <memory>

#include "gl_renderer.h"
#include "passmeter/gl/gl_timer.h"
#include "side.h"

namespace web {

class GlSide final : public Side {
 public:
  /// `canvas`: a CSS selector.
  explicit GlSide(const char* canvas);
  ~GlSide() override;

  const std::string& why() const override { return why_; }
  bool ready() const override { return renderer_ != nullptr && !lost_; }
  bool lost() const override { return lost_; }
  void draw(int frame) override;
  bool idle() override;
  passmeter::GpuTimer* timer() override { return timer_.get(); }
  const passmeter::Choice& choice() const override { return choice_; }
  void set_load(const Load& load) override;
  void set_enabled(bool enabled) override;
  void force(Force force) override;
  void lose() override;
  void restore() override;
  int errors() override { return errors_; }
  /// Width and height of the picture in pixels: small where a CPU has to do a GPU's work.
  int size() const { return size_; }

 private:
  void make_renderer();
  void make_timer();
  void on_lost();
  void on_restored();
  void open(int pass);
  void close(int pass);

  const char* canvas_;
  int size_ = 512;
  EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context_ = 0;
  std::unique_ptr<scene::GlRenderer> renderer_;
  std::unique_ptr<passmeter::gl::GlTimer> timer_;
  std::array<passmeter::PassId, most_passes> passes_;
  passmeter::Choice choice_;
  Load load_;
  Force force_ = Force::automatic;
  bool enabled_ = true;
  bool lost_ = false;
  GLsync drawn_ = nullptr;  // behind the last frame
  int errors_ = 0;
  std::string why_;
};

}  // namespace web
