#include "passmeter/webgpu/webgpu_timer.h"

#include <algorithm>
#include <cmath>

#include "instance.h"
#include "parts.h"

namespace passmeter::webgpu {
namespace {

constexpr std::uint32_t default_frames_in_flight = 4;

constexpr const char* reason_timestamps = "GPU timestamps at both ends of each pass (timestamp-query).";
constexpr const char* reason_no_device = "No WebGPU device was given.";
constexpr const char* reason_no_feature =
    "The device was created without the feature timestamp-query; ask for it with add_timestamp_feature().";
constexpr const char* reason_fence =
    "The device was created without timestamp-query: the frame time is estimated from when its work was seen "
    "done; pass "
    "times are unknown.";
constexpr const char* reason_refused = "The device refused to create a timestamp query set or its buffers.";

}  // namespace

bool add_timestamp_feature(WGPUAdapter adapter, std::vector<WGPUFeatureName>& required) {
  if (std::find(required.begin(), required.end(), WGPUFeatureName_TimestampQuery) != required.end())
    return true;
  if (adapter == nullptr || !wgpuAdapterHasFeature(adapter, WGPUFeatureName_TimestampQuery)) return false;
  required.push_back(WGPUFeatureName_TimestampQuery);
  return true;
}

// --- Life
// ------------------------------------------------------------------------------------------------------

WebGpuTimer::WebGpuTimer(TimerConfig config, WGPUDevice device, const WebGpuOptions& options)
    : GpuTimer(std::move(config), default_frames_in_flight),
      parts_(std::make_unique<Parts>(options, max_scopes_per_frame())) {
  Parts& parts = *parts_;
  if (!(parts.options.ns_per_tick > 0) || !std::isfinite(parts.options.ns_per_tick)) {
    diagnostics().raise(Diagnostic::bad_config, "WebGpuOptions::ns_per_tick must be above 0; 1 is used.");
    parts.options.ns_per_tick = 1.0;
  }
  parts.rule = {.counter_bits = 64, .ns_per_tick = parts.options.ns_per_tick, .one_zero_is_unwritten = true};
  set_ns_per_tick(parts.options.ns_per_tick);
  parts.frames.resize(frame_slots());
  for (Parts::FrameMarks& frame : parts.frames) frame.pair_interval.reserve(parts.pair_cap);
  parts.has_writes.resize(max_scopes_per_frame());
  if (device != nullptr) dialect::add_ref(device);
  parts.device.reset(device);
  start();
}

WebGpuTimer::~WebGpuTimer() = default;

bool WebGpuTimer::start() noexcept {
  Parts& parts = *parts_;
  if (!parts.device) {
    set_identity({"webgpu", "", ""});
    set_source(Source::none, reason_no_device, 0);
    return false;
  }
  name_adapter();
  parts.queue.reset(wgpuDeviceGetQueue(parts.device.get()));
  if (parts.options.instance != nullptr) {
    dialect::add_ref(parts.options.instance);
    parts.instance.reset(parts.options.instance);
  } else {
    parts.instance = instance_of(parts.device.get());
  }
  if (wgpuDeviceHasFeature(parts.device.get(), WGPUFeatureName_TimestampQuery)) return start_timestamps();
  if (!parts.options.work_done_fallback) {
    set_source(Source::none, reason_no_feature, 0);
    return false;
  }
  if (state() == State::lost) return give_up_lost();
  parts.clock = Parts::Clock::work_done;
  diagnostics().raise(Diagnostic::feature_missing, reason_fence);
  set_source(Source::fence, reason_fence, 0);
  return true;
}

bool WebGpuTimer::start_timestamps() noexcept {
  Parts& parts = *parts_;
  set_resolution_ns(unknown);  // measured from the stamps
  parts.times.forget_history();
  parts.watch.start(parts.device.get(), parts.pumped());
  parts.ring.create(parts.device.get(), frame_slots(), &parts.watch);
  if (!parts.queue || !parts.pages.create(parts.device.get(), parts.watch,
                                          std::min(pass_count(), parts.pair_cap), parts.pair_cap)) {
    return state() == State::lost ? give_up_lost() : give_up_refused();
  }
  // Natively a refusal is known at once, before the first frame could use what was refused.
  parts.pump();
  if (state() == State::lost) return give_up_lost();
  if (parts.watch.refused()) return give_up_refused();
  parts.clock = Parts::Clock::timestamps;
  set_source(Source::timestamp, reason_timestamps, 64);
  return true;
}

void WebGpuTimer::name_adapter() {
  Identity identity{"webgpu", "", ""};
  const bool known = dialect::adapter_names(parts_->device.get(), parts_->options.adapter, identity.adapter,
                                            identity.driver);
  // The application's adapter is asked once: by the next restore() it may be gone. Its names are kept.
  parts_->options.adapter = nullptr;
  if (known || !parts_->named) set_identity(std::move(identity));
  parts_->named = true;
}

// --- Marks
// -----------------------------------------------------------------------------------------------------

const QueryPair* WebGpuTimer::take_pair(const Scope& scope) noexcept {
  std::uint32_t interval = 0;
  if (!resolve_scope(scope, interval) || parts_->clock != Parts::Clock::timestamps) return nullptr;
  Parts& parts = *parts_;
  Frame& frame = *open_frame();
  parts.has_writes[interval] = 1;
  QueryPages::Refusal refusal;
  const QueryPair* pair = parts.pages.take(refusal);
  if (pair != nullptr) {
    parts.frames[frame.slot].pair_interval.push_back(interval);
    return pair;
  }
  if (open_frame() == nullptr) return nullptr;  // lost while a set was made
  frame.intervals[interval].verdict = Verdict::no_free_slot;
  if (refusal == QueryPages::Refusal::cap_reached) {
    diagnostics().raise(
        Diagnostic::too_many_scopes,
        "More timed passes in a frame than TimerConfig::max_scopes_per_frame; the rest is not measured.");
  } else {
    diagnostics().raise(Diagnostic::feature_refused, "The device refused another timestamp query set.");
  }
  return nullptr;
}

const PassTimestampWrites* WebGpuTimer::writes(const Scope& scope) noexcept {
  const QueryPair* pair = take_pair(scope);
  return pair != nullptr ? &pair->render : nullptr;
}

const ComputePassTimestampWrites* WebGpuTimer::compute_writes(const Scope& scope) noexcept {
  const QueryPair* pair = take_pair(scope);
  return pair != nullptr ? &pair->compute : nullptr;
}

void WebGpuTimer::resolve(WGPUCommandEncoder encoder) noexcept {
  Frame* frame = open_frame();
  if (frame == nullptr || encoder == nullptr || parts_->clock != Parts::Clock::timestamps) return;
  if (parts_->pages.used() == 0) return;
  if (!parts_->encode_resolve(encoder, parts_->frames[frame->slot]) && parts_->has_timestamps()) {
    diagnostics().raise(Diagnostic::driver_error, "The device refused a buffer to resolve timestamps into.");
  }
}

bool WebGpuTimer::on_begin_frame(Frame& frame) noexcept {
  Parts& parts = *parts_;
  if (parts.clock == Parts::Clock::work_done) return true;
  if (!parts.ring.has_free()) return false;
  parts.pages.begin_frame();
  if (const QueryPages::Move move = parts.pages.take_move(); move.by != 0) parts.move = move;
  Parts::FrameMarks& marks = parts.frames[frame.slot];
  marks.pair_interval.clear();
  marks.buffer = ReadbackRing::none;
  marks.resolved = 0;
  marks.layout = {};
  return true;
}

bool WebGpuTimer::on_open(Frame&, std::uint32_t interval) noexcept {
  parts_->has_writes[interval] = 0;
  return true;
}

void WebGpuTimer::on_close(Frame& frame, std::uint32_t interval) noexcept {
  if (parts_->clock != Parts::Clock::timestamps) return;
  if (parts_->has_writes[interval] == 0) {
    diagnostics().raise(
        Diagnostic::scope_without_pass,
        "A scope was closed whose writes() nobody asked for: there is nothing to measure in it.");
    return;
  }
  const std::uint32_t parent = frame.intervals[interval].parent;
  if (parent != Interval::no_parent) parts_->has_writes[parent] = 1;
}

// --- Results
// ---------------------------------------------------------------------------------------------------

bool WebGpuTimer::on_end_frame(Frame& frame) noexcept {
  Parts& parts = *parts_;
  Parts::FrameMarks& marks = parts.frames[frame.slot];
  if (parts.clock == Parts::Clock::none) return false;  // refused in the middle of the frame
  if (parts.clock == Parts::Clock::work_done) {
    marks.waits_for_work_done = parts.work_done.ask(parts.queue.get(), parts.pumped());
    if (!marks.waits_for_work_done) deliver_rejected(frame, Verdict::unwritten);
    return true;
  }
  if (parts.pages.used() == 0) {
    deliver_rejected(frame, Verdict::unwritten);
    return true;
  }
  const bool resolved = marks.resolved == parts.pages.used() || parts.submit_resolve(marks);
  if (!parts.has_timestamps()) return false;  // lost meanwhile: the frame is counted, the ring is gone
  if (resolved && parts.ring.request(marks.buffer, marks.layout.bytes(), parts.pumped())) return true;
  diagnostics().raise(Diagnostic::driver_error,
                      "The device refused to resolve or copy a frame's timestamps.");
  if (marks.buffer != ReadbackRing::none) parts.ring.discard(marks.buffer);
  return false;
}

void WebGpuTimer::on_collect() noexcept {
  parts_->pump();
  for_each_in_flight([this](Frame& frame) {
    if (parts_->clock == Parts::Clock::work_done) {
      collect_work_done(frame);
    } else {
      collect_stamps(frame);
    }
  });
}

void WebGpuTimer::collect_work_done(Frame& frame) noexcept {
  const std::int64_t now = cpu_clock().now();
  const WorkDoneClock::Answer answer = parts_->work_done.look(now);
  set_resolution_ns(parts_->work_done.resolution_ns());
  if (answer == WorkDoneClock::Answer::pending) return;
  if (answer == WorkDoneClock::Answer::done) {
    frame.busy_ns = static_cast<double>(now - frame.cpu_begin_ns);
  } else {
    diagnostics().raise(Diagnostic::driver_error, "wgpuQueueOnSubmittedWorkDone answered with an error.");
  }
  deliver_rejected(frame, Verdict::unwritten);
}

void WebGpuTimer::collect_stamps(Frame& frame) noexcept {
  ReadbackRing& ring = parts_->ring;
  const Parts::FrameMarks& marks = parts_->frames[frame.slot];
  switch (ring.answer(marks.buffer)) {
    case ReadbackRing::Answer::pending:
      return;
    case ReadbackRing::Answer::aborted:
      // Nobody else unmaps or destroys these buffers, so it is the device that went.
      notify_lost();
      return;
    case ReadbackRing::Answer::failed:
      diagnostics().raise(Diagnostic::driver_error, "Mapping a frame's timestamps failed.");
      recycle_and_reject(frame);
      return;
    case ReadbackRing::Answer::mapped:
      break;
  }
  const std::span<const std::uint64_t> stamps =
      ring.stamps(marks.buffer, static_cast<std::size_t>(marks.layout.bytes() / sizeof(std::uint64_t)));
  if (!parts_->has_timestamps()) return;  // lost in that call
  if (stamps.empty()) {
    diagnostics().raise(Diagnostic::driver_error, "The mapped timestamps can't be read.");
    recycle_and_reject(frame);
    return;
  }
  read_stamps(frame, stamps);
  ring.recycle(marks.buffer);
  if (parts_->has_timestamps()) deliver(frame);
}

void WebGpuTimer::recycle_and_reject(Frame& frame) noexcept {
  parts_->ring.discard(parts_->frames[frame.slot].buffer);
  // Unmapping may call the application back: with the device lost, the frame is counted already.
  if (parts_->has_timestamps()) deliver_rejected(frame, Verdict::driver_error);
}

void WebGpuTimer::read_stamps(Frame& frame, std::span<const std::uint64_t> stamps) noexcept {
  Parts& parts = *parts_;
  const Parts::FrameMarks& marks = parts.frames[frame.slot];
  const Parts::Layout& layout = marks.layout;
  const std::size_t own = std::size_t{layout.half} * layout.stride * 2;
  const std::size_t before = std::size_t{1 - layout.half} * layout.stride * 2;
  const std::span<const std::uint64_t> all = stamps;
  stamps = all.subspan(own, marks.pair_interval.size() * 2);
  if (parts.ring.unchanged(marks.buffer, all.subspan(own, std::size_t{layout.pairs} * 2),
                           all.subspan(before, std::size_t{layout.pairs} * 2), layout.half)) {
    for (Interval& interval : frame.intervals) interval.verdict = Verdict::unwritten;
    return;
  }
  const QueryHistory history{frame.number, all.subspan(before, std::size_t{layout.pairs} * 2),
                             layout.move.first, layout.move.by};
  parts.times.fill(frame.intervals, marks.pair_interval, stamps, history, parts.rule, cpu_clock().now());
  for (std::size_t pair = 0; pair < marks.pair_interval.size(); ++pair) {
    if (frame.intervals[marks.pair_interval[pair]].verdict != Verdict::accepted) continue;
    note_quantum(stamps[pair * 2]);
    note_quantum(stamps[pair * 2 + 1]);
  }
}

void WebGpuTimer::on_abandon(Frame& frame) noexcept {
  if (parts_->clock == Parts::Clock::work_done) {
    parts_->work_done.forget();
  } else if (parts_->frames[frame.slot].buffer != ReadbackRing::none) {
    parts_->ring.discard(parts_->frames[frame.slot].buffer);
  }
}

// --- Loss
// ------------------------------------------------------------------------------------------------------

bool WebGpuTimer::give_up_refused() noexcept {
  diagnostics().raise(Diagnostic::feature_refused, reason_refused);
  parts_->drop_device_objects();
  for_each_in_flight([this](Frame& frame) { deliver_rejected(frame, Verdict::driver_error); });
  set_source(Source::none, reason_refused, 0);
  return false;
}

/// The device was lost, and that was said, while it was being taken into use.
bool WebGpuTimer::give_up_lost() noexcept {
  parts_->drop_device_objects();
  return false;
}

bool WebGpuTimer::on_check_lost() noexcept {
  if (parts_->watch.refused()) give_up_refused();
  const WebGpuOptions& options = parts_->options;
  return options.device_lost != nullptr && options.device_lost(options.device_lost_user);
}

void WebGpuTimer::on_lost() noexcept { parts_->drop_device_objects(); }

bool WebGpuTimer::on_restore() noexcept { return start(); }

bool WebGpuTimer::restore(WGPUDevice device) noexcept {
  if (state() != State::lost) notify_lost();
  if (device != nullptr) dialect::add_ref(device);
  parts_->device.reset(device);
  return GpuTimer::restore();
}

}  // namespace passmeter::webgpu
