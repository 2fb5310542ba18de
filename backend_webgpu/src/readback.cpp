#include "passmeter/webgpu/readback.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "helper_device.h"
#include "passmeter/read_batches.h"
#include "readback_ring.h"

namespace passmeter::webgpu {
namespace {

ReadBatches::Config batches_config(ReadbackConfig&& config, std::uint32_t batches) {
  ReadBatches::Config out;
  out.batch_bytes = config.batch_bytes;
  out.max_reads = config.max_reads;
  out.batches = batches;
  out.late_after_frames = config.late_after_frames;
  out.ema_alpha = config.ema_alpha;
  out.percentile_window = config.percentile_window;
  out.name = std::move(config.name);
  out.log = config.log;
  return out;
}

}  // namespace

struct Readback::Impl {
  Impl(ReadbackConfig config, const HelperOptions& options)
      : device(options), batches(batches_config(std::move(config), device.frames_in_flight())) {
    buffers.assign(batches.config().batches, ReadbackRing::none);
  }

  bool start(WGPUDevice with) noexcept;
  std::uint32_t take(std::uint64_t bytes, ReadCallback done, std::uint64_t tag,
                     std::uint32_t& offset) noexcept;
  void collect() noexcept;
  bool collect_oldest() noexcept;
  void finish_oldest(Verdict verdict) noexcept;
  void drop_device_objects() noexcept;
  void give_up_refused() noexcept;
  void lose() noexcept;

  HelperDevice device;
  ReadBatches batches;
  ReadbackRing ring;
  std::vector<std::uint32_t> buffers;  // of the ring, by batch
  EncoderHandle encoder;               // of the open frame's copies
  State state = State::unavailable;
  std::string reason;
  bool delivering = false;
};

bool Readback::Impl::start(WGPUDevice with) noexcept {
  state = State::unavailable;
  if (!device.use(with)) {
    reason = "No WebGPU device was given: nothing is read back.";
    return false;
  }
  ring.create(with, batches.config().batches, &device.watch());
  state = State::measuring;
  reason = "Reads are batched in a ring of mappable buffers.";
  return true;
}

Readback::Readback(ReadbackConfig config, WGPUDevice device, const HelperOptions& options)
    : impl_(std::make_unique<Impl>(std::move(config), options)) {
  impl_->start(device);
}

Readback::~Readback() = default;

void Readback::Impl::drop_device_objects() noexcept {
  ring.clear();
  encoder.reset();
  device.drop();
  std::fill(buffers.begin(), buffers.end(), ReadbackRing::none);
}

void Readback::Impl::give_up_refused() noexcept {
  state = State::unavailable;
  drop_device_objects();
  reason = "The device refused to create a buffer to read back with.";
  batches.diagnostics().raise(Diagnostic::feature_refused, reason.c_str());
  const bool was_delivering = std::exchange(delivering, true);
  batches.reject_all(Verdict::driver_error);  // with what the open frame has taken
  delivering = was_delivering;
}

void Readback::Impl::lose() noexcept {
  if (state == State::lost) return;
  state = State::lost;  // first: letting go of the device may call the application back, and it us
  drop_device_objects();
  reason = "The device was lost: nothing is read back until restore().";
  batches.diagnostics().raise(Diagnostic::lost, "The device was lost; what was in flight is rejected.");
  const bool was_delivering = std::exchange(delivering, true);
  batches.lose();
  delivering = was_delivering;
}

void Readback::notify_lost() noexcept { impl_->lose(); }

bool Readback::restore(WGPUDevice device) noexcept {
  if (impl_->state == State::measuring) impl_->lose();
  return impl_->start(device);
}

// --- Frames
// ---------------------------------------------------------------------------------------------------

void Readback::begin_frame() noexcept {
  Impl& impl = *impl_;
  if (impl.delivering) return;
  if (impl.batches.frame_open()) {
    impl.batches.diagnostics().raise(Diagnostic::frame_begun_twice,
                                     "begin_frame() inside a frame: the open frame is ended first.");
    end_frame();
  }
  impl.batches.begin_frame();
  if (impl.state == State::measuring && impl.device.lost()) return impl.lose();
  poll();
}

void Readback::poll() noexcept {
  if (impl_->state != State::measuring || impl_->delivering) return;
  impl_->device.pump();
  if (impl_->device.watch().refused()) return impl_->give_up_refused();
  impl_->collect();
}

void Readback::end_frame() noexcept {
  Impl& impl = *impl_;
  if (impl.delivering) return;
  if (!impl.batches.frame_open()) {
    impl.batches.diagnostics().raise(Diagnostic::end_without_begin,
                                     "end_frame() without begin_frame() does nothing.");
    return;
  }
  const std::uint32_t batch = impl.batches.end_frame();
  EncoderHandle encoder = std::move(impl.encoder);
  if (batch == ReadBatches::none || impl.state != State::measuring) return;
  const bool submitted = encoder && impl.device.submit(std::move(encoder));
  if (impl.state != State::measuring) return;  // lost meanwhile, and the batch with it
  if (submitted &&
      impl.ring.request(impl.buffers[batch], impl.batches.bytes_used(batch), impl.device.pumped())) {
    return;
  }
  impl.ring.recycle(impl.buffers[batch]);
  impl.buffers[batch] = ReadbackRing::none;
}

void Readback::Impl::collect() noexcept {
  delivering = true;
  while (state == State::measuring && batches.in_flight() > 0 && collect_oldest()) {
  }
  delivering = false;
}

void Readback::Impl::finish_oldest(Verdict verdict) noexcept {
  const std::uint32_t batch = batches.in_flight(0);
  if (buffers[batch] != ReadbackRing::none) ring.recycle(std::exchange(buffers[batch], ReadbackRing::none));
  if (verdict == Verdict::driver_error) {
    batches.diagnostics().raise(Diagnostic::driver_error,
                                "The device refused to copy or map a batch of reads.");
  }
  if (batches.in_flight() == 0) return;  // lost while unmapping, and all told
  batches.reject_oldest(verdict);
}

/// False: the oldest batch is still pending, or the device is lost.
bool Readback::Impl::collect_oldest() noexcept {
  const std::uint32_t batch = batches.in_flight(0);
  const std::uint32_t buffer = buffers[batch];
  const ReadbackRing::Answer answer =
      buffer == ReadbackRing::none ? ReadbackRing::Answer::failed : ring.answer(buffer);
  switch (answer) {
    case ReadbackRing::Answer::pending:
      if (!batches.is_late(batch)) return false;
      finish_oldest(Verdict::late);
      return true;
    case ReadbackRing::Answer::aborted:
      lose();
      return false;
    case ReadbackRing::Answer::failed:
      finish_oldest(Verdict::driver_error);
      return true;
    case ReadbackRing::Answer::mapped:
      break;
  }
  const std::span<const std::uint64_t> words =
      ring.stamps(buffer, batches.bytes_used(batch) / sizeof(std::uint64_t));
  if (state != State::measuring) return false;  // lost in that call
  if (words.empty()) {
    finish_oldest(Verdict::driver_error);
    return true;
  }
  batches.deliver_oldest(std::as_bytes(words));
  if (state != State::measuring) return false;
  ring.recycle(buffer);
  buffers[batch] = ReadbackRing::none;
  return true;
}

// --- Reads
// ----------------------------------------------------------------------------------------------------

std::uint32_t Readback::Impl::take(std::uint64_t bytes, ReadCallback done, std::uint64_t tag,
                                   std::uint32_t& offset) noexcept {
  if (state != State::measuring || delivering) return ReadBatches::none;
  const std::uint32_t batch = batches.take(bytes, done, tag, offset);
  if (batch == ReadBatches::none) return batch;
  if (buffers[batch] == ReadbackRing::none) {
    const std::uint32_t buffer = ring.acquire(batches.config().batch_bytes);
    if (state == State::measuring) buffers[batch] = buffer;
  }
  if (!encoder) encoder = device.encoder();
  if (state != State::measuring) {  // lost meanwhile: the read was taken, and its callback has been told
    encoder.reset();
    return batch;
  }
  if (buffers[batch] != ReadbackRing::none && encoder) return batch;
  batches.diagnostics().raise(Diagnostic::feature_refused,
                              "The device refused a staging buffer or an encoder.");
  batches.untake();
  return ReadBatches::none;
}

bool Readback::read_buffer(WGPUBuffer buffer, std::uint64_t offset, std::uint32_t bytes, ReadCallback done,
                           std::uint64_t tag) noexcept {
  Impl& impl = *impl_;
  const bool aligned = buffer != nullptr && offset % 4 == 0 && bytes % 4 == 0;
  std::uint32_t place = 0;
  // Asked for as no bytes, it is refused in the one place where that is counted.
  const std::uint32_t batch = impl.take(aligned ? bytes : 0, done, tag, place);
  if (batch == ReadBatches::none) return false;
  if (impl.state != State::measuring) return true;
  wgpuCommandEncoderCopyBufferToBuffer(impl.encoder.get(), buffer, offset,
                                       impl.ring.buffer(impl.buffers[batch]), place, bytes);
  return true;
}

bool Readback::read_texels(const TexelRow& row, ReadCallback done, std::uint64_t tag) noexcept {
  Impl& impl = *impl_;
  const bool valid = row.texture != nullptr && row.bytes_per_texel >= 1 && row.bytes_per_texel <= 16;
  const std::uint64_t bytes = valid ? std::uint64_t{row.width} * row.bytes_per_texel : 0;
  std::uint32_t place = 0;
  const std::uint32_t batch = impl.take(bytes, done, tag, place);
  if (batch == ReadBatches::none) return false;
  if (impl.state != State::measuring) return true;
  dialect::TexelCopyTexture from = {};
  from.texture = row.texture;
  from.mipLevel = row.mip_level;
  from.origin = {row.x, row.y, row.layer};
  from.aspect = WGPUTextureAspect_All;
  dialect::TexelCopyBuffer to = {};
  to.buffer = impl.ring.buffer(impl.buffers[batch]);
  to.layout.offset = place;
  to.layout.bytesPerRow = WGPU_COPY_STRIDE_UNDEFINED;  // one row needs none
  to.layout.rowsPerImage = WGPU_COPY_STRIDE_UNDEFINED;
  const WGPUExtent3D size = {row.width, 1, 1};
  wgpuCommandEncoderCopyTextureToBuffer(impl.encoder.get(), &from, &to, &size);
  return true;
}

// --- What is known
// --------------------------------------------------------------------------------------------

std::uint32_t Readback::batches_in_flight() const noexcept { return impl_->batches.in_flight(); }
std::uint64_t Readback::frame() const noexcept { return impl_->batches.frame(); }
State Readback::state() const noexcept { return impl_->state; }
const char* Readback::reason() const noexcept { return impl_->reason.c_str(); }
std::uint64_t Readback::diagnostic_count(Diagnostic diagnostic) const noexcept {
  return impl_->batches.diagnostics().count(diagnostic);
}
void Readback::append_to(Report& report) const { impl_->batches.append_to(report); }

}  // namespace passmeter::webgpu
