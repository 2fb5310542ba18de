#include <vector>

#include "city_gl.h"
#include "egl_context.h"
#include "gl_pacing.h"
#include "glad/gl.h"
#include "passmeter/gl/occlusion_queries.h"
#include "read_rig.h"

namespace passmeter::bench {
namespace {

using testing::EglContext;

class GlRig final : public ReadRig {
 public:
  explicit GlRig(const city::City& city) {
    if (!context_.valid()) return;
    gladLoadGLContext(&gl_, reinterpret_cast<GLADloadfunc>(EglContext::get_proc_address));
    painter_ = std::make_unique<city::CityGl>(city, EglContext::get_proc_address, false, picture_size, 1);
    pacing_ = std::make_unique<compare::GlPacing>(EglContext::get_proc_address);
    camera_ = city.camera(0, city::Depth::minus_one_to_one);
    city.find_in_view(camera_, city::Depth::minus_one_to_one, in_view_);
    const auto objects = static_cast<std::uint32_t>(city.objects().size());
    queries_ = std::make_unique<gl::OcclusionQueries>(
        VisibilityConfig{.objects = objects, .retest_hidden_every = 1, .retest_visible_every = 1},
        EglContext::get_proc_address);
    ids_.resize(tests_per_frame);
    gl_.GenQueries(static_cast<GLsizei>(ids_.size()), ids_.data());
  }
  ~GlRig() override {
    if (painter_ != nullptr) gl_.DeleteQueries(static_cast<GLsizei>(ids_.size()), ids_.data());
  }

  std::string why() const override { return context_.valid() ? painter_->why() : context_.why(); }
  std::string driver() const override { return context_.renderer(); }

  void frame(ReadKind kind) override {
    const bool late = kind == ReadKind::late;
    if (late) {
      queries_->begin_frame();
      ++late_frames_;
    }
    work_on_the_cpu();
    painter_->begin_gbuffer(camera_);
    for (const std::uint32_t id : in_view_) painter_->draw(id);
    draw_bounds(kind);
    painter_->light(0);
    if (late) {
      queries_->end_frame();
    } else if (kind == ReadKind::blocking) {
      wait_for_results();
    }
    pacing_->frame_done();
  }

  void drain() override { pacing_->finish(); }
  double answers_per_late_frame() const override {
    const auto frames = static_cast<double>(late_frames_);
    return static_cast<double>(queries_->objects().latency().accepted()) / frames;
  }

 private:
  void draw_bounds(ReadKind kind) {
    const auto state = queries_->proxy_state();
    painter_->begin_bounds();
    for (std::size_t i = 0; i < tests_per_frame; ++i) {
      const std::uint32_t id = in_view_[i % in_view_.size()];
      const auto test = kind == ReadKind::late ? queries_->test(id) : gl::OcclusionScope();
      if (kind == ReadKind::blocking) gl_.BeginQuery(GL_ANY_SAMPLES_PASSED, ids_[i]);
      painter_->draw_bounds(id);
      if (kind == ReadKind::blocking) gl_.EndQuery(GL_ANY_SAMPLES_PASSED);
    }
  }

  void wait_for_results() {
    for (const GLuint id : ids_) {
      GLuint visible = 0;
      gl_.GetQueryObjectuiv(id, GL_QUERY_RESULT, &visible);
    }
  }

  EglContext context_;
  GladGLContext gl_{};
  city::Camera camera_;
  std::vector<std::uint32_t> in_view_;
  std::vector<GLuint> ids_;
  std::unique_ptr<city::CityGl> painter_;
  std::unique_ptr<compare::GlPacing> pacing_;
  std::unique_ptr<gl::OcclusionQueries> queries_;
  std::uint64_t late_frames_ = 0;
};

}  // namespace

std::unique_ptr<ReadRig> make_gl_rig(const city::City& city) { return std::make_unique<GlRig>(city); }

}  // namespace passmeter::bench
