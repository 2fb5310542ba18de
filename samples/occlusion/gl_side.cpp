#include "city_frames_gl.h"
#include "egl_context.h"
#include "gl_pacing.h"
#include "side.h"

namespace city {
namespace {

using passmeter::testing::EglContext;

class GlSide final : public Side {
 public:
  GlSide(const City& city, const FrameOptions& options) {
    if (!context_.valid()) {
      why_ = "OpenGL: " + context_.why();
      return;
    }
    frames_ = std::make_unique<FramesGl>(
        city, FramesGl::Context{EglContext::get_proc_address, EglContext::get_proc_address, false}, options);
    if (!frames_->why().empty()) {
      why_ = "OpenGL: " + frames_->why();
      return;
    }
    pacing_ = std::make_unique<compare::GlPacing>(EglContext::get_proc_address);
  }

  const std::string& why() const override { return why_; }
  Frames& frames() override { return *frames_; }

  void draw(int frame, bool culling, int picture, Drawn& drawn) override {
    frames_->draw(frame, culling, picture, drawn);
    pacing_->frame_done();
  }

  void wait_until_idle() override { pacing_->finish(); }
  std::vector<std::uint8_t> picture(int which) override { return frames_->painter().read_picture(which); }
  std::vector<std::uint8_t> numbers() override { return frames_->painter().read_numbers(); }
  int errors() override { return frames_->painter().take_error_count(); }

 private:
  EglContext context_;
  std::string why_;
  std::unique_ptr<FramesGl> frames_;
  std::unique_ptr<compare::GlPacing> pacing_;
};

}  // namespace

std::unique_ptr<Side> make_gl_side(const City& city, const FrameOptions& options) {
  return std::make_unique<GlSide>(city, options);
}

}  // namespace city
