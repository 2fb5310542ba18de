// The queries of the frames in flight, in the order they were issued, and how far each frame's have come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "query_pool.h"

namespace passmeter::gl {

/// Both query clocks keep their frames here. One flat array, `stride` queries a slot. A slot keeps the
/// queries it has been given: it is free only when all of its results were read, so they can be used again as
/// they are, and a mark costs no more than the next id of an array. Only a frame that is given up hands its
/// queries back to the pool.
class QueryFrames {
 public:
  /// `no_wait`: the context knows QUERY_RESULT_NO_WAIT.
  void start(const GlFunctions& functions, std::uint32_t slots, std::uint32_t stride, bool no_wait);
  /// The context is gone: forgets all, no driver call.
  void forget() noexcept;
  /// Deletes everything, also what is in flight.
  void delete_all() noexcept;

  /// The slot's frame begins; the functions up to end() are about it. False: too few queries are free for a
  /// pass.
  bool begin(std::uint32_t slot) noexcept;
  /// A pass opens: makes sure of the query it needs now and the one it needs when it closes. False: there are
  /// none.
  bool reserve() noexcept {
    if (count_ + open_ + 2 > have_ && !grow()) return false;
    ++open_;
    return true;
  }
  /// The next query of the frame; its place in the frame goes to `place`. Each pass may take two.
  GLuint next(std::uint32_t& place) noexcept {
    place = count_;
    return open_ids_[count_++];
  }
  /// A pass has closed.
  void unreserve() noexcept { --open_; }
  void end(std::uint32_t slot) noexcept;

  /// Asks for availability, last query first: in one context queries finish in order, so while the last is
  /// not there no other call is made. Then each of the others once, unless read() can tell by itself. Answers
  /// yes when read() is worth calling; `news` is set if any became available in this call.
  Answer poll(std::uint32_t slot, bool& news) noexcept;
  /// The results of a frame that poll() said yes to, in the order issued; valid until the next call. Not yet:
  /// one of them is still pending after all, and the frame stays as it was. Failed: the driver refused one,
  /// and the frame's queries are deleted.
  Answer read(std::uint32_t slot, std::span<std::uint64_t>& results) noexcept;
  /// Gives the frame's queries up: pending ones are set aside.
  void abandon(std::uint32_t slot) noexcept;
  /// A call about one of them failed, so what state they are in is unknown: deletes them.
  void discard(std::uint32_t slot) noexcept;

  QueryPool& pool() noexcept { return pool_; }

 private:
  struct SlotState {
    std::uint32_t have = 0;       ///< Queries that the slot keeps.
    std::uint32_t count = 0;      ///< Queries of its frame.
    std::uint32_t available = 0;  ///< The first so many are known to be available...
    bool last_available = false;  ///< ... and so is the last one.
  };

  GLuint* ids(std::uint32_t slot) noexcept { return ids_.data() + std::size_t{slot} * stride_; }
  /// Makes room for the pass that is being opened.
  bool grow() noexcept;
  static void clear(SlotState& state) noexcept { state = {.have = state.have}; }
  Answer read_after_asking(GLuint id, std::uint64_t& result) noexcept;

  const GlFunctions* functions_ = nullptr;
  std::uint32_t stride_ = 0;
  bool no_wait_ = false;         ///< Results are read with QUERY_RESULT_NO_WAIT.
  bool no_wait_worked_ = false;  ///< It has given a frame's results.
  QueryPool pool_;
  std::vector<SlotState> slots_;
  std::vector<GLuint> ids_;
  std::vector<std::uint64_t> results_;
  // Of the frame that is being marked.
  SlotState* open_state_ = nullptr;
  GLuint* open_ids_ = nullptr;
  std::uint32_t have_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t open_ = 0;  ///< Passes open: each may need one more query when it closes.
};

}  // namespace passmeter::gl
