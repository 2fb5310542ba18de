#include <vector>

#include "parts.h"

namespace passmeter::webgpu {
namespace {

constexpr std::int64_t patience_ns = 10'000'000'000;
constexpr std::uint64_t buffer_bytes = 256;

BufferHandle make_buffer(WGPUDevice device, std::uint64_t usage) noexcept {
  WGPUBufferDescriptor descriptor = {};
  descriptor.label = dialect::label("passmeter median");
  descriptor.usage = static_cast<decltype(descriptor.usage)>(usage);
  descriptor.size = buffer_bytes;
  return BufferHandle(wgpuDeviceCreateBuffer(device, &descriptor));
}

// One pair of queries and what brings it to the CPU.
class Bench {
 public:
  Bench(WGPUDevice device, WGPUInstance instance) noexcept
      : queue_(wgpuDeviceGetQueue(device)),
        resolved_(make_buffer(device, WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc)),
        readback_(make_buffer(device, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst)) {
    dialect::add_ref(device);
    device_.reset(device);
    dialect::add_ref(instance);
    instance_.reset(instance);
    WGPUQuerySetDescriptor descriptor = {};
    descriptor.label = dialect::label("passmeter median");
    descriptor.type = WGPUQueryType_Timestamp;
    descriptor.count = 2;
    set_.reset(wgpuDeviceCreateQuerySet(device, &descriptor));
    writes_.querySet = set_.get();
    writes_.beginningOfPassWriteIndex = 0;
    writes_.endOfPassWriteIndex = 1;
  }

  bool ok() const noexcept { return queue_ && set_ && resolved_ && readback_; }
  const PassTimestampWrites* writes() const noexcept { return &writes_; }

  /// Runs the work and waits for its stamps.
  StampResult run(FunctionRef work, const StampRule& rule) {
    const std::int64_t begun = CpuClock{}.now();
    work();
    if (!submit_resolve() || !wait_for_map(begun)) return {.verdict = Verdict::driver_error};
    const auto* stamps =
        static_cast<const std::uint64_t*>(wgpuBufferGetConstMappedRange(readback_.get(), 0, 16));
    StampResult result{.verdict = Verdict::driver_error};
    if (stamps != nullptr) result = judge(stamps[0], stamps[1], rule, CpuClock{}.now() - begun);
    wgpuBufferUnmap(readback_.get());
    return result;
  }

 private:
  StampResult judge(std::uint64_t begin, std::uint64_t end, const StampRule& rule,
                    std::int64_t elapsed_ns) noexcept {
    // The same stamps again: the work made no use of the writes it was given.
    const bool stale = begin == last_begin_ && end == last_end_;
    last_begin_ = begin;
    last_end_ = end;
    return stale ? StampResult{} : judge_stamps(begin, end, rule, elapsed_ns);
  }

  bool submit_resolve() noexcept {
    const EncoderHandle encoder(wgpuDeviceCreateCommandEncoder(device_.get(), nullptr));
    if (!encoder) return false;
    wgpuCommandEncoderResolveQuerySet(encoder.get(), set_.get(), 0, 2, resolved_.get(), 0);
    wgpuCommandEncoderCopyBufferToBuffer(encoder.get(), resolved_.get(), 0, readback_.get(), 0, 16);
    const CommandsHandle commands(wgpuCommandEncoderFinish(encoder.get(), nullptr));
    if (!commands) return false;
    const WGPUCommandBuffer list = commands.get();
    wgpuQueueSubmit(queue_.get(), 1, &list);
    return true;
  }

  bool wait_for_map(std::int64_t begun) noexcept {
    Ticket* ticket = ticket_.get();
    if (ticket == nullptr) return false;
    dialect::map_read<Ticket::answer>(readback_.get(), 16, true, ticket->expect_answer());
    while (ticket_.state() == Ticket::State::pending) {
      dialect::process_events(instance_.get());
      if (CpuClock{}.now() - begun > patience_ns) {
        ticket_.forget();
        wgpuBufferUnmap(readback_.get());
        return false;
      }
    }
    return ticket_.state() == Ticket::State::success;
  }

  // Its own references: the work may say that the device is lost, and the timer then lets go of these.
  DeviceHandle device_;
  QueueHandle queue_;
  InstanceHandle instance_;
  QuerySetHandle set_;
  BufferHandle resolved_, readback_;
  PassTimestampWrites writes_ = {};
  TicketHandle ticket_;
  std::uint64_t last_begin_ = 0, last_end_ = 0;
};

}  // namespace

const PassTimestampWrites* WebGpuTimer::median_writes() const noexcept { return parts_->median_writes; }

MedianResult WebGpuTimer::measure_median_of(std::uint32_t runs, FunctionRef work) {
  Parts& parts = *parts_;
  MedianResult nothing;
  if (!dialect::can_wait || parts.clock != Parts::Clock::timestamps || !parts.instance || in_frame()) {
    return nothing;
  }
  Bench bench(parts.device.get(), parts.instance.get());
  if (!bench.ok()) return nothing;

  std::vector<double> times;
  times.reserve(runs);
  parts.median_writes = bench.writes();
  for (std::uint32_t run = 0; run < runs; ++run) {
    const StampResult result = bench.run(work, parts.rule);
    if (result.verdict == Verdict::accepted) times.push_back(result.ns);
    if (result.verdict == Verdict::driver_error) break;  // the next run would only wait in vain as well
    if (!parts.has_timestamps()) break;                  // lost in the work or while waiting
  }
  parts.median_writes = nullptr;
  MedianResult result = median_of(times, Source::timestamp);
  result.rejected = runs - static_cast<std::uint32_t>(times.size());
  return result;
}

}  // namespace passmeter::webgpu
