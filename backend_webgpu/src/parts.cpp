#include "parts.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace passmeter::webgpu {
namespace {

// Halves begin at multiples of 256 bytes (WebGPU's rule for resolveQuerySet).
constexpr std::uint32_t least_stride = 16;

}  // namespace

// Where the frame's stamps go. Said once a frame, and again when it needs more pairs than it did then.
void WebGpuTimer::Parts::lay_out(FrameMarks& frame) noexcept {
  Layout& layout = frame.layout;
  if (layout.pairs == 0) {
    half ^= 1u;
    layout.half = half;
    layout.move = std::exchange(move, QueryPages::Move{});
    layout.pairs = last_used;
  }
  layout.pairs = std::min(std::max(layout.pairs, pages.used()), pages.capacity());
  last_used = pages.used();
}

// A larger buffer takes over what the smaller one knows.
bool WebGpuTimer::Parts::room_to_resolve(WGPUCommandEncoder encoder, std::uint32_t pairs) noexcept {
  if (resolved && stride >= pairs) return true;
  const std::uint32_t wanted = std::bit_ceil(std::max(pairs, least_stride));
  WGPUBufferDescriptor descriptor = {};
  descriptor.label = dialect::label("passmeter resolve");
  descriptor.usage = static_cast<decltype(descriptor.usage)>(
      WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst);
  descriptor.size = wanted * 2 * QueryPages::bytes_per_pair;
  BufferHandle made;
  {
    const ErrorWatch::Guard guard(&watch);
    made.reset(wgpuDeviceCreateBuffer(device.get(), &descriptor));
  }
  if (!made || !has_timestamps()) return false;
  const BufferHandle old = std::exchange(resolved, std::move(made));
  const std::uint64_t old_bytes = std::exchange(stride, wanted) * QueryPages::bytes_per_pair;
  const std::uint64_t new_bytes = wanted * QueryPages::bytes_per_pair;
  for (std::uint64_t i = 0; old && i < 2 && has_timestamps(); ++i) {
    wgpuCommandEncoderCopyBufferToBuffer(encoder, old.get(), i * old_bytes, resolved.get(), i * new_bytes,
                                         old_bytes);
  }
  return has_timestamps();
}

bool WebGpuTimer::Parts::room_to_read(FrameMarks& frame) noexcept {
  const std::uint64_t bytes = stride * 2 * QueryPages::bytes_per_pair;
  if (frame.buffer == ReadbackRing::none) {
    frame.buffer = ring.acquire(bytes);
    return frame.buffer != ReadbackRing::none;
  }
  // The frame has outgrown the buffer that it took for an earlier resolve().
  return ring.holds(frame.buffer, bytes) || ring.enlarge(frame.buffer, bytes);
}

bool WebGpuTimer::Parts::encode_resolve(WGPUCommandEncoder encoder, FrameMarks& frame) noexcept {
  lay_out(frame);
  Layout& layout = frame.layout;
  if (!room_to_resolve(encoder, layout.pairs) || !room_to_read(frame) || !has_timestamps()) return false;
  layout.stride = stride;
  pages.resolve(encoder, layout.pairs, resolved.get(), layout.half * stride * QueryPages::bytes_per_pair);
  if (!has_timestamps()) return false;
  wgpuCommandEncoderCopyBufferToBuffer(encoder, resolved.get(), 0, ring.buffer(frame.buffer), 0,
                                       layout.bytes());
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
  stride = half = last_used = 0;
  move = {};
  pages.clear();
  queue.reset();
  instance.reset();
  clock = Clock::none;
}

}  // namespace passmeter::webgpu
