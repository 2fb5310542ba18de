#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "error_watch.h"
#include "handle.h"
#include "ticket.h"

namespace passmeter::webgpu {

/// A fixed number of buffers that bring resolved stamps to the CPU. Each is free, in flight (copied into, its
/// map pending) or mapped. Never blocks; when none is free, acquire() says so. One thread, except that the
/// map's callback may come on any.
class ReadbackRing {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;
  enum class Answer : std::uint8_t { pending, mapped, failed, aborted };

  /// Gives room for `buffers` buffers; they are made when first used, under `watch` if there is one.
  void create(WGPUDevice device, std::uint32_t buffers, ErrorWatch* watch = nullptr);
  /// Lets go of everything, pending maps included.
  void clear() noexcept;

  bool has_free() const noexcept;
  /// A free buffer of at least `bytes`, now in flight; none if there is none or the device refuses one.
  std::uint32_t acquire(std::uint64_t bytes) noexcept;
  /// Whether a buffer that was acquired has room for so much.
  bool holds(std::uint32_t index, std::uint64_t bytes) const noexcept {
    return entries_[index].bytes >= bytes;
  }
  /// Puts a buffer of `bytes` in the place of one that was acquired and never mapped; commands that copy into
  /// the old one keep it. False: the device refuses it.
  bool enlarge(std::uint32_t index, std::uint64_t bytes) noexcept {
    return make_buffer(entries_[index], bytes);
  }
  WGPUBuffer buffer(std::uint32_t index) const noexcept { return entries_[index].buffer.get(); }

  /// Asks for the map; call after the copy was submitted. False: out of memory or cleared, nothing asked.
  bool request(std::uint32_t index, std::uint64_t bytes, bool pumped) noexcept;
  Answer answer(std::uint32_t index) const noexcept;
  /// The stamps of a mapped buffer, or nothing if the range is refused. Valid until recycle().
  std::span<const std::uint64_t> stamps(std::uint32_t index, std::size_t count) const noexcept;

  /// Frees a buffer: unmaps it if mapped or pending. A pending answer will reach nobody.
  void recycle(std::uint32_t index) noexcept;
  /// The same for one that unchanged() was not asked about: what it holds is not known, so whoever comes next
  /// gets a fresh one.
  void discard(std::uint32_t index) noexcept;

  /// Whether the buffer still holds what it held when this was last asked: then its copy never ran (the
  /// encoder given to resolve() was dropped). Told from a frame's pairs of stamps: none began later.
  /// `own` is in that half of the buffer, `other` in the other one.
  bool unchanged(std::uint32_t index, std::span<const std::uint64_t> own,
                 std::span<const std::uint64_t> other, std::uint32_t half) noexcept;

 private:
  struct Entry {
    BufferHandle buffer;
    std::uint64_t bytes = 0;
    TicketHandle ticket;
    bool in_use = false;
    // Of what it held when it was last read:
    std::uint64_t newest = 0;  // begin of a pair
    std::uint64_t size = 0;    // stamps of a half
    std::uint64_t hash[2] = {0, 0};
  };

  bool make_buffer(Entry& entry, std::uint64_t bytes) noexcept;

  WGPUDevice device_ = nullptr;
  ErrorWatch* watch_ = nullptr;
  std::vector<Entry> entries_;
};

}  // namespace passmeter::webgpu
