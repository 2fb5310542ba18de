// The queries of the frames in flight, in the order they were issued, and how far each frame's have come.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query_pool.h"

namespace passmeter::gl {

/// Both query clocks keep their frames here. One flat array: `stride` queries a slot.
class QueryFrames {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  void start(const GlFunctions& functions, std::uint32_t slots, std::uint32_t stride);
  /// The context is gone: forgets all, no driver call.
  void forget() noexcept;
  /// Deletes everything, also what is in flight.
  void delete_all() noexcept;

  /// False: too few queries are free for a pass.
  bool begin(std::uint32_t slot) noexcept;
  /// A query for the frame, noted as its next; its place in the frame goes to `place`. 0: there is none.
  GLuint add(std::uint32_t slot, std::uint32_t& place) noexcept {
    SlotState& state = slots_[slot];
    if (state.count == stride_) return 0;
    const GLuint id = pool_.take();
    if (id == 0) return 0;
    place = state.count++;
    ids_[std::size_t{slot} * stride_ + place] = id;
    return id;
  }

  /// Asks for availability, last query first: in one context queries finish in order, so while the last is
  /// not there no other call is made. Then each of the others once. Answers yes when all of the frame are
  /// available; `news` is set if any became available in this call.
  Answer poll(std::uint32_t slot, bool& news) noexcept;
  /// The results of a frame whose queries are all available, in the order issued; the queries go back to the
  /// pool. Empty if the driver refused one of them. Valid until the next call.
  std::span<std::uint64_t> read(std::uint32_t slot) noexcept;
  /// Gives the frame's queries up: pending ones are set aside.
  void abandon(std::uint32_t slot) noexcept;
  /// A call about one of them failed, so what state they are in is unknown: deletes them.
  void discard(std::uint32_t slot) noexcept;

  QueryPool& pool() noexcept { return pool_; }

 private:
  struct SlotState {
    std::uint32_t count = 0;      ///< Queries issued.
    std::uint32_t available = 0;  ///< The first so many are known to be available...
    bool last_available = false;  ///< ... and so is the last one.
  };

  GLuint* ids(std::uint32_t slot) noexcept { return ids_.data() + std::size_t{slot} * stride_; }

  const GlFunctions* functions_ = nullptr;
  std::uint32_t stride_ = 0;
  QueryPool pool_;
  std::vector<SlotState> slots_;
  std::vector<GLuint> ids_;
  std::vector<std::uint64_t> results_;
};

}  // namespace passmeter::gl
