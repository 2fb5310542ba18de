#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "error_watch.h"
#include "handle.h"
#include "passmeter/webgpu/dialect.h"

namespace passmeter::webgpu {

/// The two queries of one pass, ready to be put into a pass descriptor of either kind.
struct QueryPair {
  PassTimestampWrites render;
  ComputePassTimestampWrites compute;
};

/// The timestamp queries of one frame, as pairs: WGPUQuerySets of at most 4096 queries (the limit WebGPU
/// sets) that grow when a frame needs more. The same queries serve every frame, because a queue executes in
/// order: a frame's resolve reads them before the next frame's passes write them.
class QueryPages {
 public:
  static constexpr std::uint32_t pairs_per_page = 2048;
  static constexpr std::uint64_t bytes_per_pair = 2 * sizeof(std::uint64_t);

  /// Makes the first set, for `expected` pairs. False: refused.
  bool create(WGPUDevice device, ErrorWatch& watch, std::uint32_t expected, std::uint32_t cap) noexcept;
  void clear() noexcept;

  void begin_frame() noexcept;
  /// Pairs that numbers from `first` on have moved down by, over all frames: a small page was dropped.
  struct Move {
    std::uint32_t first = 0, by = 0;
  };
  /// The move that the last begin_frame() made, once; by 0: none.
  Move take_move() noexcept { return std::exchange(move_, Move{}); }

  enum class Refusal : std::uint8_t { none, cap_reached, device_refused };
  /// The next pair of the frame, its number being used() - 1 afterwards; nullptr if there is none, and why.
  const QueryPair* take(Refusal& refusal) noexcept;
  std::uint32_t used() const noexcept { return used_; }

  /// Pairs there are queries for.
  std::uint32_t capacity() const noexcept;
  /// The first `pairs` pairs; pair n goes to `offset` + n * bytes_per_pair in `destination`.
  void resolve(WGPUCommandEncoder encoder, std::uint32_t pairs, WGPUBuffer destination,
               std::uint64_t offset) const noexcept;

 private:
  struct Page {
    QuerySetHandle set;
    std::unique_ptr<QueryPair[]> pairs;  // ready-made, so that a mark costs no more than a look-up
    std::uint32_t capacity = 0;
  };

  bool add_page(std::uint32_t pairs) noexcept;

  WGPUDevice device_ = nullptr;
  ErrorWatch* watch_ = nullptr;
  std::vector<Page> pages_;
  std::uint32_t cap_ = 0;
  std::uint32_t used_ = 0;
  std::uint32_t page_ = 0;          // the page that take() takes from
  std::uint32_t used_in_page_ = 0;  // pairs taken from it
  Move move_;
  bool refused_ = false;  // the device would not grow in this frame: not asked again before the next
};

}  // namespace passmeter::webgpu
