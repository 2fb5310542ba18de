#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "passmeter/gpu_timer.h"
#include "passmeter/median.h"
#include "passmeter/webgpu/dialect.h"

namespace passmeter::webgpu {

struct QueryPair;

/// What a WebGpuTimer can be told beside the TimerConfig.
struct WebGpuOptions {
  /// The instance whose callbacks this timer pumps (wgpuInstanceProcessEvents) in end_frame() and poll().
  /// nullptr: found from the device where the implementation can tell (Dawn); else callbacks come whenever
  /// the implementation likes (mode AllowSpontaneous), as they do in browsers.
  WGPUInstance instance = nullptr;
  /// Only for names in the report, where the device can't be asked for them (Emscripten's older header).
  /// Asked when the timer is made, not held.
  WGPUAdapter adapter = nullptr;
  /// Nanoseconds per tick of the resolved stamps, above 0. The standard says 1; implementations that hand out
  /// raw ticks need their timestamp period here.
  double ns_per_tick = 1.0;
  /// On a device without timestamp-query: estimate the frame's time from wgpuQueueOnSubmittedWorkDone, one
  /// request in flight at a time (source fence, passes unknown). Off: source none.
  bool work_done_fallback = true;
  /// Asked once per end_frame(): has the device been lost? For a flag set in the device-lost callback. Any
  /// thread may have set it; it is read here on the timer's. nullptr: only notify_lost() and aborted maps
  /// tell.
  bool (*device_lost)(void* user) = nullptr;
  void* device_lost_user = nullptr;
};

/// Adds timestamp-query to the features to require of a device, if the adapter has it and the list hasn't
/// yet. Whether it is in the list now. Call before wgpuAdapterRequestDevice: without the feature a device has
/// no timestamps, and requiring one that the adapter lacks fails the request. Rests on WebGPU,
/// "timestamp-query". Does not block.
bool add_timestamp_feature(WGPUAdapter adapter, std::vector<WGPUFeatureName>& required);

/// Times passes with WebGPU timestamp queries (WebGPU, "Timestamp Query"): each pass writes a stamp at its
/// begin and its end, end_frame() resolves them into a buffer and maps it, and some frames later the values
/// are there.
///
/// Per frame: one resolve per 4096 queries, one copy, one submit (none with resolve()), one map. Frames are
/// in flight up to TimerConfig::frames_in_flight (default 4); then new ones are skipped and counted.
///
/// The device and its queue are held (one reference each) until destruction or restore(). All functions on
/// one thread, the one that records commands; the implementation may deliver callbacks on any. Nothing blocks
/// but measure_median().
class WebGpuTimer final : public GpuTimer {
 public:
  /// A null device, or one without timestamp-query, gives a timer that says so (source(), reason()) and whose
  /// calls cost nothing.
  explicit WebGpuTimer(TimerConfig config, WGPUDevice device, const WebGpuOptions& options = {});
  ~WebGpuTimer() override;

  /// What to put into WGPURenderPassDescriptor::timestampWrites for a pass inside this scope; valid until the
  /// end of the frame. nullptr when nothing is measured (off, unsupported, lost, inactive or closed scope):
  /// the call site stays the same.
  ///
  /// Each call takes a pair of queries of its own, so call it once per render pass, and use what it returns:
  /// a pass that is never recorded counts as unwritten. Several passes in one scope add up. A scope that has
  /// none of its own takes the time from its children's first begin to their last end.
  ///
  /// A frame has TimerConfig::max_scopes_per_frame pairs; more are refused (Diagnostic::too_many_scopes,
  /// Verdict::no_free_slot).
  const PassTimestampWrites* writes(const Scope& scope) noexcept;
  /// The same for WGPUComputePassDescriptor::timestampWrites.
  const ComputePassTimestampWrites* compute_writes(const Scope& scope) noexcept;

  /// Optional: adds the frame's resolve and copy to your encoder, after its last timed pass, and saves the
  /// encoder and the submit that end_frame() makes otherwise. Submit the encoder before end_frame(): what is
  /// dropped is unwritten. With passes after it, end_frame() does its own as well.
  void resolve(WGPUCommandEncoder encoder) noexcept;

  /// Starts again on another device after a loss (or, without one, moves over: what is in flight is counted
  /// as lost). The statistics go on. True if it measures.
  bool restore(WGPUDevice device) noexcept;
  using GpuTimer::restore;

  /// Measures a piece of work `runs` times, waiting for each, and answers the median: the truth to compare
  /// with, not something for a frame. `work(writes)` records one render pass with these writes and submits
  /// it. Waits by pumping the instance, so it needs one (see WebGpuOptions::instance) and can't work in a
  /// browser; then, or without timestamps, or inside a frame, the result is not valid. A run that takes over
  /// 10 s is rejected. Allocates.
  template <class Work>
  MedianResult measure_median(std::uint32_t runs, Work&& work) {
    return measure_median_of(runs, [&] { work(median_writes()); });
  }

 protected:
  bool on_begin_frame(Frame& frame) noexcept override;
  bool on_open(Frame& frame, std::uint32_t interval) noexcept override;
  void on_close(Frame& frame, std::uint32_t interval) noexcept override;
  bool on_end_frame(Frame& frame) noexcept override;
  void on_collect() noexcept override;
  void on_abandon(Frame& frame) noexcept override;
  void on_lost() noexcept override;
  bool on_restore() noexcept override;
  bool on_check_lost() noexcept override;

 private:
  struct Parts;

  bool start() noexcept;
  bool start_timestamps() noexcept;
  void name_adapter();
  bool give_up_refused() noexcept;
  bool give_up_lost() noexcept;
  const QueryPair* take_pair(const Scope& scope) noexcept;
  void collect_stamps(Frame& frame) noexcept;
  void recycle_and_reject(Frame& frame) noexcept;
  void collect_work_done(Frame& frame) noexcept;
  void read_stamps(Frame& frame, std::span<const std::uint64_t> stamps) noexcept;
  MedianResult measure_median_of(std::uint32_t runs, FunctionRef work);
  const PassTimestampWrites* median_writes() const noexcept;

  std::unique_ptr<Parts> parts_;
};

}  // namespace passmeter::webgpu
