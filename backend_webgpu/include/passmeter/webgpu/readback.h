#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "passmeter/diagnostic.h"
#include "passmeter/read_result.h"
#include "passmeter/report.h"
#include "passmeter/source.h"
#include "passmeter/webgpu/helper_options.h"

namespace passmeter::webgpu {

/// What a Readback can be told. Zero-initialised numbers mean the default.
struct ReadbackConfig {
  std::uint32_t batch_bytes = 0;        ///< Room for all reads of a frame. 0: 64 KiB. At most 64 MiB.
  std::uint32_t max_reads = 0;          ///< Reads in a frame. 0: 256. At most 65536.
  std::uint32_t late_after_frames = 0;  ///< Bytes that have not come by then are given up. 0: 300.
  double ema_alpha = 0.1;               ///< (0, 1].
  std::uint32_t percentile_window = 0;  ///< 0: 1024. At most 65536.
  std::string name = "readback";        ///< Begins the names of the rows in the report.
  LogCallback log = {};
};

/// A row of texels of a texture with CopySrc usage.
struct TexelRow {
  WGPUTexture texture = nullptr;
  std::uint32_t mip_level = 0;
  std::uint32_t x = 0, y = 0, layer = 0;
  std::uint32_t width = 1;
  std::uint32_t bytes_per_texel = 4;  ///< Of the texture's format, 1 to 16.
};

/// Reads small things back from the GPU without waiting: the reads of a frame go into one mappable buffer of
/// a ring, end_frame() submits their copies and maps it, and some frames later each read's callback gets its
/// bytes with the frame's number. With the ring in flight, or the batch full, a read is refused (false) and
/// counted; nothing older is given up for it. Never waits. All calls on the thread that records commands.
class Readback {
 public:
  Readback(ReadbackConfig config, WGPUDevice device, const HelperOptions& options = {});
  /// Reads in flight are not delivered any more.
  ~Readback();
  Readback(const Readback&) = delete;
  Readback& operator=(const Readback&) = delete;

  /// Pumps callbacks, delivers what has come, opens a frame.
  void begin_frame() noexcept;
  /// Submits the copies of this frame and maps their buffer. After the submit of the work whose results are
  /// read.
  void end_frame() noexcept;
  /// Delivers what has come, in between.
  void poll() noexcept;

  /// Reads `bytes` from `offset` of a buffer with CopySrc usage, as they are after all that is submitted
  /// before end_frame(). Both multiples of 4 (WebGPU, copyBufferToBuffer), else refused
  /// (Diagnostic::read_out_of_range); the range must lie in the buffer. False: refused.
  bool read_buffer(WGPUBuffer buffer, std::uint64_t offset, std::uint32_t bytes, ReadCallback done,
                   std::uint64_t tag = 0) noexcept;
  /// Reads a row of texels. False: refused.
  bool read_texels(const TexelRow& row, ReadCallback done, std::uint64_t tag = 0) noexcept;

  std::uint32_t batches_in_flight() const noexcept;
  /// Number of the frame begun last, from 0.
  std::uint64_t frame() const noexcept;
  State state() const noexcept;
  /// Why this state: one sentence.
  const char* reason() const noexcept;
  std::uint64_t diagnostic_count(Diagnostic diagnostic) const noexcept;

  /// The device is gone: the callbacks of what is in flight get Verdict::lost.
  void notify_lost() noexcept;
  /// Starts again on another device. True if it reads.
  bool restore(WGPUDevice device) noexcept;

  /// Appends the rows "<name> bytes" (bytes read a frame) and "<name> latency" (frames, one value a read, its
  /// rejects being the reads refused or given up).
  void append_to(Report& report) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace passmeter::webgpu
