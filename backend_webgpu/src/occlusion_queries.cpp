#include "passmeter/webgpu/occlusion_queries.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "helper_device.h"
#include "readback_ring.h"

namespace passmeter::webgpu {

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

// --- Life
// -----------------------------------------------------------------------------------------------------

struct OcclusionQueries::Impl {
  /// A frame's tests: query n is about tested[n].
  struct Tests {
    std::vector<std::uint32_t> tested;
    std::uint64_t frame = 0;
    std::uint32_t buffer = ReadbackRing::none;
  };

  Impl(VisibilityConfig config, const HelperOptions& options, std::uint32_t queries)
      : device(options), objects(std::move(config)) {
    cap = std::min(queries == 0 ? objects.objects() : queries, most_queries);
    frames.resize(device.frames_in_flight());
    for (Tests& tests : frames) tests.tested.reserve(cap);
    in_flight.resize(frames.size());
  }

  bool start(WGPUDevice with) noexcept;
  void make_device_objects() noexcept;
  void drop_device_objects() noexcept;
  void give_up_refused() noexcept;
  void collect() noexcept;
  bool collect_oldest() noexcept;
  void reject_oldest(Verdict verdict) noexcept;
  void remove_oldest() noexcept;
  bool take_frame() noexcept;
  bool ask_for_answers(Tests& tests) noexcept;
  void lose() noexcept;

  HelperDevice device;
  Visibility objects;
  std::uint32_t cap = 0;
  QuerySetHandle set;
  BufferHandle resolved;
  ReadbackRing ring;
  std::vector<Tests> frames;
  std::vector<std::uint32_t> in_flight;  // places in frames, oldest first
  std::uint32_t in_flight_used = 0;
  Tests* open = nullptr;                 // the open frame's
  WGPURenderPassEncoder pass = nullptr;  // of the open test
  bool set_asked = false;
  State state = State::unavailable;
  std::string reason;
};

bool OcclusionQueries::Impl::start(WGPUDevice with) noexcept {
  state = State::unavailable;
  if (!device.use(with)) {
    reason = "No WebGPU device was given: every object counts as visible.";
    return false;
  }
  if (cap == 0) {
    reason = "There are no objects to test.";
    return false;
  }
  make_device_objects();
  if (state == State::lost) {  // said while they were made
    drop_device_objects();
    return false;
  }
  if (!set || !resolved) {
    give_up_refused();
    return false;
  }
  ring.create(with, static_cast<std::uint32_t>(frames.size()), &device.watch());
  state = State::measuring;
  reason = "Objects are tested with a set of " + std::to_string(cap) + " occlusion queries.";
  return true;
}

void OcclusionQueries::Impl::make_device_objects() noexcept {
  const ErrorWatch::Guard guard(&device.watch());
  if (state == State::lost) return;
  WGPUQuerySetDescriptor queries = {};
  queries.label = dialect::label("passmeter occlusion");
  queries.type = WGPUQueryType_Occlusion;
  queries.count = cap;
  set.reset(wgpuDeviceCreateQuerySet(device.get(), &queries));
  if (state == State::lost) return;
  WGPUBufferDescriptor buffer = {};
  buffer.label = dialect::label("passmeter occlusion");
  buffer.usage = static_cast<decltype(buffer.usage)>(WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc);
  buffer.size = cap * sizeof(std::uint64_t);
  resolved.reset(wgpuDeviceCreateBuffer(device.get(), &buffer));
}

void OcclusionQueries::Impl::give_up_refused() noexcept {
  while (in_flight_used > 0) reject_oldest(Verdict::driver_error);
  drop_device_objects();
  objects.forget_all();
  state = State::unavailable;
  reason = "The device refused to create an occlusion query set or a buffer: every object counts as visible.";
  objects.diagnostics().raise(Diagnostic::feature_refused, reason.c_str());
}

void OcclusionQueries::Impl::drop_device_objects() noexcept {
  ring.clear();
  resolved.reset();
  set.reset();
  device.drop();
}

OcclusionQueries::OcclusionQueries(VisibilityConfig config, WGPUDevice device, const HelperOptions& options,
                                   std::uint32_t max_queries)
    : impl_(std::make_unique<Impl>(std::move(config), options, max_queries)) {
  if (max_queries > most_queries) {
    impl_->objects.diagnostics().raise(Diagnostic::bad_config,
                                       "A query set has at most 4096 queries; 4096 are used.");
  }
  impl_->start(device);
}

OcclusionQueries::~OcclusionQueries() = default;

void OcclusionQueries::Impl::lose() noexcept {
  if (state == State::lost) return;
  state = State::lost;  // first: letting go of the device may call the application back, and it us
  in_flight_used = 0;
  open = nullptr;
  pass = nullptr;
  set_asked = false;
  drop_device_objects();
  objects.lose();
  reason = "The device was lost: every object counts as visible until restore().";
  objects.diagnostics().raise(Diagnostic::lost, "The device was lost; what was in flight is rejected.");
}

void OcclusionQueries::notify_lost() noexcept { impl_->lose(); }

bool OcclusionQueries::restore(WGPUDevice device) noexcept {
  if (impl_->state == State::measuring) impl_->lose();
  return impl_->start(device);
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
  impl.objects.begin_frame();
  impl.set_asked = false;
  if (impl.state != State::measuring) return;
  if (impl.device.lost()) return impl.lose();
  impl.device.pump();
  if (impl.device.watch().refused()) return impl.give_up_refused();
  impl.collect();
  if (impl.state == State::measuring) impl.objects.offer(impl.take_frame() ? impl.cap : 0);
}

// A place among the frames and a buffer of the ring: there are as many of the one as of the other.
bool OcclusionQueries::Impl::take_frame() noexcept {
  open = nullptr;
  if (in_flight_used == frames.size() || !ring.has_free()) return false;
  for (Tests& tests : frames) {
    const auto place = static_cast<std::uint32_t>(&tests - frames.data());
    if (std::find(in_flight.begin(), in_flight.begin() + static_cast<std::ptrdiff_t>(in_flight_used),
                  place) != in_flight.begin() + static_cast<std::ptrdiff_t>(in_flight_used)) {
      continue;
    }
    open = &tests;
    tests.tested.clear();
    tests.frame = objects.frame();
    tests.buffer = ReadbackRing::none;
    return true;
  }
  return false;
}

void OcclusionQueries::end_frame() noexcept {
  Impl& impl = *impl_;
  const bool left_open = std::exchange(impl.pass, nullptr) != nullptr;
  if (left_open) {
    // Its pass is over: ending the query in it now would be an error. The pass's own end has made it invalid.
    impl.objects.diagnostics().raise(Diagnostic::scope_left_open,
                                     "A test was still open at end_frame(); end it inside its pass.");
  }
  impl.objects.end_frame();
  Impl::Tests* tests = std::exchange(impl.open, nullptr);
  if (tests == nullptr || tests->tested.empty() || impl.state != State::measuring) return;
  impl.in_flight[impl.in_flight_used++] = static_cast<std::uint32_t>(tests - impl.frames.data());
  // A pass that ended inside a test was not submitted, so the set holds the answers of another frame.
  if (left_open || impl.ask_for_answers(*tests) || impl.state != State::measuring) return;
  impl.objects.diagnostics().raise(Diagnostic::driver_error,
                                   "The device refused to resolve or copy a frame's occlusion queries.");
  if (tests->buffer != ReadbackRing::none) impl.ring.recycle(tests->buffer);
  tests->buffer = ReadbackRing::none;
}

bool OcclusionQueries::Impl::ask_for_answers(Tests& tests) noexcept {
  const auto count = static_cast<std::uint32_t>(tests.tested.size());
  const std::uint64_t bytes = count * sizeof(std::uint64_t);
  tests.buffer = ring.acquire(cap * sizeof(std::uint64_t));
  EncoderHandle encoder = device.encoder();
  if (tests.buffer == ReadbackRing::none || !encoder || state != State::measuring) return false;
  wgpuCommandEncoderResolveQuerySet(encoder.get(), set.get(), 0, count, resolved.get(), 0);
  if (state != State::measuring) return false;
  wgpuCommandEncoderCopyBufferToBuffer(encoder.get(), resolved.get(), 0, ring.buffer(tests.buffer), 0, bytes);
  return device.submit(std::move(encoder)) && ring.request(tests.buffer, bytes, device.pumped());
}

void OcclusionQueries::Impl::collect() noexcept {
  while (state == State::measuring && in_flight_used > 0 && collect_oldest()) {
  }
}

void OcclusionQueries::Impl::remove_oldest() noexcept {
  std::copy(in_flight.begin() + 1, in_flight.begin() + static_cast<std::ptrdiff_t>(in_flight_used),
            in_flight.begin());
  --in_flight_used;
}

void OcclusionQueries::Impl::reject_oldest(Verdict verdict) noexcept {
  Tests& tests = frames[in_flight[0]];
  for (const std::uint32_t object : tests.tested) objects.reject(object, tests.frame, verdict);
  if (tests.buffer != ReadbackRing::none) ring.recycle(tests.buffer);
  if (in_flight_used > 0) remove_oldest();  // none are left if the device was lost in that call
}

/// False: the oldest frame is still pending.
bool OcclusionQueries::Impl::collect_oldest() noexcept {
  const Tests& tests = frames[in_flight[0]];
  if (tests.buffer == ReadbackRing::none) {
    reject_oldest(Verdict::driver_error);
    return true;
  }
  switch (ring.answer(tests.buffer)) {
    case ReadbackRing::Answer::pending:
      if (objects.frame() - tests.frame <= objects.config().late_after_frames) return false;
      reject_oldest(Verdict::late);
      return true;
    case ReadbackRing::Answer::aborted:
      // Nobody else unmaps or destroys these buffers, so it is the device that went.
      lose();
      return false;
    case ReadbackRing::Answer::mapped:
      break;
    case ReadbackRing::Answer::failed:
      objects.diagnostics().raise(Diagnostic::driver_error, "Mapping a frame's occlusion answers failed.");
      reject_oldest(Verdict::driver_error);
      return true;
  }
  const std::span<const std::uint64_t> samples = ring.stamps(tests.buffer, tests.tested.size());
  if (state != State::measuring) return false;  // lost in that call
  if (samples.empty()) {
    objects.diagnostics().raise(Diagnostic::driver_error, "The mapped occlusion answers can't be read.");
    reject_oldest(Verdict::driver_error);
    return true;
  }
  for (std::size_t i = 0; i < samples.size(); ++i) objects.answer(tests.tested[i], tests.frame, samples[i]);
  ring.recycle(tests.buffer);
  if (state != State::measuring) return false;
  remove_oldest();
  return true;
}

// --- Tests
// ----------------------------------------------------------------------------------------------------

WGPUQuerySet OcclusionQueries::query_set() noexcept {
  if (impl_->state != State::measuring) return nullptr;
  impl_->set_asked = true;
  return impl_->set.get();
}

bool OcclusionQueries::begin(WGPURenderPassEncoder pass, std::uint32_t object) noexcept {
  Impl& impl = *impl_;
  if (impl.state != State::measuring) return false;
  Diagnostics& diagnostics = impl.objects.diagnostics();
  if (impl.pass != nullptr) {
    diagnostics.raise(Diagnostic::query_begun_twice,
                      "A test is begun inside another one; only one can be open: it is refused.");
    return false;
  }
  if (impl.objects.frame_open() && (pass == nullptr || !impl.set_asked)) {
    diagnostics.raise(
        Diagnostic::pass_without_set,
        "A test is begun in a pass that cannot have the query set, since nobody asked for query_set() "
        "in this frame: it is refused.");
    return false;
  }
  if (impl.objects.ask(object) != Ask::test) return false;
  wgpuRenderPassEncoderBeginOcclusionQuery(pass, static_cast<std::uint32_t>(impl.open->tested.size()));
  impl.open->tested.push_back(object);
  impl.pass = pass;
  return true;
}

void OcclusionQueries::end() noexcept {
  if (impl_->pass == nullptr) {
    if (impl_->state == State::lost) return;  // a device lost inside a test took it along
    impl_->objects.diagnostics().raise(Diagnostic::end_without_begin,
                                       "end() without an open test does nothing.");
    return;
  }
  wgpuRenderPassEncoderEndOcclusionQuery(std::exchange(impl_->pass, nullptr));
}

OcclusionScope OcclusionQueries::test(WGPURenderPassEncoder pass, std::uint32_t object) noexcept {
  return begin(pass, object) ? OcclusionScope(this) : OcclusionScope();
}

// --- What is known
// --------------------------------------------------------------------------------------------

bool OcclusionQueries::visible(std::uint32_t object) const noexcept { return impl_->objects.visible(object); }
std::uint32_t OcclusionQueries::age(std::uint32_t object) const noexcept {
  return impl_->objects.age(object);
}
void OcclusionQueries::forget(std::uint32_t object) noexcept { impl_->objects.forget(object); }
void OcclusionQueries::forget_all() noexcept { impl_->objects.forget_all(); }
State OcclusionQueries::state() const noexcept { return impl_->state; }
const char* OcclusionQueries::reason() const noexcept { return impl_->reason.c_str(); }
const Visibility& OcclusionQueries::objects() const noexcept { return impl_->objects; }
void OcclusionQueries::append_to(Report& report) const { impl_->objects.append_to(report); }
void OcclusionQueries::reset_statistics() noexcept { impl_->objects.reset_statistics(); }

}  // namespace passmeter::webgpu
