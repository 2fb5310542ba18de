// Random calls of a GlTimer against random faults of the driver, decoded from bytes: a libFuzzer target, and
// with fuzz_loop.cpp a plain program for compilers without libFuzzer.
//
// Checked after every call: no call that a well-behaved timer would not make (no read before available, no
// wait, no query used twice), bounded objects, and totals that add up. In the end: no frame is stuck, nothing
// leaks.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "fake_gl.h"
#include "passmeter/gl/gl_timer.h"

namespace {

using passmeter::testing::FakeGl;
using passmeter::testing::Flavour;

constexpr std::uint32_t pass_count = 4;
constexpr std::uint32_t frames_in_flight = 3;
constexpr std::uint32_t scopes_per_frame = 12;
// Two stamps a scope (or as many segments), for each frame in flight; the frames given up may add as many.
constexpr std::size_t most_objects = 4 * scopes_per_frame * (frames_in_flight + 1);

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "gl_timer_fuzz: %s\n", what.c_str());
  std::abort();
}

/// The input as a stream of small numbers; 0 once it has run out.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ == size_; }
  unsigned next() { return empty() ? 0 : data_[at_++]; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

class Run {
 public:
  explicit Run(Bytes& bytes) : bytes_(bytes), fake_(flavour(bytes.next())) {
    fake_.make_current();
    fake_.set_reset_notification(true);
    fake_.set_gpu_time(1'000'000'000);
    start_ns_ = fake_.gpu_time();
    passmeter::TimerConfig config{.passes = {"a", "b", "c", "d"}};
    config.frames_in_flight = frames_in_flight;
    config.max_scopes_per_frame = scopes_per_frame;
    config.late_after_frames = 20;
    config.cpu_clock = {&FakeGl::cpu_now, &fake_};
    config.on_frame = {[](void* self, const passmeter::FrameSample& sample) {
                         static_cast<Run*>(self)->check_sample(sample);
                       },
                       this};
    static constexpr std::array clocks = {passmeter::gl::Clock::automatic, passmeter::gl::Clock::timestamp,
                                          passmeter::gl::Clock::time_elapsed, passmeter::gl::Clock::fence};
    timer_.emplace(std::move(config), &FakeGl::get,
                   passmeter::gl::GlOptions{.clock = clocks[bytes.next() % clocks.size()]});
  }

  void step() {
    call(bytes_.next() % 24);
    check();
  }

  /// Whatever happened before, a healthy driver brings everything back.
  void finish() {
    scopes_.clear();
    if (loss_is_coming_) fake_.lose_context();  // else it would come below, or not at all
    if (fake_.lost() || timer_->state() == passmeter::State::lost) recover();
    fake_.set_latency_frames(0);
    fake_.set_jitter_frames(0);
    fake_.release_all();
    timer_->set_enabled(true);
    for (int i = 0; i < 30; ++i) {
      timer_->begin_frame();
      timer_->end_frame();
      fake_.next_frame();
      timer_->poll();
    }
    check();
    const passmeter::Report report = timer_->report();
    if (report.frames_in_flight != 0) fail("a frame is stuck");
    for (const passmeter::SeriesReport& row : report.series) {
      if (row.in_flight != 0) fail(row.name + " has a mark that never got a verdict");
    }
    timer_.reset();
    if (fake_.live_queries() != 0 || fake_.live_syncs() != 0) fail("objects are left behind");
    check_driver();
  }

 private:
  static Flavour flavour(unsigned byte) {
    static constexpr std::array flavours = {Flavour::desktop, Flavour::gles3, Flavour::gles2,
                                            Flavour::webgl2};
    return flavours[byte % flavours.size()];
  }

  void call(unsigned what) {
    switch (what) {
      case 0:
      case 1:
        timer_->begin_frame();
        break;
      case 2:
      case 3:
        timer_->end_frame();
        fake_.next_frame();
        break;
      case 4:
      case 5:
        timer_->open(passmeter::PassId{bytes_.next() % (pass_count + 1)});  // one of them is unknown
        break;
      case 6:
      case 7:
        timer_->close(passmeter::PassId{bytes_.next() % (pass_count + 1)});
        break;
      case 8:
      case 9:
        if (scopes_.size() < 20) {
          scopes_.push_back(timer_->scope(passmeter::PassId{bytes_.next() % pass_count}));
        }
        break;
      case 10:
      case 11:
        if (!scopes_.empty()) drop_scope(bytes_.next() % scopes_.size());
        break;
      case 12:
      case 13:
        fake_.advance(1000 * static_cast<std::int64_t>(bytes_.next()));
        break;
      case 14:
        fake_.set_latency_frames(static_cast<int>(bytes_.next() % 6));
        break;
      case 15:
        fake_.hold_all();
        break;
      case 16:
        fake_.release_all();
        break;
      case 17:
        fake_.make_ready(bytes_.next() % 8, passmeter::testing::ReadyOrder::shuffled, bytes_.next());
        break;
      case 18:
        fake_.set_disjoint();
        break;
      case 19:
        fake_.lose_context_at(1 + bytes_.next() % 40);
        loss_is_coming_ = true;
        break;
      case 20:
        if (fake_.lost()) recover();
        break;
      case 21:
        timer_->set_enabled(bytes_.next() % 2 != 0);
        break;
      case 22:
        fake_.set_zero_stamps(bytes_.next() % 4 == 0);
        break;
      case 23:
        fake_.set_jitter_frames(static_cast<int>(bytes_.next() % 4), 1 + bytes_.next());
        break;
      default:
        break;
    }
  }

  void drop_scope(std::size_t index) { scopes_.erase(scopes_.begin() + static_cast<std::ptrdiff_t>(index)); }

  void recover() {
    timer_->notify_lost();
    if (fake_.lost()) fake_.restore();
    loss_is_coming_ = false;
    timer_->restore();
  }

  void check() {
    check_driver();
    if (fake_.live_queries() > most_objects) fail("queries grow: " + std::to_string(fake_.live_queries()));
    if (fake_.live_syncs() > most_objects) fail("fences grow: " + std::to_string(fake_.live_syncs()));
    timer_->report(report_);
    if (report_.frames_in_flight > frames_in_flight) fail("too many frames in flight");
    std::uint64_t marks = 0;
    for (const passmeter::SeriesReport& row : report_.series) {
      marks += row.marks();
      if (row.in_flight > frames_in_flight + 1) fail(row.name + ": more in flight than frames");
      if (row.verdicts.accepted() == 0 && row.last == row.last)
        fail(row.name + " has a value without a sample");
    }
    if (marks < last_marks_) fail("marks disappeared");
    last_marks_ = marks;
  }

  void check_driver() {
    if (!fake_.violations().empty()) fail(fake_.violations_text());
    if (fake_.waits() != 0) fail("a call had to wait");
  }

  void check_sample(const passmeter::FrameSample& sample) {
    const auto most = static_cast<double>(fake_.gpu_time() - start_ns_);
    for (const passmeter::Interval& interval : sample.intervals) {
      if (interval.verdict != passmeter::Verdict::accepted) continue;
      if (!(interval.inclusive_ns >= 0 && interval.inclusive_ns <= most)) {
        fail("accepted " + std::to_string(interval.inclusive_ns) + " ns, outside what the clock ever showed");
      }
    }
  }

  Bytes& bytes_;
  FakeGl fake_;
  std::int64_t start_ns_ = 0;
  std::optional<passmeter::gl::GlTimer> timer_;
  std::vector<passmeter::Scope> scopes_;
  passmeter::Report report_;
  std::uint64_t last_marks_ = 0;
  bool loss_is_coming_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  Run run(bytes);
  while (!bytes.empty()) run.step();
  run.finish();
  return 0;
}
