#include "bare_webgpu.h"

namespace passmeter::bench {
namespace {

WGPUBuffer make_buffer(WGPUDevice device, std::uint64_t size, WGPUBufferUsage usage) {
  WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
  descriptor.size = size;
  descriptor.usage = usage;
  return wgpuDeviceCreateBuffer(device, &descriptor);
}

}  // namespace

BareWebGpu::BareWebGpu(testing::DawnDevice& device) : device_(device) {
  WGPUQuerySetDescriptor set = WGPU_QUERY_SET_DESCRIPTOR_INIT;
  set.type = WGPUQueryType_Timestamp;
  set.count = stamps;
  set_ = wgpuDeviceCreateQuerySet(device_.device(), &set);
  resolve_ = make_buffer(device_.device(), bytes, WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc);
  for (Slot& slot : slots_)
    slot.buffer = make_buffer(device_.device(), bytes, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst);
}

BareWebGpu::~BareWebGpu() {
  device_.finish();
  for (Slot& slot : slots_) wgpuBufferRelease(slot.buffer);
  wgpuBufferRelease(resolve_);
  wgpuQuerySetRelease(set_);
}

void BareWebGpu::frame() {
  Slot& slot = slots_[frames_ % depth];
  ++frames_;
  const bool free = slot.state == Slot::State::free;
  record(free ? slot.buffer : nullptr);
  if (free) map(slot);
  wgpuInstanceProcessEvents(device_.instance());
  for (Slot& each : slots_)
    if (each.state == Slot::State::mapped) read(each);
}

void BareWebGpu::record(WGPUBuffer target) {
  WGPUCommandEncoder encoder = device_.encoder();
  for (std::uint32_t pass = 0; pass < passes_per_frame; ++pass) {
    WGPUPassTimestampWrites writes = WGPU_PASS_TIMESTAMP_WRITES_INIT;
    writes.querySet = set_;
    writes.beginningOfPassWriteIndex = 2 * pass;
    writes.endOfPassWriteIndex = 2 * pass + 1;
    device_.compute_pass(encoder, target != nullptr ? &writes : nullptr, 0);
  }
  if (target != nullptr) {
    wgpuCommandEncoderResolveQuerySet(encoder, set_, 0, stamps, resolve_, 0);
    wgpuCommandEncoderCopyBufferToBuffer(encoder, resolve_, 0, target, 0, bytes);
  }
  device_.submit(encoder);
}

void BareWebGpu::map(Slot& slot) {
  slot.state = Slot::State::in_flight;
  WGPUBufferMapCallbackInfo info = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
  info.mode = WGPUCallbackMode_AllowProcessEvents;
  info.userdata1 = &slot;
  info.callback = [](WGPUMapAsyncStatus status, WGPUStringView, void* user, void*) {
    if (status == WGPUMapAsyncStatus_Success) static_cast<Slot*>(user)->state = Slot::State::mapped;
  };
  wgpuBufferMapAsync(slot.buffer, WGPUMapMode_Read, 0, bytes, info);
}

void BareWebGpu::read(Slot& slot) {
  const auto* values =
      static_cast<const std::uint64_t*>(wgpuBufferGetConstMappedRange(slot.buffer, 0, bytes));
  for (std::uint32_t pass = 0; pass < passes_per_frame; ++pass)
    last_ns_[pass] = static_cast<double>(values[2 * pass + 1] - values[2 * pass]);
  benchmark::DoNotOptimize(last_ns_);
  wgpuBufferUnmap(slot.buffer);
  slot.state = Slot::State::free;
  ++frames_read_;
}

}  // namespace passmeter::bench
