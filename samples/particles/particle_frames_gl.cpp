#include "particle_frames_gl.h"

#include <algorithm>
#include <deque>

#include "passmeter/gl/feedback_queries.h"

namespace particles {

namespace gl = passmeter::gl;

struct FramesGl::Impl {
  Impl(const Options& rule, const Context& context, int size, Compaction wanted)
      : options(rule),
        painter(rule, context.functions, context.is_gles, size, wanted),
        timer({.passes = {"simulate", "draw"}}, context.measured_by),
        feedback({.counters = {"particles"}}, context.measured_by),
        counter(feedback.counter("particles")),
        simulate_pass(timer.pass("simulate")),
        draw_pass(timer.pass("draw")) {}

  struct Born {
    std::uint64_t frame;
    std::uint32_t count;
  };

  bool counts_alive() const { return painter.compaction() == Compaction::geometry_shader; }
  bool take_count(Counted& counted);
  void simulate(std::uint32_t frame);
  std::uint32_t bound();

  Options options;
  ParticlesGl painter;
  gl::GlTimer timer;
  gl::FeedbackQueries feedback;
  gl::CounterId counter;
  gl::FeedbackScope counting;
  passmeter::PassId simulate_pass, draw_pass;
  std::deque<Born> born;  // since the last known count
  std::uint32_t most_alive = 0;
  std::uint64_t dropped_frames = 0;
  std::uint64_t last_seen = 0;
  bool seen_any = false;
};

bool FramesGl::Impl::take_count(Counted& counted) {
  const passmeter::LateCounter& written = feedback.written(counter);
  if (!written.known() || (seen_any && written.frame() == last_seen)) return false;
  seen_any = true;
  last_seen = written.frame();
  // By age the CPU draws no more than there is room for, so nothing more is generated.
  counted = {written.frame(), written.age(feedback.frame()), written.last(),
             feedback.generated(counter).last(), counts_alive() && feedback.counts_generated()};
  return true;
}

// The last known count, and all that was born since: so many there may be at most.
std::uint32_t FramesGl::Impl::bound() {
  const passmeter::LateCounter& written = feedback.written(counter);
  std::uint64_t most = written.last();
  while (written.known() && !born.empty() && born.front().frame <= written.frame()) born.pop_front();
  for (const Born& some : born) most += some.count;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, options.capacity));
}

void FramesGl::Impl::simulate(std::uint32_t frame) {
  {
    const auto scope = timer.scope(simulate_pass);
    painter.step(frame, most_alive,
                 {.user = this,
                  .begin =
                      [](void* user) {
                        Impl& self = *static_cast<Impl*>(user);
                        self.counting = self.feedback.scope(self.counter);
                      },
                  .end = [](void* user) { static_cast<Impl*>(user)->counting.close(); }});
  }
  if (counts_alive()) {
    born.push_back({frame, emitted(options, frame)});
    most_alive = bound();
  } else {
    most_alive = painter.kept();
  }
  dropped_frames += painter.dropped() > 0 ? 1U : 0U;
}

FramesGl::FramesGl(const Options& options, const Context& context, int size, Compaction wanted)
    : impl_(std::make_unique<Impl>(options, context, size, wanted)) {}

FramesGl::~FramesGl() = default;

const std::string& FramesGl::why() const { return impl_->painter.why(); }
ParticlesGl& FramesGl::painter() { return impl_->painter; }

std::string FramesGl::how() const {
  return counts_alive()
             ? "a geometry shader drops the dead, transform feedback counts the living"
             : "without a geometry shader the dead stay until their generation is over, and transform "
               "feedback counts all that was drawn";
}

bool FramesGl::counts_alive() const { return impl_->counts_alive(); }

bool FramesGl::draw(std::uint32_t frame, Counted& counted) {
  Impl& impl = *impl_;
  impl.timer.begin_frame();
  impl.feedback.begin_frame();
  const bool news = impl.take_count(counted);
  impl.simulate(frame);
  {
    const auto scope = impl.timer.scope(impl.draw_pass);
    impl.painter.draw(impl.most_alive);
  }
  impl.feedback.end_frame();
  impl.timer.end_frame();
  return news;
}

std::uint32_t FramesGl::drawn() const { return impl_->most_alive; }

std::uint64_t FramesGl::overflowed_frames() const {
  return counts_alive() ? impl_->feedback.overflowed_frames(impl_->counter) : impl_->dropped_frames;
}

passmeter::GpuTimer& FramesGl::timer() { return impl_->timer; }

passmeter::Report FramesGl::report() {
  passmeter::Report report = impl_->timer.report();
  impl_->feedback.append_to(report);
  return report;
}

void FramesGl::notify_lost() {
  impl_->timer.notify_lost();
  impl_->feedback.notify_lost();
}

}  // namespace particles
