// What a GlTimer holds.
#pragma once

#include <cstdint>
#include <vector>

#include "clock_choice.h"
#include "debug_groups.h"
#include "elapsed_clock.h"
#include "fence_clock.h"
#include "flush_policy.h"
#include "gl_functions.h"
#include "stamp_clock.h"

namespace passmeter::gl {

struct GlTimer::Impl {
  /// A frame in flight, on its way out.
  enum class Stage : std::uint8_t { waiting, available, filled, failed };

  struct Slot {
    Clock clock = Clock::none;  ///< The frame was marked with this one, whichever is used now.
    Stage stage = Stage::waiting;
    bool disjoint = false;  ///< The GPU's clock was interrupted while the frame was open.
    bool refused = false;   ///< Its first mark could not be made, so none of its others is.
  };

  Impl(Loader load_with, GlOptions given) : loader(load_with), options(given) {}

  /// Asks the driver for everything and chooses the clock. False: no context.
  bool start(GlTimer& timer);
  /// Makes the chosen clock ready for use; no driver call.
  void use(GlTimer& timer, ClockChoice choice);
  void delete_all() noexcept;

  bool mark_open(std::uint32_t slot_number, std::uint32_t interval, bool top_level) noexcept;
  bool say_why_refused(GlTimer& timer, std::uint32_t slot_number) noexcept;
  static Stage stage_of(Answer answer, Stage yes) noexcept;
  Stage look_at(std::uint32_t slot_number, bool& news) noexcept;
  Answer fill(GlTimer& timer, Frame& frame, std::int64_t now_ns) noexcept;
  void abandon(std::uint32_t slot_number) noexcept;
  void discard(std::uint32_t slot_number) noexcept;
  /// Reads GPU_DISJOINT, which clears it.
  bool read_disjoint() noexcept;
  static std::int64_t quantum_slack_ns(const GlTimer& timer) noexcept;
  void try_disjoint() noexcept;
  bool context_lost() noexcept;
  void void_all(GlTimer& timer) noexcept;
  void flush_if_needed(GlTimer& timer) noexcept;

  const Loader loader;
  const GlOptions options;
  GlFunctions gl;
  ContextInfo info;
  Clock clock = Clock::none;  ///< For frames that begin now.
  Clock plain = Clock::none;  ///< The clock of the frame being marked, if its marks are all that a pass gets.
  StampClock stamp;
  ElapsedClock elapsed;
  FenceClock fence;
  FlushPolicy flushes;
  DebugGroups groups;
  std::vector<Slot> slots;
  bool has_context = false;
  bool group_passes = false;
  bool collecting = false;
  bool reset_checked = false;  ///< The reset status was asked for since the last on_check_lost().
};

}  // namespace passmeter::gl
