// A scripted OpenGL driver: get() is a get-proc-address, behind it no GPU but a script. It answers as a real
// driver would, can be made to misbehave as real drivers do, and lists every call that a well-behaved timer
// would not make. After warm-up no call allocates, so allocation counts and cost benches may run on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "fake_gl_enums.h"

namespace passmeter::testing {

// The API a context speaks. It decides which names get() knows and which targets exist.
//   desktop  OpenGL 4.5 core; timer queries by GL_ARB_timer_query or version 3.3.
//   gles2    OpenGL ES 2.0; suffixed entry points only, timer queries by GL_EXT_disjoint_timer_query.
//   gles3    OpenGL ES 3.2; core and suffixed entry points, the same extension.
//   webgl1   WebGL 1 through Emscripten: suffixed entry points only.
//   webgl2   WebGL 2 through Emscripten: core query entry points, of the suffixed ones only glQueryCounterEXT
//            and the 64-bit getters; TIMESTAMP has 0 bits.
// On WebGL no result is available in the frame that issued it, whatever the latency says.
enum class Flavour : std::uint8_t { desktop, gles2, gles3, webgl1, webgl2 };

// The order in which make_ready() picks among the results that are not ready yet.
enum class ReadyOrder : std::uint8_t { oldest_first, newest_first, shuffled };

struct FakeGlDriver;

// One fake context. Make it current on a thread, hand get() to the code under test, script it, and assert in
// the end that violations() is empty. Not thread-safe: one context, one thread at a time, as in OpenGL.
class FakeGl {
 public:
  using Proc = void (*)();

  explicit FakeGl(Flavour flavour = Flavour::desktop);
  ~FakeGl();
  FakeGl(const FakeGl&) = delete;
  FakeGl& operator=(const FakeGl&) = delete;

  // The get-proc-address; null for a name that the current context's flavour lacks, or with no context.
  static Proc get(const char* name);

  // Makes this context current on the calling thread.
  void make_current();
  // Leaves the calling thread without a context.
  static void release_current();
  // GL calls made on any thread while it had no context, since the process began.
  static std::uint64_t stray_calls();

  // --- What the context says it is ---
  void set_version(const char* text);  // "4.5.0 fake", "OpenGL ES 3.2 fake"
  void set_shading_language_version(const char* text);
  void set_vendor(const char* text);
  void set_renderer(const char* text);
  void set_extensions(std::initializer_list<const char*> names);  // replaces the flavour's list
  void remove_extension(const char* name);                        // without regard to a leading GL_
  // Makes get() answer null for this name.
  void hide(const char* name);
  // Hides every 64-bit query getter, suffixed or not.
  void hide_64_bit_getters();
  // Makes get() answer for every name, as libglvnd and Emscripten do. Calling one that the flavour lacks is
  // then a violation and does nothing.
  void expose_all_names(bool on);
  // What QUERY_COUNTER_BITS answers for a target (gl_enum::timestamp, ...). Values are not cut to it: see
  // set_wrap_bits(). With 0 bits a
  // time query answers 0, and starting one is a violation.
  void set_counter_bits(unsigned target, int bits);
  // Whether the context was made with reset notification; without it the reset status is always NO_ERROR.
  void set_reset_notification(bool on);
  // Ids deleted or lost are given out again as they are, as real drivers do. Off by default, so that a stale
  // id is always noticed.
  void set_reuse_ids(bool on);

  // --- Clocks: nanoseconds, moved by hand ---
  void advance_cpu(std::int64_t ns);
  void advance_gpu(std::int64_t ns);
  void advance(std::int64_t ns);  // both
  void set_gpu_time(std::int64_t ns);
  std::int64_t cpu_time() const;
  std::int64_t gpu_time() const;
  // The CPU clock as a callback: self is the FakeGl.
  static std::int64_t cpu_now(void* self);
  // Every GPU stamp taken, or every cpu_now(), first moves that clock by so much. 0 by default.
  void set_gpu_tick(std::int64_t ns);
  void set_cpu_tick(std::int64_t ns);

  // --- When results are ready (queries and fences alike) ---
  // Begins the next frame. Does not flush.
  void next_frame();
  std::int64_t frame() const;
  // Ready so many next_frame() calls after the end of the query. Default 0.
  void set_latency_frames(int frames);
  // Ready when, beside that, the CPU clock moved by so much. Default 0.
  void set_latency_ns(std::int64_t ns);
  // Adds 0 to max_frames of latency to each result, at random: results get ready out of order.
  void set_jitter_frames(int max_frames, std::uint64_t seed = 1);
  // Results need a flush after their end to get ready, whatever else is said here (as on llvmpipe).
  void set_needs_flush(bool on);
  // Nothing more gets ready by itself; what is ready stays so.
  void hold_all();
  // Makes up to count of the results not ready yet ready; answers how many it found.
  std::size_t make_ready(std::size_t count, ReadyOrder order = ReadyOrder::oldest_first,
                         std::uint64_t seed = 1);
  // Makes all of them ready and ends hold_all().
  void release_all();

  // --- What results say ---
  // The next results, raw, in the order of the calls: glQueryCounter takes a stamp, the end of a TIME_ELAPSED
  // query an elapsed time, the end of any other query a value of its target. Where a queue is empty, times
  // come from the GPU clock and counts from the draws.
  void push_stamps(std::initializer_list<std::uint64_t> values);
  void push_elapsed(std::initializer_list<std::uint64_t> values);
  void push_results(unsigned target, std::initializer_list<std::uint64_t> values);
  // These shape what comes from the GPU clock: steps of so many ns, wrapping at so many bits (64 = never),
  // all 0.
  void set_quantum(std::int64_t ns);
  void set_wrap_bits(int bits);
  void set_zero_stamps(bool on);
  // QUERY_RESULT_NO_WAIT does nothing, also where the version has it (4.4, or ARB_query_buffer_object).
  void set_no_wait_ignored(bool on);
  // Each draw call passes so many samples; transform feedback has room for so many primitives per begin.
  void set_samples_per_draw(std::uint64_t samples);
  void set_feedback_capacity(std::uint64_t primitives);
  // What glReadPixels reads: these 4 bytes, over and over.
  void set_pixel(std::uint32_t rgba);

  // --- Faults ---
  // Sets GPU_DISJOINT; reading it clears it, unless it was set to stick.
  void set_disjoint();
  void set_disjoint_sticks(bool on);
  // The next count calls of glGenQueries write 0 for every id.
  void fail_query_creation(int count = 1);
  // The k-th GL call from now (1 = the next) and the repeat - 1 calls after it do nothing but raise this
  // error. glGetError and the reset status work as ever.
  void fail_call(std::uint64_t k, unsigned error = gl_enum::out_of_memory, std::uint64_t repeat = 1);
  // The context is lost now, or just before the k-th GL call from now. From then on calls do nothing but
  // raise CONTEXT_LOST (CONTEXT_LOST_WEBGL once on WebGL); queries are available with the value 0 and fences
  // signalled, as KHR_robustness has it (on WebGL: neither, ever); the reset status is UNKNOWN_CONTEXT_RESET
  // once.
  void lose_context();
  void lose_context_at(std::uint64_t k);
  bool lost() const;
  // A fresh context in the lost one's place: every old id is invalid, no error, default state.
  void restore();
  // The context is gone: any later call is a violation.
  void destroy_context();
  // Waiting (glFinish, a wait with a timeout, reading what is not available) is no violation.
  void allow_waits(bool on);

  // --- What the calls were ---
  // Every call a well-behaved timer would not make, one sentence each, the first 256 of them. Every GL error
  // that was not injected is among them.
  const std::vector<std::string>& violations() const;
  // All violations in one string, for assertion messages.
  std::string violations_text() const;
  void clear_violations();

  std::uint64_t calls(const char* name) const;  // of one entry point, since the last reset_counters()
  std::uint64_t total_calls() const;            // of all entry points
  std::uint64_t query_calls() const;            // of all that have to do with queries
  std::uint64_t disjoint_reads() const;
  std::uint64_t flushes() const;  // glFlush, glFinish, waits with the flush bit, blocking reads
  std::uint64_t waits() const;    // calls that had to wait, or could have
  std::uint64_t reused_in_flight()
      const;                             // begun again before the result was reported available: a violation
  std::uint64_t dropped_unread() const;  // begun again or deleted with the result available, but not read
  std::uint64_t deleted_in_flight() const;  // deleted before the result was reported available
  std::uint64_t errors_raised() const;      // not counting injected ones
  void reset_counters();                    // calls and the counts above; not violations, peaks or objects

  std::size_t live_queries() const;
  std::size_t live_syncs() const;
  std::size_t live_buffers() const;
  std::size_t peak_live_queries() const;
  std::size_t peak_live_syncs() const;
  std::size_t active_queries() const;  // begun and not ended
  std::size_t unread_results() const;  // ended and not read since
  unsigned pending_error() const;      // what glGetError would answer, without clearing it
  int debug_group_depth() const;

 private:
  std::unique_ptr<FakeGlDriver> driver_;
};

}  // namespace passmeter::testing
