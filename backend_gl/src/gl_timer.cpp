#include "passmeter/gl/gl_timer.h"

#include <string_view>
#include <utility>

#include "gl_timer_impl.h"

namespace passmeter::gl {
namespace {

// More than most drivers queue, so that frames are not skipped while the GPU is behind.
constexpr std::uint32_t default_frames_in_flight = 8;

constexpr const char* no_context =
    "No OpenGL context is current, or no function to look up its functions was given.";

}  // namespace

// --- Construction, loss and degradation
// ----------------------------------------------------------------------

GlTimer::GlTimer(TimerConfig config, GetProcAddress get_proc_address, GlOptions options)
    : GpuTimer(std::move(config), default_frames_in_flight),
      impl_(std::make_unique<Impl>(Loader{get_proc_address, nullptr}, options)) {
  if (!impl_->start(*this)) set_source(Source::none, no_context, 0);
}

GlTimer::GlTimer(TimerConfig config, GetProcAddressVoid get_proc_address, GlOptions options)
    : GpuTimer(std::move(config), default_frames_in_flight),
      impl_(std::make_unique<Impl>(Loader{nullptr, get_proc_address}, options)) {
  if (!impl_->start(*this)) set_source(Source::none, no_context, 0);
}

GlTimer::~GlTimer() {
  if (!impl_->has_context) return;
  if (!on_web) impl_->groups.pop_all(impl_->gl);
  impl_->delete_all();
}

Clock GlTimer::clock() const noexcept { return impl_->clock; }

bool GlTimer::Impl::start(GlTimer& timer) {
  has_context = load(loader, gl, info);
  clock = Clock::none;
  slots.assign(timer.frame_slots(), {});
  if (!has_context) return false;
  group_passes = options.debug_groups && info.debug_groups;
  if (!on_web && group_passes) groups.start(timer.max_scopes_per_frame(), info);
  timer.set_identity({"gl", info.renderer, info.version});
  const Quirk* quirk = options.ignore_quirks ? nullptr : find_quirk(info.renderer, info.version);
  use(timer, choose_clock(info, options.clock, quirk));
  if (info.disjoint && uses_queries(clock)) try_disjoint();
  return true;
}

void GlTimer::Impl::use(GlTimer& timer, ClockChoice choice) {
  clock = choice.clock;
  flushes.start(timer.frame_slots());
  switch (clock) {
    case Clock::timestamp:
      stamp.start(gl, timer.frame_slots(), timer.max_scopes_per_frame(), choice.counter_bits, info.no_wait);
      break;
    case Clock::time_elapsed:
      elapsed.start(gl, timer.frame_slots(), timer.max_scopes_per_frame(), info.no_wait);
      break;
    case Clock::fence:
      fence.start(gl, timer.frame_slots(), timer.max_scopes_per_frame(), timer.cpu_clock());
      break;
    default:
      break;
  }
  timer.set_resolution_ns(unknown);
  timer.set_source(source_of(clock), std::move(choice.reason), choice.counter_bits);
}

void GlTimer::Impl::delete_all() noexcept {
  elapsed.delete_all();
  stamp.frames().delete_all();
  fence.delete_all();
}

void GlTimer::on_lost() noexcept {
  impl_->stamp.frames().forget();
  impl_->elapsed.forget();
  impl_->fence.forget();
  impl_->groups.forget();
  impl_->has_context = false;
  impl_->clock = impl_->plain = Clock::none;
}

bool GlTimer::on_restore() noexcept { return impl_->start(*this) && impl_->clock != Clock::none; }

bool GlTimer::on_check_lost() noexcept {
  // on_collect() asks whenever it has results to deliver: once a frame is enough.
  if (!std::exchange(impl_->reset_checked, false) && impl_->context_lost()) return true;
  // poll() comes by here also when no frame is in flight, and the open frame's fences are worth looking at.
  if (impl_->clock == Clock::fence) impl_->fence.look();
  return false;
}

bool GlTimer::Impl::context_lost() noexcept {
  return info.reset_status && gl.get_reset_status() != GL_NO_ERROR;
}

bool GlTimer::on_degraded() noexcept {
  if (impl_->options.clock != Clock::automatic || !uses_queries(impl_->clock)) return false;
  const bool was_stamp = impl_->clock == Clock::timestamp;
  ClockChoice next = choose_clock(
      impl_->info, Clock::automatic, nullptr, was_stamp ? Clock::time_elapsed : Clock::fence,
      was_stamp ? "TIMESTAMP queries gave nothing but zeros" : "timer queries gave nothing but zeros");
  if (next.clock == Clock::none) return false;
  impl_->use(*this, std::move(next));
  return true;
}

// --- Marks
// ---------------------------------------------------------------------------------------------------

bool GlTimer::on_begin_frame(Frame& frame) noexcept {
  Impl& impl = *impl_;
  impl.slots[frame.slot] = {.clock = impl.clock};
  impl.plain = impl.group_passes ? Clock::none : impl.clock;
  switch (impl.clock) {
    case Clock::timestamp:
      return impl.stamp.begin(frame.slot);
    case Clock::time_elapsed:
      return impl.elapsed.begin(frame.slot);
    case Clock::fence:
      return impl.fence.begin(frame.slot);
    default:
      return false;
  }
}

bool GlTimer::Impl::mark_open(std::uint32_t slot_number, std::uint32_t interval, bool top_level) noexcept {
  Slot& slot = slots[slot_number];
  switch (slot.clock) {
    case Clock::timestamp:
      return stamp.open(interval);
    case Clock::time_elapsed:
      if (top_level && elapsed.worth_asking(interval) && elapsed.in_use_elsewhere()) slot.refused = true;
      return !slot.refused && elapsed.open(interval);
    case Clock::fence:
      return fence.open(slot_number, interval);
    default:
      return false;
  }
}

bool GlTimer::on_open(Frame& frame, std::uint32_t interval) noexcept {
  // Every pass of every frame comes by here, so the plain cases come first.
  Impl& impl = *impl_;
  if (impl.plain == Clock::timestamp)
    return impl.stamp.open(interval) || impl.say_why_refused(*this, frame.slot);
  // Some look for a query of the application's first.
  if (impl.plain == Clock::time_elapsed && !impl.elapsed.worth_asking(interval)) {
    return impl.elapsed.open(interval) || impl.say_why_refused(*this, frame.slot);
  }
  return open_slowly(frame, interval);
}

bool GlTimer::open_slowly(Frame& frame, std::uint32_t interval) noexcept {
  Impl& impl = *impl_;
  const bool top_level = frame.intervals[interval].parent == Interval::no_parent;
  if (!impl.mark_open(frame.slot, interval, top_level)) return impl.say_why_refused(*this, frame.slot);
  if (!on_web && impl.group_passes) {
    const PassId pass = frame.intervals[interval].pass;
    impl.groups.push(impl.gl, pass.index, pass_name(pass));
  }
  return true;
}

/// Always false: the scope is refused.
bool GlTimer::Impl::say_why_refused(GlTimer& timer, std::uint32_t slot_number) noexcept {
  if (slots[slot_number].refused) {
    timer.diagnostics().raise(
        Diagnostic::driver_error,
        "The application has a TIME_ELAPSED query of its own active, and only one can be: "
        "this frame is not measured.");
  } else if (stamp.frames().pool().take_refusal() || elapsed.frames().pool().take_refusal()) {
    timer.diagnostics().raise(Diagnostic::feature_refused, "The driver refused to make more queries.");
  } else {
    timer.diagnostics().raise(Diagnostic::pool_full,
                              "All queries are in flight: this scope is not measured.");
  }
  return false;
}

void GlTimer::on_close(Frame& frame, std::uint32_t interval) noexcept {
  Impl& impl = *impl_;
  if (impl.plain == Clock::timestamp) {
    impl.stamp.close(interval);
    return;
  }
  if (impl.plain == Clock::time_elapsed) {
    impl.elapsed.close(frame.intervals[interval].parent);
    return;
  }
  if (!on_web && impl.group_passes) impl.groups.pop(impl.gl);
  switch (impl.slots[frame.slot].clock) {
    case Clock::timestamp:
      impl.stamp.close(interval);
      return;
    case Clock::time_elapsed:
      impl.elapsed.close(frame.intervals[interval].parent);
      return;
    case Clock::fence:
      impl.fence.close(frame.slot, interval);
      return;
    default:
      return;
  }
}

bool GlTimer::on_end_frame(Frame& frame) noexcept {
  Impl::Slot& slot = impl_->slots[frame.slot];
  if (slot.clock == Clock::timestamp) impl_->stamp.frames().end(frame.slot);
  if (slot.clock == Clock::time_elapsed) impl_->elapsed.frames().end(frame.slot);
  impl_->flushes.frame_ended(frame.slot);
  if (slot.disjoint) {
    impl_->abandon(frame.slot);
    deliver_rejected(frame, Verdict::disjoint);
  }
  return true;
}

// --- Collection
// ----------------------------------------------------------------------------------------------

GlTimer::Impl::Stage GlTimer::Impl::stage_of(Answer answer, Stage yes) noexcept {
  switch (answer) {
    case Answer::yes:
      return yes;
    case Answer::failed:
      return Stage::failed;
    default:
      return Stage::waiting;
  }
}

GlTimer::Impl::Stage GlTimer::Impl::look_at(std::uint32_t slot_number, bool& news) noexcept {
  switch (slots[slot_number].clock) {
    case Clock::timestamp:
      return stage_of(stamp.frames().poll(slot_number, news), Stage::available);
    case Clock::time_elapsed:
      return stage_of(elapsed.frames().poll(slot_number, news), Stage::available);
    case Clock::fence:
      return fence.ready(slot_number) ? Stage::available : Stage::waiting;
    default:
      return Stage::failed;
  }
}

Answer GlTimer::Impl::fill(GlTimer& timer, Frame& frame, std::int64_t now_ns) noexcept {
  const auto note = [&timer](std::uint64_t ticks) { timer.note_quantum(ticks); };
  switch (slots[frame.slot].clock) {
    case Clock::timestamp: {
      const Answer answer = stamp.fill(frame.slot, frame.intervals, now_ns, note);
      if (answer == Answer::yes && frame.nested) timer.derive_nested_times(frame);
      return answer;
    }
    case Clock::time_elapsed:
      return elapsed.fill(frame.slot, frame.intervals, now_ns, note);
    case Clock::fence:
      fence.fill(frame.slot, frame.intervals);
      timer.derive_nested_times(frame);
      return Answer::yes;
    default:
      return Answer::failed;
  }
}

void GlTimer::Impl::abandon(std::uint32_t slot_number) noexcept {
  switch (slots[slot_number].clock) {
    case Clock::timestamp:
      stamp.frames().abandon(slot_number);
      break;
    case Clock::time_elapsed:
      elapsed.frames().abandon(slot_number);
      break;
    case Clock::fence:
      fence.abandon(slot_number);
      break;
    default:
      break;
  }
}

void GlTimer::Impl::discard(std::uint32_t slot_number) noexcept {
  switch (slots[slot_number].clock) {
    case Clock::timestamp:
      stamp.frames().discard(slot_number);
      break;
    case Clock::time_elapsed:
      elapsed.frames().discard(slot_number);
      break;
    default:
      abandon(slot_number);
      break;
  }
}

bool GlTimer::Impl::read_disjoint() noexcept {
  GLint disjoint = 0;
  gl.get_integer_v(value::gpu_disjoint, &disjoint);
  return disjoint != 0;
}

/// Reads the flag once at the start: what interrupted the clock before our first mark is not our concern.
/// Some drivers have the extension but not the flag (Chromium's bug 462553); then it is not asked for again,
/// and the error that this has raised is taken back.
void GlTimer::Impl::try_disjoint() noexcept {
  constexpr GLint untouched = 0x5A5A;
  GLint disjoint = untouched;
  gl.get_integer_v(value::gpu_disjoint, &disjoint);
  if (disjoint != untouched) return;
  info.disjoint = false;
  using GetError = GLenum(PASSMETER_GL_CALL*)();
  if (const auto get_error = reinterpret_cast<GetError>(loader.find("glGetError"))) get_error();
}

/// The interruption may have hit any frame that is not read yet.
void GlTimer::Impl::void_all(GlTimer& timer) noexcept {
  timer.diagnostics().raise(Diagnostic::disjoint,
                            "The GPU's clock was interrupted: what was in flight is rejected.");
  timer.for_each_in_flight([&](Frame& frame) {
    if (!uses_queries(slots[frame.slot].clock)) return;
    abandon(frame.slot);
    timer.deliver_rejected(frame, Verdict::disjoint);
  });
  if (Frame* open = timer.open_frame()) slots[open->slot].disjoint = true;
}

void GlTimer::on_collect() noexcept {
  Impl& impl = *impl_;
  if (impl.collecting) return;  // called from within on_frame
  impl.collecting = true;
  impl.flushes.next_look();
  if (impl.clock == Clock::timestamp) impl.stamp.frames().pool().sweep();
  if (impl.clock == Clock::time_elapsed) impl.elapsed.frames().pool().sweep();
  impl.fence.look();

  bool news = false;
  bool any = false;
  for_each_in_flight([&](Frame& frame) {
    Impl::Slot& slot = impl.slots[frame.slot];
    slot.stage = impl.look_at(frame.slot, news);
    any |= slot.stage != Impl::Stage::waiting;
  });
  // Once, after availability and before any result is used: what was available by now was covered by the
  // flag.
  if (news && impl.info.disjoint && impl.read_disjoint()) {
    impl.void_all(*this);
    any = false;
  }
  if (any) deliver_available();
  if (in_flight_count() > 0 && impl.has_context) impl.flush_if_needed(*this);
  impl.collecting = false;
}

std::int64_t GlTimer::Impl::quantum_slack_ns(const GlTimer& timer) noexcept {
  return static_cast<std::int64_t>(
      std::min(timer.quantum_ticks(), static_cast<std::uint64_t>(most_quantum_ns)));
}

void GlTimer::deliver_available() noexcept {
  Impl& impl = *impl_;
  // A coarse clock's values may exceed the truth by its quantum.
  const std::int64_t now = cpu_clock().now() + impl.quantum_slack_ns(*this);
  for_each_in_flight([&](Frame& frame) {
    Impl::Slot& slot = impl.slots[frame.slot];
    if (slot.stage != Impl::Stage::available) return;
    slot.stage = Impl::stage_of(impl.fill(*this, frame, now), Impl::Stage::filled);
  });
  // A lost context reports everything available, with values of 0. So nothing is delivered before this
  // answer.
  if (impl.info.reset_status) {
    impl.reset_checked = true;
    if (impl.context_lost()) {
      notify_lost();
      return;
    }
  }
  set_resolution_ns(impl.clock == Clock::fence ? impl.fence.resolution_ns() : unknown);
  for_each_in_flight([&](Frame& frame) {
    Impl::Slot& slot = impl.slots[frame.slot];
    const Impl::Stage stage = std::exchange(slot.stage, Impl::Stage::waiting);
    if (stage == Impl::Stage::filled) {
      impl.flushes.frame_ready(frame.slot);
      deliver(frame);
    } else if (stage == Impl::Stage::failed) {
      diagnostics().raise(Diagnostic::driver_error,
                          "A call about a frame's queries failed: the frame is dropped.");
      impl.discard(frame.slot);
      deliver_rejected(frame, Verdict::driver_error);
    }
  });
}

void GlTimer::Impl::flush_if_needed(GlTimer& timer) noexcept {
  if (timer.open_frame() != nullptr) return;
  bool wanted = false;
  timer.for_each_in_flight([&](Frame& frame) { wanted |= flushes.wants_flush(frame.slot); });
  if (!wanted) return;
  gl.flush();
  timer.for_each_in_flight([&](Frame& frame) { flushes.frame_flushed(frame.slot); });
}

void GlTimer::on_abandon(Frame& frame) noexcept { impl_->abandon(frame.slot); }

}  // namespace passmeter::gl
