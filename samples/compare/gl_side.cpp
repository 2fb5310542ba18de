#include <array>

#include "egl_context.h"
#include "gl_pacing.h"
#include "gl_renderer.h"
#include "passmeter/gl/gl_timer.h"
#include "side.h"

namespace compare {
namespace {

std::vector<std::string> all_pass_names() { return {scene::pass_names.begin(), scene::pass_names.end()}; }

passmeter::gl::Clock clock_named(const std::string& name) {
  if (name == "timestamp") return passmeter::gl::Clock::timestamp;
  if (name == "time_elapsed") return passmeter::gl::Clock::time_elapsed;
  if (name == "fence") return passmeter::gl::Clock::fence;
  return passmeter::gl::Clock::automatic;
}

class GlSide final : public Side {
 public:
  explicit GlSide(const SideOptions& options) {
    if (!context_.valid()) {
      why_ = "OpenGL: " + context_.why();
      return;
    }
    renderer_ = std::make_unique<scene::GlRenderer>(
        passmeter::testing::EglContext::get_proc_address,
        scene::GlRenderer::Options{.size = options.size, .load = options.load, .is_gles = false});
    if (!renderer_->valid()) {
      why_ = "OpenGL: " + renderer_->why();
      return;
    }
    pacing_ = std::make_unique<GlPacing>(passmeter::testing::EglContext::get_proc_address);
    timer_ = std::make_unique<passmeter::gl::GlTimer>(
        passmeter::TimerConfig{.passes = all_pass_names(), .enabled = options.timing},
        passmeter::testing::EglContext::get_proc_address,
        passmeter::gl::GlOptions{.clock = clock_named(options.gl_clock)});
    for (int pass = 0; pass < scene::pass_count; ++pass) {
      passes_[static_cast<std::size_t>(pass)] =
          timer_->pass(scene::pass_names[static_cast<std::size_t>(pass)]);
    }
  }

  const std::string& why() const override { return why_; }

  void draw(int frame) override {
    timer_->begin_frame();
    renderer_->draw(frame, hooks());
    timer_->end_frame();
    pacing_->frame_done();
  }

  void draw_only(scene::Pass pass) override {
    renderer_->leave_target();
    timer_->begin_frame();
    open(pass);
    renderer_->draw_pass_again(pass);
    close(pass);
    timer_->end_frame();
    pacing_->frame_done();
  }

  void drain() override {
    pacing_->finish();
    timer_->poll();
    timer_->skip_interval();  // the other backend draws next: that is no frame of this one
  }

  void set_load(float load) override { renderer_->set_load(load); }
  void reset_statistics() override { timer_->reset_statistics(); }
  passmeter::Report report() override { return timer_->report(); }

  std::vector<std::uint8_t> picture() override {
    std::vector<std::uint8_t> pixels;
    renderer_->read_pixels(pixels);
    return pixels;
  }

  passmeter::MedianResult measure_pass_median(unsigned n, scene::Pass pass) override {
    std::vector<double> times;
    passmeter::Source source = passmeter::Source::none;
    for (unsigned run = 0; run < n; ++run) {
      renderer_->leave_target();  // outside of the measured run, so one at a time
      const passmeter::MedianResult one =
          timer_->measure_median(1, [&] { renderer_->draw_pass_again(pass); });
      if (one.valid) times.push_back(one.median_ns);
      source = one.source;
    }
    passmeter::MedianResult result = passmeter::median_of(times, source);
    result.rejected = n - result.runs;
    return result;
  }

  int errors() override { return renderer_->take_error_count(); }

 private:
  scene::GlPassHooks hooks() {
    return {.user = this,
            .begin = [](void* self, int pass) { static_cast<GlSide*>(self)->open(pass); },
            .end = [](void* self, int pass) { static_cast<GlSide*>(self)->close(pass); }};
  }
  void open(int pass) { timer_->open(passes_[static_cast<std::size_t>(pass)]); }
  void close(int pass) { timer_->close(passes_[static_cast<std::size_t>(pass)]); }

  passmeter::testing::EglContext context_;
  std::string why_;
  std::unique_ptr<scene::GlRenderer> renderer_;
  std::unique_ptr<GlPacing> pacing_;
  std::unique_ptr<passmeter::gl::GlTimer> timer_;
  std::array<passmeter::PassId, scene::pass_count> passes_;
};

}  // namespace

std::unique_ptr<Side> make_gl_side(const SideOptions& options) { return std::make_unique<GlSide>(options); }

}  // namespace compare
