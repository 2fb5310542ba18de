#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "passmeter/diagnostic.h"
#include "passmeter/report.h"
#include "passmeter/series.h"
#include "passmeter/verdict.h"

namespace passmeter {

/// What an occlusion helper can be told. Zero-initialised numbers mean the default; a value out of range is
/// replaced by the nearest valid one (Diagnostic::bad_config).
struct VisibilityConfig {
  std::uint32_t objects = 0;     ///< Ids are 0 to objects - 1. At most 1 << 20.
  std::uint32_t hide_after = 0;  ///< Answers of zero in a row that hide an object. 0: 2. At most 255.
  std::uint32_t retest_hidden_every = 0;   ///< Frames between two tests of a hidden object. 0: 3.
  std::uint32_t retest_visible_every = 0;  ///< Frames between two tests of a visible object. 0: 8.
  /// A hidden object whose last answer is older than this counts as unknown, and is drawn: one that was out
  /// of view for a while and comes back. 0: 30 frames. Too small for a pool too small, objects flicker; at
  /// least twice the frames that testing all hidden objects takes.
  std::uint32_t stale_after_frames = 0;
  /// An answer that has not come after this many frames is given up (Verdict::late). 0: 300.
  std::uint32_t late_after_frames = 0;
  double ema_alpha = 0.1;               ///< (0, 1].
  std::uint32_t percentile_window = 0;  ///< Values the percentiles look at. 0: 1024. At most 65536.
  std::string name = "occlusion";       ///< Begins the names of the rows in the report.
  LogCallback log = {};
};

/// What became of the wish to test an object.
enum class Ask : std::uint8_t {
  test,       ///< Test it now: draw its bounds inside a query.
  not_due,    ///< Its last answer is fresh enough.
  in_flight,  ///< Its last test is not answered yet.
  no_room,    ///< Due, but the pool has no free query; counted, and asked before others in the next frame.
  refused,    ///< Misuse (unknown id, outside a frame, another test open), or no queries here any more.
};

/// Which of many objects were seen last, from answers that arrive some frames after the question.
///
/// This is the part that all graphics APIs share: the rules. A backend's OcclusionQueries asks and answers.
///  - Unknown is visible. So is pending: an object keeps its last known state until an answer comes.
///  - An object is hidden by `hide_after` answers of zero in a row and visible again with the first other
///  one.
///  - Hidden objects are asked again every `retest_hidden_every` frames and visible ones every
///    `retest_visible_every`, spread over the frames by id; an object with its first zero, in each frame.
///  - With answers that take L frames, an object that comes into view while hidden is drawn at most
///    max(retest_hidden_every, L) - 1 + L frames late, as long as the pool has room for the tests.
///  - Tests that found no free query are asked first in the next frame, longest waiting first; one that is
///  not
///    asked for in the next frame has lapsed.
///
/// Not thread-safe. Never blocks. Allocates in the constructor and in append_to() only.
class Visibility {
 public:
  static constexpr std::uint32_t never = 0xFFFFFFFFu;

  explicit Visibility(VisibilityConfig config);

  /// False only if the object is known to be hidden. True for an id out of range
  /// (Diagnostic::unknown_object).
  bool visible(std::uint32_t object) const noexcept;
  /// Frames since the frame that the object's last answer is about; `never` if there is none.
  std::uint32_t age(std::uint32_t object) const noexcept;
  /// The last answer: samples that passed, or 0 and 1 where the query only says whether any did. 0 if
  /// unknown.
  std::uint64_t samples(std::uint32_t object) const noexcept;

  std::uint32_t objects() const noexcept { return static_cast<std::uint32_t>(objects_.size()); }
  std::uint32_t hidden() const noexcept { return hidden_; }        ///< Objects known to be hidden.
  std::uint32_t in_flight() const noexcept { return in_flight_; }  ///< Tests not answered yet.
  std::uint32_t tested() const noexcept { return tested_; }        ///< Tests begun in this frame so far.
  std::uint32_t skipped() const noexcept { return skipped_; }      ///< Tests this frame had no room for.
  /// Number of the frame begun last, from 0, as GpuTimer numbers its frames. 0 before the first.
  std::uint64_t frame() const noexcept { return begun_ == 0 ? 0 : begun_ - 1; }
  const VisibilityConfig& config() const noexcept { return config_; }

  /// Opens a frame; answers that have come are best given next. A frame still open is ended first
  /// (Diagnostic::frame_begun_twice).
  void begin_frame() noexcept;
  /// Says that `room` tests can be begun in this frame, and keeps some of it for those who wait. Once a
  /// frame, before the first ask(); without it there is room for none.
  void offer(std::uint32_t room) noexcept;
  /// Both at once.
  void begin_frame(std::uint32_t room) noexcept {
    begin_frame();
    offer(room);
  }
  /// Closes the frame and counts it. Without begin_frame(): Diagnostic::end_without_begin.
  void end_frame() noexcept;
  bool frame_open() const noexcept { return frame_open_; }
  /// Whether to test the object now. Answers Ask::test at most `room` times a frame; the test then counts as
  /// begun in this frame. Outside a frame: Diagnostic::scope_outside_frame.
  Ask ask(std::uint32_t object) noexcept;

  /// The answer to the test begun in `frame`: 0 samples, or how many (1 where nobody counted). An object that
  /// was forgotten or whose test was given up since takes no notice. What lose() counted is not counted
  /// again.
  void answer(std::uint32_t object, std::uint64_t frame, std::uint64_t samples) noexcept;
  /// That test will not be answered. The object keeps its state and may be asked again.
  void reject(std::uint32_t object, std::uint64_t frame, Verdict verdict) noexcept;
  /// Context or device lost: all in flight counts as Verdict::lost, every object is unknown again, and
  /// nothing is tested until the next begin_frame().
  void lose() noexcept;
  /// The object's state is unknown again (it moved far, or is another one now). A test in flight is ignored.
  void forget(std::uint32_t object) noexcept;
  /// The same for all objects, after a camera cut.
  void forget_all() noexcept;

  Diagnostics& diagnostics() const noexcept { return diagnostics_; }
  /// Answers' latency in frames. Its verdicts count every wish for a test: accepted, no_free_slot, lost,
  /// late.
  const Series& latency() const noexcept { return latency_series_; }
  /// Appends the rows "<name> tested", "<name> hidden", "<name> skipped", each a count per frame, and
  /// "<name> latency" in frames, one value an answer, its rejects being the tests that were not answered.
  void append_to(Report& report) const;
  /// Forgets the series, not the objects.
  void reset_statistics() noexcept;

 private:
  struct Object {
    std::uint64_t samples = 0;
    std::uint32_t tested_in = 0;    // frames as now() gives them; 0: never
    std::uint32_t answered_of = 0;  // frame that the last answer is about
    std::uint32_t wished_in = 0;    // last frame in which a test was due and asked for
    std::uint32_t turn_in = 0;      // frame in which a query is kept for it
    std::uint32_t older = never;    // neighbours in the list of hidden objects
    std::uint32_t newer = never;
    std::uint8_t zeros = 0;
    bool known = false;
    bool hidden = false;
    bool pending = false;
    bool waiting = false;
  };

  bool contains(std::uint32_t object) const noexcept;
  bool due(const Object& object, std::uint32_t id) const noexcept;
  void start(Object& object) noexcept;
  void skip(Object& object, std::uint32_t id) noexcept;
  void give_turns() noexcept;
  void drop_stale() noexcept;
  void make_unknown(std::uint32_t id) noexcept;
  void hide(std::uint32_t id) noexcept;
  void unhide(std::uint32_t id) noexcept;
  /// Frames begun, modulo 2^32: two years of frames at 60 Hz, and differences stay right across the wrap.
  std::uint32_t now() const noexcept { return static_cast<std::uint32_t>(begun_); }

  VisibilityConfig config_;
  mutable Diagnostics diagnostics_;
  std::vector<Object> objects_;
  std::vector<std::uint32_t> waiting_;  // a ring of ids, longest waiting first
  std::uint32_t waiting_first_ = 0;
  std::uint32_t waiting_used_ = 0;
  std::uint32_t oldest_hidden_ = never;  // ends of the list of hidden objects, by age of answer
  std::uint32_t newest_hidden_ = never;
  std::uint32_t hidden_ = 0;
  std::uint32_t in_flight_ = 0;
  std::uint32_t room_ = 0;
  std::uint32_t kept_ = 0;  // of the room, for those whose turn it is
  std::uint32_t tested_ = 0;
  std::uint32_t skipped_ = 0;
  std::uint64_t begun_ = 0;
  std::uint64_t lost_before_ = 0;  // tests of frames before this one were counted as lost
  bool frame_open_ = false;
  bool lost_ = false;  // in this frame
  Series tested_series_;
  Series hidden_series_;
  Series skipped_series_;
  Series latency_series_;
};

}  // namespace passmeter
