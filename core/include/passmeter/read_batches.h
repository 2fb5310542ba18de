#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "passmeter/diagnostic.h"
#include "passmeter/read_result.h"
#include "passmeter/report.h"
#include "passmeter/series.h"

namespace passmeter {

/// The books of a Readback, which are the same on every graphics API: which reads of which frame lie where in
/// which staging buffer, and who gets them. For those who write backends; users see gl::Readback and
/// webgpu::Readback. Not thread-safe. Allocates in the constructor and in append_to() only.
class ReadBatches {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  struct Config {
    std::uint32_t batch_bytes = 0;        ///< 0: 64 KiB. At most 64 MiB.
    std::uint32_t max_reads = 0;          ///< 0: 256. At most 65536.
    std::uint32_t batches = 0;            ///< 0: 4. At most 64.
    std::uint32_t late_after_frames = 0;  ///< 0: 300.
    double ema_alpha = 0.1;
    std::uint32_t percentile_window = 0;  ///< 0: 1024. At most 65536.
    std::string name;
    LogCallback log = {};
  };

  explicit ReadBatches(Config config);
  const Config& config() const noexcept { return config_; }

  void begin_frame() noexcept;
  /// The batch that the frame's reads went into, now in flight, or none if there were none.
  std::uint32_t end_frame() noexcept;
  bool frame_open() const noexcept { return frame_open_; }
  std::uint64_t frame() const noexcept { return begun_ == 0 ? 0 : begun_ - 1; }

  /// Room for a read of that many bytes in the open frame's batch, at a multiple of 16; its place in the
  /// batch goes to `offset`. The batch's number, or none: refused, counted, said.
  std::uint32_t take(std::uint64_t bytes, ReadCallback done, std::uint64_t tag,
                     std::uint32_t& offset) noexcept;
  /// The driver refused the read taken last.
  void untake() noexcept;

  /// Batches in flight, oldest first.
  std::uint32_t in_flight() const noexcept { return in_flight_used_; }
  std::uint32_t in_flight(std::uint32_t place) const noexcept { return in_flight_[place]; }
  std::uint32_t bytes_used(std::uint32_t batch) const noexcept { return batches_[batch].used; }
  std::uint64_t frame_of(std::uint32_t batch) const noexcept { return batches_[batch].frame; }
  bool is_late(std::uint32_t batch) const noexcept {
    return frame() - batches_[batch].frame > config_.late_after_frames;
  }

  /// The oldest batch in flight has come: calls its callbacks. `bytes`: what the staging buffer holds.
  void deliver_oldest(std::span<const std::byte> bytes) noexcept;
  /// The oldest batch in flight will not come: its callbacks are told.
  void reject_oldest(Verdict verdict) noexcept;
  /// None of them will come, the open one included: all callbacks are told.
  void reject_all(Verdict verdict) noexcept;
  void lose() noexcept { reject_all(Verdict::lost); }

  Diagnostics& diagnostics() noexcept { return diagnostics_; }
  const Diagnostics& diagnostics() const noexcept { return diagnostics_; }
  const Series& latency() const noexcept { return latency_; }
  /// "<name> bytes" and "<name> latency".
  void append_to(Report& report) const;

 private:
  struct Read {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
    ReadCallback done;
    std::uint64_t tag = 0;
  };
  struct Batch {
    std::vector<Read> reads;  // capacity max_reads, reserved once
    std::uint32_t used = 0;
    std::uint64_t frame = 0;
    bool busy = false;
  };

  std::uint32_t refuse(Diagnostic diagnostic, const char* message) noexcept;
  std::uint32_t free_batch() noexcept;
  void finish(Batch& batch, Verdict verdict, std::span<const std::byte> bytes) noexcept;

  Config config_;
  Diagnostics diagnostics_;
  std::vector<Batch> batches_;
  std::vector<std::uint32_t> in_flight_;
  std::uint32_t in_flight_used_ = 0;
  std::uint32_t open_ = none;  // the open frame's batch, once it has a read
  std::uint64_t begun_ = 0;
  std::uint64_t pending_reads_ = 0;
  bool frame_open_ = false;
  Series bytes_;
  Series latency_;
};

}  // namespace passmeter
