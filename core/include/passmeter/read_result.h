#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "passmeter/verdict.h"

namespace passmeter {

/// Bytes that were read back from the GPU, some frames after they were asked for.
struct ReadResult {
  std::uint64_t frame = 0;           ///< Frame in which the read was asked for.
  std::uint32_t latency_frames = 0;  ///< Frames between that one and this call.
  /// Accepted, or why there are no bytes: lost, late, driver_error.
  Verdict verdict = Verdict::accepted;
  std::span<const std::byte> bytes;  ///< Valid during the call. Empty unless accepted.
  std::uint64_t tag = 0;             ///< As given with the read.
};

/// Called once for each read that was taken, on the thread of the call that collected it (begin_frame or
/// poll), reads in the order they were asked for. Must not call the Readback that calls it.
struct ReadCallback {
  void (*call)(void* user, const ReadResult& result) = nullptr;
  void* user = nullptr;
};

}  // namespace passmeter
