#include "passmeter/read_batches.h"

#include <algorithm>
#include <utility>

#include "passmeter/series_row.h"

namespace passmeter {
namespace {

constexpr std::uint32_t most_bytes = 64u << 20;
constexpr std::uint32_t most_reads = 65536;
constexpr std::uint32_t most_batches = 64;
constexpr std::uint32_t most_window = 65536;
// Enough for any element type, and what copies on every API want.
constexpr std::uint32_t alignment = 16;

void default_or_at_most(std::uint32_t& value, std::uint32_t fallback, std::uint32_t limit, bool& changed) {
  if (value == 0) value = fallback;
  if (value <= limit) return;
  value = limit;
  changed = true;
}

ReadBatches::Config checked(ReadBatches::Config config, bool& changed) {
  default_or_at_most(config.batch_bytes, 64u << 10, most_bytes, changed);
  config.batch_bytes = (config.batch_bytes + alignment - 1) / alignment * alignment;
  default_or_at_most(config.max_reads, 256, most_reads, changed);
  default_or_at_most(config.batches, 4, most_batches, changed);
  default_or_at_most(config.late_after_frames, 300, 1u << 30, changed);
  default_or_at_most(config.percentile_window, 1024, most_window, changed);
  if (config.ema_alpha == 0) config.ema_alpha = 0.1;
  if (!(config.ema_alpha > 0 && config.ema_alpha <= 1)) {
    config.ema_alpha = config.ema_alpha > 1 ? 1.0 : 0.1;
    changed = true;
  }
  return config;
}

}  // namespace

ReadBatches::ReadBatches(Config given) : diagnostics_(given.log) {
  bool changed = false;
  config_ = checked(std::move(given), changed);
  if (changed) {
    diagnostics_.raise(Diagnostic::bad_config,
                       "A ReadbackConfig value is out of range; the nearest valid one is used.");
  }
  batches_.resize(config_.batches);
  for (Batch& batch : batches_) batch.reads.reserve(config_.max_reads);
  in_flight_.resize(config_.batches);
  bytes_ = Series(config_.ema_alpha, config_.percentile_window);
  latency_ = Series(config_.ema_alpha, config_.percentile_window);
}

void ReadBatches::begin_frame() noexcept {
  ++begun_;
  frame_open_ = true;
  open_ = none;
}

std::uint32_t ReadBatches::end_frame() noexcept {
  frame_open_ = false;
  const std::uint32_t batch = std::exchange(open_, none);
  bytes_.add(batch == none ? 0 : batches_[batch].used, Verdict::accepted, frame());
  if (batch != none) in_flight_[in_flight_used_++] = batch;
  return batch;
}

std::uint32_t ReadBatches::refuse(Diagnostic diagnostic, const char* message) noexcept {
  latency_.reject(diagnostic == Diagnostic::pool_full ? Verdict::no_free_slot : Verdict::driver_error);
  diagnostics_.raise(diagnostic, message);
  return none;
}

std::uint32_t ReadBatches::free_batch() noexcept {
  for (std::uint32_t i = 0; i < batches_.size(); ++i) {
    if (!batches_[i].busy) return i;
  }
  return none;
}

std::uint32_t ReadBatches::take(std::uint64_t bytes, ReadCallback done, std::uint64_t tag,
                                std::uint32_t& offset) noexcept {
  if (!frame_open_) {
    return refuse(Diagnostic::scope_outside_frame,
                  "A read is asked for outside begin_frame() and end_frame(): it is refused.");
  }
  if (done.call == nullptr || bytes == 0 || bytes > config_.batch_bytes) {
    return refuse(Diagnostic::read_out_of_range,
                  "A read of no bytes, of more than a batch holds, or without a callback is refused.");
  }
  if (open_ == none) {
    open_ = free_batch();
    if (open_ == none) {
      return refuse(Diagnostic::pool_full, "Every batch is in flight: the reads of this frame are refused.");
    }
    Batch& fresh = batches_[open_];
    fresh.busy = true;
    fresh.used = 0;
    fresh.frame = frame();
    fresh.reads.clear();
  }
  Batch& batch = batches_[open_];
  if (batch.reads.size() == config_.max_reads || bytes > config_.batch_bytes - batch.used) {
    return refuse(Diagnostic::pool_full, "The frame's batch is full: a read is refused.");
  }
  offset = batch.used;
  const auto count = static_cast<std::uint32_t>(bytes);
  batch.reads.push_back({offset, count, done, tag});
  batch.used = std::min(config_.batch_bytes, (batch.used + count + alignment - 1) / alignment * alignment);
  ++pending_reads_;
  return open_;
}

void ReadBatches::untake() noexcept {
  if (open_ == none) return;
  Batch& batch = batches_[open_];
  if (batch.reads.empty()) return;
  batch.used = batch.reads.back().offset;
  batch.reads.pop_back();
  --pending_reads_;
  latency_.reject(Verdict::driver_error);
  if (!batch.reads.empty()) return;
  batch.busy = false;
  open_ = none;
}

void ReadBatches::finish(Batch& batch, Verdict verdict, std::span<const std::byte> bytes) noexcept {
  const std::uint64_t latency = frame() - batch.frame;
  for (const Read& read : batch.reads) {
    const bool fits = verdict != Verdict::accepted || bytes.size() >= std::size_t{read.offset} + read.bytes;
    ReadResult result;
    result.frame = batch.frame;
    result.latency_frames = static_cast<std::uint32_t>(latency);
    result.verdict = fits ? verdict : Verdict::driver_error;
    result.tag = read.tag;
    if (result.verdict == Verdict::accepted) result.bytes = bytes.subspan(read.offset, read.bytes);
    latency_.add(static_cast<double>(latency), result.verdict, batch.frame);
    --pending_reads_;
    read.done.call(read.done.user, result);
  }
  batch.reads.clear();
  batch.busy = false;
}

void ReadBatches::deliver_oldest(std::span<const std::byte> bytes) noexcept {
  Batch& batch = batches_[in_flight_[0]];
  std::copy(in_flight_.begin() + 1, in_flight_.begin() + static_cast<std::ptrdiff_t>(in_flight_used_),
            in_flight_.begin());
  --in_flight_used_;
  finish(batch, Verdict::accepted, bytes);
}

void ReadBatches::reject_oldest(Verdict verdict) noexcept {
  Batch& batch = batches_[in_flight_[0]];
  std::copy(in_flight_.begin() + 1, in_flight_.begin() + static_cast<std::ptrdiff_t>(in_flight_used_),
            in_flight_.begin());
  --in_flight_used_;
  finish(batch, verdict, {});
}

void ReadBatches::reject_all(Verdict verdict) noexcept {
  while (in_flight_used_ > 0) reject_oldest(verdict);
  if (open_ != none) finish(batches_[std::exchange(open_, none)], verdict, {});
}

void ReadBatches::append_to(Report& report) const {
  append_row(report, config_.name + " bytes", Unit::bytes, bytes_);
  append_row(report, config_.name + " latency", Unit::count, latency_, pending_reads_);
}

}  // namespace passmeter
