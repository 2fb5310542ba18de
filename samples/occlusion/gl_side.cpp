#include "city_gl.h"
#include "egl_context.h"
#include "gl_pacing.h"
#include "passmeter/gl/gl_timer.h"
#include "passmeter/gl/occlusion_queries.h"
#include "side.h"

namespace city {
namespace {

namespace gl = passmeter::gl;
using passmeter::testing::EglContext;

// A timer for the frames of one kind, so that a report is about them alone.
struct Timing {
  Timing()
      : timer({.passes = {"gbuffer", "bounds", "lighting"}}, EglContext::get_proc_address),
        gbuffer(timer.pass("gbuffer")),
        bounds(timer.pass("bounds")),
        lighting(timer.pass("lighting")) {}
  gl::GlTimer timer;
  passmeter::PassId gbuffer, bounds, lighting;
};

class GlSide final : public Side {
 public:
  GlSide(const City& city, const SideOptions& options) : city_(city) {
    if (!context_.valid()) {
      why_ = "OpenGL: " + context_.why();
      return;
    }
    painter_ =
        std::make_unique<CityGl>(city, EglContext::get_proc_address, false, options.size, options.pictures);
    if (!painter_->why().empty()) {
      why_ = "OpenGL: " + painter_->why();
      return;
    }
    pacing_ = std::make_unique<compare::GlPacing>(EglContext::get_proc_address);
    on_ = std::make_unique<Timing>();
    off_ = std::make_unique<Timing>();
    queries_ = std::make_unique<gl::OcclusionQueries>(
        passmeter::VisibilityConfig{.objects = static_cast<std::uint32_t>(city.objects().size())},
        EglContext::get_proc_address, gl::OcclusionOptions{.max_queries = options.max_queries});
  }

  const std::string& why() const override { return why_; }

  void draw(int frame, bool culling, int picture, Drawn& drawn) override {
    const Camera camera = city_.camera(frame, Depth::minus_one_to_one);
    city_.find_in_view(camera, Depth::minus_one_to_one, in_view_);
    drawn.objects.assign(city_.objects().size(), 0);
    drawn.in_view = static_cast<std::uint32_t>(in_view_.size());
    drawn.count = 0;

    Timing& timing = culling ? *on_ : *off_;
    timing.timer.begin_frame();
    if (culling) queries_->begin_frame();
    {
      const auto scope = timing.timer.scope(timing.gbuffer);
      painter_->begin_gbuffer(camera);
      for (const std::uint32_t id : in_view_) {
        if (culling && !queries_->visible(id) && !city_.touches_camera(camera, id)) continue;
        painter_->draw(id);
        drawn.objects[id] = 1;
        ++drawn.count;
      }
    }
    if (culling) test_bounds(camera, timing);
    {
      const auto scope = timing.timer.scope(timing.lighting);
      painter_->light(picture);
    }
    if (culling) queries_->end_frame();
    timing.timer.end_frame();
    pacing_->frame_done();
  }

  void drain() override {
    pacing_->finish();
    for (Timing* timing : {on_.get(), off_.get()}) {
      timing->timer.poll();
      timing->timer.skip_interval();
    }
  }

  void reset_statistics() override {
    for (Timing* timing : {on_.get(), off_.get()}) timing->timer.reset_statistics();
  }

  passmeter::Report report(bool culling) override {
    passmeter::Report report = (culling ? *on_ : *off_).timer.report();
    if (culling) queries_->append_to(report);
    return report;
  }

  const passmeter::Visibility& visibility() const override { return queries_->objects(); }
  std::vector<std::uint8_t> picture(int which) override { return painter_->read_picture(which); }
  std::vector<std::uint8_t> numbers() override { return painter_->read_numbers(); }
  int errors() override { return painter_->take_error_count(); }

 private:
  void test_bounds(const Camera& camera, Timing& timing) {
    const auto scope = timing.timer.scope(timing.bounds);
    const auto state = queries_->proxy_state();
    painter_->begin_bounds();
    for (const std::uint32_t id : in_view_) {
      if (city_.touches_camera(camera, id)) continue;
      if (const auto test = queries_->test(id)) painter_->draw_bounds(id);
    }
  }

  const City& city_;
  EglContext context_;
  std::string why_;
  std::vector<std::uint32_t> in_view_;
  std::unique_ptr<CityGl> painter_;
  std::unique_ptr<compare::GlPacing> pacing_;
  std::unique_ptr<Timing> on_, off_;
  std::unique_ptr<gl::OcclusionQueries> queries_;
};

}  // namespace

std::unique_ptr<Side> make_gl_side(const City& city, const SideOptions& options) {
  return std::make_unique<GlSide>(city, options);
}

}  // namespace city
