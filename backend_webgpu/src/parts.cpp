#include "parts.h"

namespace passmeter::webgpu {

bool WebGpuTimer::Parts::room_to_resolve() noexcept {
  const std::uint64_t bytes = pages.capacity_bytes();
  if (resolved && resolved_bytes >= bytes) return true;
  WGPUBufferDescriptor descriptor = {};
  descriptor.label = dialect::label("passmeter resolve");
  descriptor.usage =
      static_cast<decltype(descriptor.usage)>(WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc);
  descriptor.size = bytes;
  BufferHandle made;
  {
    const ErrorWatch::Guard guard(&watch);
    made.reset(wgpuDeviceCreateBuffer(device.get(), &descriptor));
  }
  if (!has_timestamps()) return false;
  resolved = std::move(made);
  resolved_bytes = resolved ? bytes : 0;
  return static_cast<bool>(resolved);
}

bool WebGpuTimer::Parts::room_to_read(FrameMarks& frame) noexcept {
  if (frame.buffer == ReadbackRing::none) {
    frame.buffer = ring.acquire(resolved_bytes);
    return frame.buffer != ReadbackRing::none;
  }
  // The frame has outgrown the buffer that it took for an earlier resolve().
  return ring.holds(frame.buffer, resolved_bytes) || ring.enlarge(frame.buffer, resolved_bytes);
}

bool WebGpuTimer::Parts::encode_resolve(WGPUCommandEncoder encoder, FrameMarks& frame) noexcept {
  if (!room_to_resolve() || !room_to_read(frame) || !has_timestamps()) return false;
  pages.resolve(encoder, resolved.get());
  if (!has_timestamps()) return false;
  wgpuCommandEncoderCopyBufferToBuffer(encoder, resolved.get(), 0, ring.buffer(frame.buffer), 0,
                                       pages.used() * QueryPages::bytes_per_pair);
  frame.resolved = pages.used();
  return true;
}

bool WebGpuTimer::Parts::submit_resolve(FrameMarks& frame) noexcept {
  WGPUCommandEncoderDescriptor descriptor = {};
  descriptor.label = dialect::label("passmeter resolve");
  const EncoderHandle encoder(wgpuDeviceCreateCommandEncoder(device.get(), &descriptor));
  if (!encoder || !has_timestamps() || !encode_resolve(encoder.get(), frame)) return false;
  const CommandsHandle commands(wgpuCommandEncoderFinish(encoder.get(), nullptr));
  if (!commands || !has_timestamps()) return false;
  const WGPUCommandBuffer list = commands.get();
  wgpuQueueSubmit(queue.get(), 1, &list);
  return has_timestamps();
}

void WebGpuTimer::Parts::drop_device_objects() noexcept {
  work_done.forget();
  watch.forget();
  ring.clear();
  resolved.reset();
  resolved_bytes = 0;
  pages.clear();
  queue.reset();
  instance.reset();
  clock = Clock::none;
}

}  // namespace passmeter::webgpu
