#include <algorithm>
#include <deque>

#include "egl_context.h"
#include "gl_pacing.h"
#include "particles_gl.h"
#include "passmeter/gl/feedback_queries.h"
#include "passmeter/gl/gl_timer.h"
#include "side.h"

namespace particles {
namespace {

namespace gl = passmeter::gl;
using passmeter::testing::EglApi;
using passmeter::testing::EglContext;

class GlSide final : public Side {
 public:
  explicit GlSide(const SideOptions& options)
      : options_(options.rule),
        context_({.api = options.gles ? EglApi::gles : EglApi::desktop_core, .major = 3, .minor = -1}) {
    if (!context_.valid()) {
      why_ = "OpenGL: " + context_.why();
      return;
    }
    painter_ =
        std::make_unique<ParticlesGl>(options.rule, EglContext::get_proc_address, options.gles, options.size,
                                      options.by_age ? Compaction::by_age : Compaction::geometry_shader);
    if (!painter_->why().empty()) {
      why_ = "OpenGL: " + painter_->why();
      return;
    }
    pacing_ = std::make_unique<compare::GlPacing>(EglContext::get_proc_address);
    timer_ = std::make_unique<gl::GlTimer>(passmeter::TimerConfig{.passes = {"simulate", "draw"}},
                                           EglContext::get_proc_address);
    simulate_ = timer_->pass("simulate");
    draw_ = timer_->pass("draw");
    feedback_ = std::make_unique<gl::FeedbackQueries>(gl::FeedbackConfig{.counters = {"particles"}},
                                                      EglContext::get_proc_address);
    counter_ = feedback_->counter("particles");
  }

  const std::string& why() const override { return why_; }
  std::string how() const override {
    return counts_alive()
               ? "a geometry shader drops the dead, transform feedback counts the living"
               : "without a geometry shader the dead stay until their generation is over, and transform "
                 "feedback counts all that was drawn";
  }
  bool counts_alive() const override { return painter_->compaction() == Compaction::geometry_shader; }

  bool draw(std::uint32_t frame, Counted& counted) override {
    timer_->begin_frame();
    feedback_->begin_frame();
    const bool news = take_count(counted);
    {
      const auto scope = timer_->scope(simulate_);
      painter_->step(frame, most_alive_,
                     {.user = this,
                      .begin = [](void* self) { static_cast<GlSide*>(self)->begin_counting(); },
                      .end = [](void* self) { static_cast<GlSide*>(self)->end_counting(); }});
    }
    born_.push_back({frame, emitted(options_, frame)});
    most_alive_ = counts_alive() ? bound() : painter_->kept();
    dropped_frames_ += painter_->dropped() > 0 ? 1U : 0U;
    {
      const auto scope = timer_->scope(draw_);
      painter_->draw(most_alive_);
    }
    feedback_->end_frame();
    timer_->end_frame();
    pacing_->frame_done();
    return news;
  }

  std::uint32_t drawn() const override { return most_alive_; }
  std::uint64_t overflowed_frames() const override {
    return counts_alive() ? feedback_->overflowed_frames(counter_) : dropped_frames_;
  }
  void drain() override {
    pacing_->finish();
    timer_->poll();
  }
  passmeter::Report report() override {
    passmeter::Report report = timer_->report();
    feedback_->append_to(report);
    return report;
  }
  std::vector<std::uint8_t> picture() override { return painter_->read_picture(); }
  int errors() override { return painter_->take_error_count(); }

 private:
  struct Born {
    std::uint64_t frame;
    std::uint32_t count;
  };

  void begin_counting() { counting_ = feedback_->scope(counter_); }
  void end_counting() { counting_.close(); }

  bool take_count(Counted& counted) {
    const passmeter::LateCounter& written = feedback_->written(counter_);
    if (!written.known() || (seen_any_ && written.frame() == last_seen_)) return false;
    seen_any_ = true;
    last_seen_ = written.frame();
    counted = {written.frame(), written.age(feedback_->frame()), written.last(),
               feedback_->generated(counter_).last(), feedback_->counts_generated()};
    return true;
  }

  // The last known count, and all that was born since: so many there may be at most.
  std::uint32_t bound() {
    const passmeter::LateCounter& written = feedback_->written(counter_);
    std::uint64_t most = written.last();
    while (written.known() && !born_.empty() && born_.front().frame <= written.frame()) born_.pop_front();
    for (const Born& born : born_) most += born.count;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, options_.capacity));
  }

  Options options_;
  EglContext context_;
  std::string why_;
  std::unique_ptr<ParticlesGl> painter_;
  std::unique_ptr<compare::GlPacing> pacing_;
  std::unique_ptr<gl::GlTimer> timer_;
  std::unique_ptr<gl::FeedbackQueries> feedback_;
  gl::FeedbackScope counting_;
  gl::CounterId counter_;
  passmeter::PassId simulate_, draw_;
  std::deque<Born> born_;  // since the last known count
  std::uint32_t most_alive_ = 0;
  std::uint64_t dropped_frames_ = 0;
  std::uint64_t last_seen_ = 0;
  bool seen_any_ = false;
};

}  // namespace

std::unique_ptr<Side> make_gl_side(const SideOptions& options) { return std::make_unique<GlSide>(options); }

}  // namespace particles
