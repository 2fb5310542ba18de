// Queries of one target, or pairs of two targets, in the order they were ended, waiting for their results.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "flush_policy.h"
#include "helper_context.h"
#include "query_pool.h"

namespace passmeter::gl {

/// A first-in first-out line of queries, each with the caller's own number. In one context queries finish in
/// order, so while the first one is not available no other is asked about: one driver call a look.
class LateQueries {
 public:
  struct Pending {
    GLuint id = 0;
    GLuint second_id = 0;     ///< 0 where there is no second target.
    std::uint32_t owner = 0;  ///< Whatever the caller likes: an object, a counter.
    std::uint64_t frame = 0;
    bool broken = false;  ///< A call about it failed: what the driver has under this id is an old value.
  };
  struct Result {
    Pending query;
    bool valid = false;  ///< The driver answered.
    std::uint64_t count = 0;
    std::uint64_t second_count = 0;
  };

  enum class Begun : std::uint8_t {
    yes,
    no_query,  ///< All are in flight, or the driver refused to make one.
    in_use,    ///< The application has a query of its own open, which excludes ours.
  };

  /// Room for `cap` queries of `target`, each with one of `second_target` around the same draws unless that
  /// is 0. `excluding`: the targets of which none may be active when ours is begun, at most three; those that
  /// the context lacks are left out. No driver call.
  void start(const HelperContext& context, GLenum target, GLenum second_target,
             std::span<const GLenum> excluding, std::uint32_t cap);

  std::uint32_t room() const noexcept { return cap_ - used_; }
  std::uint32_t used() const noexcept { return used_; }
  std::uint32_t made() const noexcept { return pool_.made(); }
  /// Meaningful while there are any.
  std::uint64_t oldest_frame() const noexcept { return line_[first_].frame; }

  /// Asks the driver first what is active: one call for each of the excluding targets.
  Begun begin(std::uint32_t owner, std::uint64_t frame) noexcept;
  /// Ends what begin() began, if it is what is active: one call more for each target. Else its result is not
  /// valid.
  void end() noexcept;
  /// The last query in line begun for this owner: changes what it is known as.
  void rename_last_of(std::uint32_t owner, std::uint32_t new_owner) noexcept;
  bool open() const noexcept { return open_; }

  /// Reads what is available, oldest first, into results(); they stay in flight until take_results().
  void look() noexcept;
  const std::vector<Result>& results() const noexcept { return results_; }
  /// The results were used: their queries go back to the pool.
  void take_results() noexcept;
  /// Takes back queries that were given up and have become available since. One driver call while there are
  /// any.
  void sweep() noexcept;
  /// Gives up the queries of frames before this one, one at a time; false when there is none.
  bool give_up_before(std::uint64_t frame, Pending& given_up) noexcept;

  bool take_refusal() noexcept;
  void delete_all() noexcept;
  void forget() noexcept;

 private:
  Pending& at(std::uint32_t place) noexcept { return line_[(first_ + place) % line_.size()]; }
  GLint active(GLenum target) const noexcept;
  bool in_use_elsewhere() noexcept;
  bool end_left_open(GLenum target, GLuint id) noexcept;
  bool end_if_ours(GLenum target, GLuint id, bool& is_told) noexcept;
  void discard(const Pending& query) noexcept;
  void drop_first() noexcept;
  bool read(Result& result) const noexcept;
  Answer ask(const Pending& query) const noexcept;

  const HelperContext* context_ = nullptr;
  GLenum target_ = 0;
  GLenum second_target_ = 0;
  std::array<GLenum, 3> excluding_{};
  std::uint32_t excluding_count_ = 0;
  bool is_told_ = false;  // see end_if_ours()
  bool second_is_told_ = false;
  std::uint32_t cap_ = 0;
  QueryPool pool_;
  QueryPool second_pool_;
  std::vector<Pending> line_;  // a ring
  std::uint32_t first_ = 0;
  std::uint32_t used_ = 0;
  std::vector<Result> results_;
  bool open_ = false;
};

/// Decides when helpers flush: FlushPolicy over the last frames.
class HelperFlush {
 public:
  void start() { policy_.start(slots); }
  void frame_ended(std::uint64_t frame) noexcept { policy_.frame_ended(slot(frame)); }
  void next_look() noexcept { policy_.next_look(); }
  void frame_ready(std::uint64_t frame) noexcept { policy_.frame_ready(slot(frame)); }
  /// `oldest`: the oldest frame that is waited for; `now`: the last one ended.
  void flush_if_needed(const GlFunctions& gl, std::uint64_t oldest, std::uint64_t now) noexcept {
    // An older one has been flushed long since.
    if (now - oldest >= slots || !policy_.wants_flush(slot(oldest))) return;
    gl.flush();
    for (std::uint64_t frame = oldest; frame <= now; ++frame) policy_.frame_flushed(slot(frame));
  }

 private:
  static constexpr std::uint32_t slots = 16;
  static std::uint32_t slot(std::uint64_t frame) noexcept {
    return static_cast<std::uint32_t>(frame % slots);
  }
  FlushPolicy policy_;
};

}  // namespace passmeter::gl
