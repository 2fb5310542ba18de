#include "passmeter/gl/occlusion_queries.h"

#include <algorithm>
#include <string>
#include <utility>

#include "late_queries.h"

namespace passmeter::gl {
namespace {

constexpr std::uint32_t default_most_queries = 4096;
constexpr std::uint32_t most_queries = 65536;
constexpr GLenum all_targets[] = {value::any_samples_passed, value::any_samples_passed_conservative,
                                  value::samples_passed};

GLenum gl_target(OcclusionTarget target) noexcept {
  switch (target) {
    case OcclusionTarget::any_samples_conservative:
      return value::any_samples_passed_conservative;
    case OcclusionTarget::samples:
      return value::samples_passed;
    default:
      return value::any_samples_passed;
  }
}

const char* target_name(OcclusionTarget target) noexcept {
  switch (target) {
    case OcclusionTarget::any_samples_conservative:
      return "ANY_SAMPLES_PASSED_CONSERVATIVE";
    case OcclusionTarget::samples:
      return "SAMPLES_PASSED";
    default:
      return "ANY_SAMPLES_PASSED";
  }
}

}  // namespace

// --- Scopes
// ---------------------------------------------------------------------------------------------------

OcclusionScope& OcclusionScope::operator=(OcclusionScope&& other) noexcept {
  if (this != &other) {
    close();
    queries_ = std::exchange(other.queries_, nullptr);
  }
  return *this;
}

void OcclusionScope::close() noexcept {
  if (queries_ != nullptr) std::exchange(queries_, nullptr)->end();
}

ProxyState::ProxyState(ProxyState&& other) noexcept
    : queries_(std::exchange(other.queries_, nullptr)), depth_(other.depth_) {
  std::copy(std::begin(other.color_), std::end(other.color_), std::begin(color_));
}

ProxyState& ProxyState::operator=(ProxyState&& other) noexcept {
  if (this == &other) return *this;
  restore();
  queries_ = std::exchange(other.queries_, nullptr);
  depth_ = other.depth_;
  std::copy(std::begin(other.color_), std::end(other.color_), std::begin(color_));
  return *this;
}

// --- Life
// -----------------------------------------------------------------------------------------------------

struct OcclusionQueries::Impl {
  Impl(VisibilityConfig config, Loader loader, OcclusionOptions given)
      : context(loader), options(given), objects(std::move(config)) {
    if (options.max_queries == 0) options.max_queries = std::min(objects.objects(), default_most_queries);
    if (options.max_queries > most_queries) {
      options.max_queries = most_queries;
      objects.diagnostics().raise(Diagnostic::bad_config,
                                  "OcclusionOptions::max_queries is at most 65536; 65536 are used.");
    }
  }

  bool start();
  bool choose_target() noexcept;
  void refuse(std::uint32_t object, LateQueries::Begun why) noexcept;
  void collect() noexcept;
  void give_up_late() noexcept;
  void lose() noexcept;

  HelperContext context;
  OcclusionOptions options;
  Visibility objects;
  LateQueries queries;
  HelperFlush flush;
  OcclusionTarget target = OcclusionTarget::automatic;
  State state = State::unavailable;
  std::string reason;
  bool in_use_said = false;  ///< In this frame: that the application has an occlusion query open.
};

bool OcclusionQueries::Impl::choose_target() noexcept {
  target = options.target;
  if (target == OcclusionTarget::automatic) {
    target = context.has_query_target(value::any_samples_passed) ? OcclusionTarget::any_samples
                                                                 : OcclusionTarget::samples;
  }
  return context.has_query_target(gl_target(target));
}

bool OcclusionQueries::Impl::start() {
  state = State::unavailable;
  target = OcclusionTarget::automatic;
  if (!context.load()) {
    reason = "No OpenGL context is current, or no function to look up its functions was given.";
    return false;
  }
  if (!choose_target()) {
    reason = std::string("The context has no ") + target_name(target) +
             " queries: every object counts as visible.";
    target = OcclusionTarget::automatic;
    objects.diagnostics().raise(Diagnostic::feature_missing, reason.c_str());
    return false;
  }
  queries.start(context, gl_target(target), 0, all_targets, options.max_queries);
  flush.start();
  state = State::measuring;
  reason = std::string("Objects are tested with ") + target_name(target) + " queries.";
  return true;
}

OcclusionQueries::OcclusionQueries(VisibilityConfig config, GetProcAddress get_proc_address,
                                   OcclusionOptions options)
    : impl_(std::make_unique<Impl>(std::move(config), Loader{get_proc_address, nullptr}, options)) {
  impl_->start();
}

OcclusionQueries::OcclusionQueries(VisibilityConfig config, GetProcAddressVoid get_proc_address,
                                   OcclusionOptions options)
    : impl_(std::make_unique<Impl>(std::move(config), Loader{nullptr, get_proc_address}, options)) {
  impl_->start();
}

OcclusionQueries::~OcclusionQueries() {
  if (impl_->state == State::measuring) impl_->queries.delete_all();
}

void OcclusionQueries::Impl::lose() noexcept {
  if (state == State::lost) return;
  queries.forget();
  context.forget();
  objects.lose();
  state = State::lost;
  reason = "The context was lost: every object counts as visible until restore().";
  objects.diagnostics().raise(Diagnostic::lost, "The context was lost; what was in flight is rejected.");
}

void OcclusionQueries::notify_lost() noexcept { impl_->lose(); }

bool OcclusionQueries::restore() noexcept {
  if (impl_->state != State::lost) return impl_->state == State::measuring;
  return impl_->start();
}

// --- Frames
// ---------------------------------------------------------------------------------------------------

void OcclusionQueries::begin_frame() noexcept {
  Impl& impl = *impl_;
  if (impl.objects.frame_open()) {
    impl.objects.diagnostics().raise(Diagnostic::frame_begun_twice,
                                     "begin_frame() inside a frame: the open frame is ended first.");
    end_frame();
  }
  impl.in_use_said = false;
  impl.objects.begin_frame();
  if (impl.state == State::measuring) impl.collect();
}

void OcclusionQueries::end_frame() noexcept {
  Impl& impl = *impl_;
  if (impl.queries.open()) {
    impl.objects.diagnostics().raise(Diagnostic::scope_left_open,
                                     "A test was still open at end_frame(); it is ended there.");
    end();
  }
  const bool was_open = impl.objects.frame_open();
  impl.objects.end_frame();
  if (!was_open || impl.state != State::measuring) return;
  const std::uint64_t now = impl.objects.frame();
  impl.flush.frame_ended(now);
  if (impl.queries.used() > 0) impl.flush.flush_if_needed(impl.context.gl, impl.queries.oldest_frame(), now);
}

void OcclusionQueries::Impl::collect() noexcept {
  flush.next_look();
  queries.look();
  if (!queries.results().empty()) {
    // Zeros of a lost context would hide everything.
    if (context.lost()) return lose();
    // Whoever is told of a result's trouble may answer with notify_lost(), and there are none any more.
    for (std::size_t i = 0; i < queries.results().size(); ++i) {
      const LateQueries::Result& result = queries.results()[i];
      if (result.valid) {
        objects.answer(result.query.owner, result.query.frame, result.count);
        flush.frame_ready(result.query.frame);
      } else {
        objects.reject(result.query.owner, result.query.frame, Verdict::driver_error);
        objects.diagnostics().raise(Diagnostic::driver_error, "A call about an occlusion query failed.");
      }
    }
    queries.take_results();
  }
  give_up_late();
  objects.offer(queries.room());
}

void OcclusionQueries::Impl::give_up_late() noexcept {
  queries.sweep();
  const std::uint64_t limit = objects.config().late_after_frames;
  if (objects.frame() < limit) return;
  LateQueries::Pending query;
  while (queries.give_up_before(objects.frame() - limit, query)) {
    objects.reject(query.owner, query.frame, Verdict::late);
  }
}

// --- Tests
// ----------------------------------------------------------------------------------------------------

bool OcclusionQueries::begin(std::uint32_t object) noexcept {
  Impl& impl = *impl_;
  if (impl.state != State::measuring) return false;
  Diagnostics& diagnostics = impl.objects.diagnostics();
  if (impl.queries.open()) {
    diagnostics.raise(Diagnostic::query_begun_twice,
                      "A test is begun inside another one; only one can be open: it is refused.");
    return false;
  }
  // First whether it is due: most are not, and the driver need not be asked for them.
  if (impl.objects.ask(object) != Ask::test) return false;
  const LateQueries::Begun begun = impl.queries.begin(object, impl.objects.frame());
  if (begun == LateQueries::Begun::yes) return true;
  impl.refuse(object, begun);
  return false;
}

void OcclusionQueries::Impl::refuse(std::uint32_t object, LateQueries::Begun why) noexcept {
  const bool in_use = why == LateQueries::Begun::in_use;
  const bool refused = queries.take_refusal();
  objects.reject(object, objects.frame(), in_use || refused ? Verdict::driver_error : Verdict::no_free_slot);
  if (in_use) {
    if (std::exchange(in_use_said, true)) return;
    objects.diagnostics().raise(Diagnostic::driver_error,
                                "The application has an occlusion query of its own open, and only one can "
                                "be: no object is tested meanwhile.");
    return;
  }
  objects.diagnostics().raise(refused ? Diagnostic::feature_refused : Diagnostic::pool_full,
                              refused ? "The driver refused to make more occlusion queries."
                                      : "Queries that were given up are still pending: none is free.");
}

void OcclusionQueries::end() noexcept {
  if (!impl_->queries.open()) {
    // A context lost inside a test took it along.
    if (impl_->state == State::lost) return;
    impl_->objects.diagnostics().raise(Diagnostic::end_without_begin,
                                       "end() without an open test does nothing.");
    return;
  }
  impl_->queries.end();
}

OcclusionScope OcclusionQueries::test(std::uint32_t object) noexcept {
  return begin(object) ? OcclusionScope(this) : OcclusionScope();
}

ProxyState OcclusionQueries::proxy_state() noexcept {
  ProxyState saved;
  const HelperFunctions& gl = impl_->context.more;
  if (!impl_->context.has_context || gl.color_mask == nullptr || gl.depth_mask == nullptr ||
      gl.get_boolean_v == nullptr) {
    return saved;
  }
  GLboolean color[4] = {GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE};
  GLboolean depth = GL_TRUE;
  gl.get_boolean_v(value::color_writemask, color);
  gl.get_boolean_v(value::depth_writemask, &depth);
  for (int i = 0; i < 4; ++i) saved.color_[i] = color[i] != GL_FALSE;
  saved.depth_ = depth != GL_FALSE;
  saved.queries_ = this;
  gl.color_mask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
  gl.depth_mask(GL_FALSE);
  return saved;
}

void ProxyState::restore() noexcept {
  if (queries_ == nullptr) return;
  const OcclusionQueries::Impl& impl = *std::exchange(queries_, nullptr)->impl_;
  if (!impl.context.has_context) return;  // lost: a fresh context has its masks set
  const auto mask = [](bool on) -> GLboolean { return on ? GL_TRUE : GL_FALSE; };
  impl.context.more.color_mask(mask(color_[0]), mask(color_[1]), mask(color_[2]), mask(color_[3]));
  impl.context.more.depth_mask(mask(depth_));
}

// --- What is known
// --------------------------------------------------------------------------------------------

bool OcclusionQueries::visible(std::uint32_t object) const noexcept { return impl_->objects.visible(object); }
std::uint32_t OcclusionQueries::age(std::uint32_t object) const noexcept {
  return impl_->objects.age(object);
}
void OcclusionQueries::forget(std::uint32_t object) noexcept { impl_->objects.forget(object); }
void OcclusionQueries::forget_all() noexcept { impl_->objects.forget_all(); }
OcclusionTarget OcclusionQueries::target() const noexcept { return impl_->target; }
State OcclusionQueries::state() const noexcept { return impl_->state; }
const char* OcclusionQueries::reason() const noexcept { return impl_->reason.c_str(); }
const Visibility& OcclusionQueries::objects() const noexcept { return impl_->objects; }
std::uint32_t OcclusionQueries::queries_made() const noexcept { return impl_->queries.made(); }
void OcclusionQueries::append_to(Report& report) const { impl_->objects.append_to(report); }
void OcclusionQueries::reset_statistics() noexcept { impl_->objects.reset_statistics(); }

}  // namespace passmeter::gl
