// A webgpu.h implementation for tests, put in place of the real one by linking. It runs submitted commands at
// once, keeps the results back as told, misbehaves on request, and checks how it is used. One at a time;
// reset() between tests.
//
// What WebGPU would call a validation error of the caller is a violation here. Errors that follow from an
// injected fault are not.
#pragma once

#include <webgpu/webgpu.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace passmeter::testing {

enum class FakeCall : std::uint8_t {
  process_events,
  adapter_has_feature,
  adapter_get_instance,
  get_adapter,
  get_adapter_info,
  get_queue,
  device_has_feature,
  create_query_set,
  create_buffer,
  create_encoder,
  resolve_query_set,
  copy_buffer,
  finish,
  submit,
  work_done,
  map_async,
  get_mapped_range,
  unmap,
  push_error_scope,
  pop_error_scope,
  count_,
};

enum class FakeKind : std::uint8_t {
  instance,
  adapter,
  device,
  queue,
  query_set,
  buffer,
  encoder,
  commands,
  count_
};

// How the fake behaves. Set the members at any time.
struct FakeScript {
  // Callbacks.
  bool hold = false;        // none is delivered until this is false again
  bool drop = false;        // those due are swallowed (until reset(), which cancels them)
  bool reorder = false;     // the latest first
  unsigned map_delay = 0;   // pumps before a map is answered
  unsigned work_delay = 0;  // pumps before work is done
  bool success_after_unmap =
      false;                  // a broken driver: a cancelled or lost map says success, when delivered at all
  bool keep_on_loss = false;  // a broken driver: the loss answers no pending callback

  // Stamps, as they are written.
  std::uint64_t quantum = 1;
  bool zero_stamps = false;
  std::uint64_t stamp_mask = ~std::uint64_t{0};
  bool unwritten_is_stale =
      true;  // a query never written in this frame keeps its value (false: resolves to 0)

  // Faults. The n-th counted call from arm() on; 0: none.
  bool null_on_failure = false;  // a refused object is null instead of invalid
  bool refuse_query_sets = false;
  bool refuse_buffers = false;
  unsigned fail_next_maps = 0;

  // What the application does when the implementation calls it back from inside a call: see call_back_at().
  std::function<void()> called_back = {};
};

struct FakeEncoder;
struct FakeState;

class FakeWebGpu {
 public:
  static FakeWebGpu& get();

  // Everything anew. Answers what is pending with "cancelled" first.
  void reset();

  FakeScript script;

  // Devices and the one adapter and instance; owned by the fake.
  WGPUInstance instance();
  WGPUAdapter adapter();
  WGPUDevice device(bool timestamps = true);  // a new one each time
  void adapter_has_timestamps(bool yes);

  // What the application does, not counted as calls: an encoder, a pass with stamps, a submit.
  WGPUCommandEncoder encoder(WGPUDevice device);
  void pass(WGPUCommandEncoder encoder, const WGPUPassTimestampWrites* writes, std::uint64_t begin,
            std::uint64_t end);
  void submit(WGPUCommandEncoder encoder);
  void drop(WGPUCommandEncoder encoder);  // released without being submitted

  // Delivers what is due, as wgpuInstanceProcessEvents does or as an implementation does of its own accord.
  void pump();
  // The device is gone: pending callbacks are answered, later requests too.
  void lose(WGPUDevice device);
  void lose_all();

  // Makes the n-th counted call from now fail, or lose all devices. 1: the next.
  void fail_at(std::uint64_t call);
  void lose_at(std::uint64_t call);
  // Calls script.called_back at the end of the n-th counted call from now.
  void call_back_at(std::uint64_t call);
  std::uint64_t calls_since_armed() const;
  bool fault_happened() const;

  std::uint64_t calls(FakeCall call) const;
  std::uint64_t all_calls() const;
  // Objects that somebody holds a reference to, the fake's own aside.
  std::size_t live(FakeKind kind) const;
  std::size_t live_device_objects() const;  // query sets, buffers, encoders, command buffers
  std::size_t pending_callbacks() const;
  std::size_t dropped_callbacks() const;

  std::vector<std::string> violations() const;
  // Errors nobody caught in an error scope: what the application's error callback would have got.
  std::size_t uncaptured_errors() const;

  FakeState& state() { return *state_; }

 private:
  FakeWebGpu();
  ~FakeWebGpu();
  std::unique_ptr<FakeState> state_;
};

}  // namespace passmeter::testing
