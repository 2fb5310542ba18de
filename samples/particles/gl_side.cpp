#include "egl_context.h"
#include "gl_pacing.h"
#include "particle_frames_gl.h"
#include "side.h"

namespace particles {
namespace {

using passmeter::testing::EglApi;
using passmeter::testing::EglContext;

class GlSide final : public Side {
 public:
  explicit GlSide(const SideOptions& options)
      : context_({.api = options.gles ? EglApi::gles : EglApi::desktop_core, .major = 3, .minor = -1}) {
    if (!context_.valid()) {
      why_ = "OpenGL: " + context_.why();
      return;
    }
    frames_ = std::make_unique<FramesGl>(
        options.rule,
        FramesGl::Context{EglContext::get_proc_address, EglContext::get_proc_address, options.gles},
        options.size, options.by_age ? Compaction::by_age : Compaction::geometry_shader);
    if (!frames_->why().empty()) {
      why_ = "OpenGL: " + frames_->why();
      return;
    }
    pacing_ = std::make_unique<compare::GlPacing>(EglContext::get_proc_address);
  }

  const std::string& why() const override { return why_; }
  Frames& frames() override { return *frames_; }

  bool draw(std::uint32_t frame, Counted& counted) override {
    const bool news = frames_->draw(frame, counted);
    pacing_->frame_done();
    return news;
  }

  void drain() override {
    pacing_->finish();
    frames_->timer().poll();
  }
  std::vector<std::uint8_t> picture() override { return frames_->painter().read_picture(); }
  int errors() override { return frames_->painter().take_error_count(); }

 private:
  EglContext context_;
  std::string why_;
  std::unique_ptr<FramesGl> frames_;
  std::unique_ptr<compare::GlPacing> pacing_;
};

}  // namespace

std::unique_ptr<Side> make_gl_side(const SideOptions& options) { return std::make_unique<GlSide>(options); }

}  // namespace particles
