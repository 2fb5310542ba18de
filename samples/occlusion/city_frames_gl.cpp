#include "city_frames_gl.h"

#include "passmeter/gl/occlusion_queries.h"

namespace city {

namespace gl = passmeter::gl;

namespace {

struct Timing {
  explicit Timing(gl::GetProcAddress functions)
      : timer({.passes = {passes[0], passes[1], passes[2]}}, functions),
        gbuffer(timer.pass(passes[0])),
        bounds(timer.pass(passes[1])),
        lighting(timer.pass(passes[2])) {}
  gl::GlTimer timer;
  passmeter::PassId gbuffer, bounds, lighting;
};

}  // namespace

struct FramesGl::Impl {
  Impl(const City& what, const Context& context, const FrameOptions& options)
      : city(what),
        painter(what, context.functions, context.is_gles, options.size, options.pictures),
        on(context.measured_by),
        off(context.measured_by),
        queries(passmeter::VisibilityConfig{.objects = static_cast<std::uint32_t>(what.objects().size())},
                context.measured_by, gl::OcclusionOptions{.max_queries = options.max_queries}) {}

  void fill_gbuffer(const Camera& camera, bool culling, Drawn& drawn);
  void test_bounds(const Camera& camera, Timing& timing);

  const City& city;
  CityGl painter;
  Timing on, off;
  gl::OcclusionQueries queries;
  std::vector<std::uint32_t> in_view;
};

void FramesGl::Impl::fill_gbuffer(const Camera& camera, bool culling, Drawn& drawn) {
  painter.begin_gbuffer(camera);
  for (const std::uint32_t id : in_view) {
    if (culling && !queries.visible(id) && !city.touches_camera(camera, id)) continue;
    painter.draw(id);
    drawn.objects[id] = 1;
    ++drawn.count;
  }
}

void FramesGl::Impl::test_bounds(const Camera& camera, Timing& timing) {
  const auto scope = timing.timer.scope(timing.bounds);
  const auto state = queries.proxy_state();
  painter.begin_bounds();
  for (const std::uint32_t id : in_view) {
    if (city.touches_camera(camera, id)) continue;
    if (const auto test = queries.test(id)) painter.draw_bounds(id);
  }
}

FramesGl::FramesGl(const City& city, const Context& context, const FrameOptions& options)
    : impl_(std::make_unique<Impl>(city, context, options)) {}

FramesGl::~FramesGl() = default;

const std::string& FramesGl::why() const { return impl_->painter.why(); }
CityGl& FramesGl::painter() { return impl_->painter; }

void FramesGl::draw(int frame, bool culling, int picture, Drawn& drawn) {
  Impl& impl = *impl_;
  const Camera camera = impl.city.camera(frame, Depth::minus_one_to_one);
  impl.city.find_in_view(camera, Depth::minus_one_to_one, impl.in_view);
  drawn.objects.assign(impl.city.objects().size(), 0);
  drawn.in_view = static_cast<std::uint32_t>(impl.in_view.size());
  drawn.count = drawn.tested = 0;

  Timing& timing = culling ? impl.on : impl.off;
  timing.timer.begin_frame();
  if (culling) impl.queries.begin_frame();
  {
    const auto scope = timing.timer.scope(timing.gbuffer);
    impl.fill_gbuffer(camera, culling, drawn);
  }
  if (culling) {
    impl.test_bounds(camera, timing);
    drawn.tested = impl.queries.objects().tested();
  }
  {
    const auto scope = timing.timer.scope(timing.lighting);
    impl.painter.light(picture);
  }
  if (culling) impl.queries.end_frame();
  timing.timer.end_frame();
}

passmeter::GpuTimer& FramesGl::timer(bool culling) { return (culling ? impl_->on : impl_->off).timer; }

passmeter::Report FramesGl::report(bool culling) {
  passmeter::Report report = timer(culling).report();
  if (culling) impl_->queries.append_to(report);
  return report;
}

const passmeter::Visibility& FramesGl::visibility() const { return impl_->queries.objects(); }

void FramesGl::notify_lost() {
  for (const bool culling : {false, true}) timer(culling).notify_lost();
  impl_->queries.notify_lost();
}

}  // namespace city
