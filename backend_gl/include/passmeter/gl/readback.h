#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "passmeter/diagnostic.h"
#include "passmeter/gl/gl_timer.h"
#include "passmeter/read_result.h"
#include "passmeter/report.h"
#include "passmeter/source.h"

namespace passmeter::gl {

/// What a Readback can be told. Zero-initialised numbers mean the default.
struct ReadbackConfig {
  std::uint32_t batch_bytes = 0;        ///< Room for all reads of a frame. 0: 64 KiB. At most 64 MiB.
  std::uint32_t max_reads = 0;          ///< Reads in a frame. 0: 256. At most 65536.
  std::uint32_t batches_in_flight = 0;  ///< Frames whose reads may be pending. 0: 4. At most 64.
  std::uint32_t late_after_frames = 0;  ///< Bytes that have not come by then are given up. 0: 300.
  double ema_alpha = 0.1;               ///< (0, 1].
  std::uint32_t percentile_window = 0;  ///< 0: 1024. At most 65536.
  std::string name = "readback";        ///< Begins the names of the rows in the report.
  LogCallback log = {};
};

/// Part of a framebuffer to read.
struct PixelRegion {
  std::int32_t x = 0, y = 0, width = 1, height = 1;
  unsigned format = 0x1908;           ///< GL_RGBA
  unsigned type = 0x1401;             ///< GL_UNSIGNED_BYTE
  std::uint32_t bytes_per_pixel = 4;  ///< Of that format and type.
};

/// Reads small things back from the GPU without waiting: the reads of a frame go into one pixel pack buffer,
/// a fence is set behind them, and some frames later, when the fence has been seen signalled, the buffer is
/// mapped once and each read's callback gets its bytes with the frame's number. Needs buffers that can be
/// mapped, copied and fenced: OpenGL 3.2, ES 3.0, WebGL2 (there through getBufferSubData). OpenGL 4.6 core,
/// "Copying Between Buffers", "Sync Objects".
///
///     readback.begin_frame();                      // delivers what has come
///     readback.read_pixels({.x = mouse_x, .y = mouse_y}, {on_picked, &picker});
///     readback.read_buffer(counters, 0, 16, {on_counters, this});
///     readback.end_frame();
///
/// With all batches in flight, or the batch full, a read is refused (false) and counted; nothing older is
/// given up for it. All calls on the context's thread; bindings and pack parameters are restored after each
/// read; never waits.
class Readback {
 public:
  Readback(ReadbackConfig config, GetProcAddress get_proc_address);
  Readback(ReadbackConfig config, GetProcAddressVoid get_proc_address);
  /// Deletes the buffers; reads in flight are not delivered any more. Without a context, call notify_lost()
  /// first.
  ~Readback();
  Readback(const Readback&) = delete;
  Readback& operator=(const Readback&) = delete;

  /// Opens a frame and delivers what has come.
  void begin_frame() noexcept;
  /// Closes it and sets its fence.
  void end_frame() noexcept;
  /// Delivers what has come, in between.
  void poll() noexcept;

  /// Reads `bytes` from `offset` of a buffer object, as they are when the GPU gets here. False: refused.
  /// `offset` and `bytes` must lie in the buffer (OpenGL checks it and raises GL_INVALID_VALUE, and the bytes
  /// are then undefined); a range that no buffer can have is refused (Diagnostic::read_out_of_range).
  bool read_buffer(unsigned buffer, std::uint64_t offset, std::uint32_t bytes, ReadCallback done,
                   std::uint64_t tag = 0) noexcept;
  /// Reads pixels of the framebuffer bound for reading, rows tightly packed, bottom row first. False:
  /// refused. A multisampled framebuffer must be resolved first.
  bool read_pixels(const PixelRegion& region, ReadCallback done, std::uint64_t tag = 0) noexcept;

  std::uint32_t batches_in_flight() const noexcept;
  /// Number of the frame begun last, from 0.
  std::uint64_t frame() const noexcept;
  State state() const noexcept;
  /// Why this state: one sentence.
  const char* reason() const noexcept;
  std::uint64_t diagnostic_count(Diagnostic diagnostic) const noexcept;

  /// The context is gone: the callbacks of what is in flight get Verdict::lost, ids are forgotten without a
  /// driver call. Noticed by itself where the context reports resets.
  void notify_lost() noexcept;
  bool restore() noexcept;

  /// Appends the rows "<name> bytes" (bytes read a frame) and "<name> latency" (frames, one value a read, its
  /// rejects being the reads refused or given up).
  void append_to(Report& report) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace passmeter::gl
