// The state of one fake context and what its entry points do to it. Private to the fake driver.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fake_gl.h"
#include "fake_gl_entries.h"
#include "fake_gl_slots.h"

namespace passmeter::testing {

// Query targets as array indices.
enum Target : std::uint8_t {
  target_timestamp,
  target_elapsed,
  target_samples,
  target_any_samples,
  target_any_samples_conservative,
  target_generated,
  target_written,
  target_count
};

// Targets that exclude each other share a class: the three occlusion targets do.
enum QueryClass : std::uint8_t {
  class_elapsed,
  class_occlusion,
  class_generated,
  class_written,
  class_count
};

enum BufferTarget : std::uint8_t {
  buffer_array,
  buffer_element,
  buffer_pack,
  buffer_unpack,
  buffer_uniform,
  buffer_feedback,
  buffer_copy_read,
  buffer_copy_write,
  buffer_indirect,
  buffer_storage,
  buffer_counter,
  buffer_target_count
};

// What decides when a result gets ready.
struct Pending {
  std::uint64_t serial = 0;  // position in the command stream
  std::int64_t ready_frame = 0;
  std::int64_t ready_ns = 0;
  bool forced = false;  // ready by order of the script, or because it was before hold_all()
};

struct QueryObject {
  enum State : std::uint8_t { fresh, active, ended };
  Pending pending;
  std::uint64_t result = 0;  // a count while active, the answer once ended
  std::uint64_t begin_stamp = 0;
  Target target = target_count;  // of its first use: it keeps it
  State state = fresh;
  bool reported = false;  // available was answered true
  bool read = false;
  void reset() { *this = QueryObject{}; }
};

struct SyncObject {
  Pending pending;
  void reset() { *this = SyncObject{}; }
};

struct BufferObject {
  std::vector<std::uint8_t> bytes;
  std::uint64_t written_serial = 0;  // last GPU write into it
  bool mapped = false;
  void reset() {
    bytes.clear();  // keeps its memory
    written_serial = 0;
    mapped = false;
  }
};

// What is to become of a call.
enum class Admit : std::uint8_t {
  run,
  refused,  // an injected error, or a context that does not have this call: does nothing
  lost,     // the context is lost: does nothing, answers what a lost context answers
};

struct FakeGlDriver {
  explicit FakeGlDriver(Flavour flavour);

  // Counts a call and answers what is to become of it.
  Admit admit(Entry entry) {
    const auto index = static_cast<std::size_t>(entry);
    ++calls[index];
    if (++sequence >= trigger || !allowed[index]) [[unlikely]]
      return admit_slowly(entry);
    return Admit::run;
  }
  Admit admit_slowly(Entry entry);
  void set_trigger();
  void lose();
  void restore();

  // Says what the flavour, version and extensions support. After each change of them.
  void update_support();
  bool has_extension(const char* name) const;
  bool is_web() const { return flavour == Flavour::webgl1 || flavour == Flavour::webgl2; }
  int version_part(int part) const;  // 0 = major, 1 = minor

  // Raises a GL error that the calling code is to blame for: a violation.
  void raise(unsigned error, const char* format, ...) __attribute__((format(printf, 3, 4)));
  void violate(const char* format, ...) __attribute__((format(printf, 2, 3)));
  void add_violation(std::string text);
  void set_error(unsigned error);
  void waited(const char* call);

  // Clocks and readiness.
  std::uint64_t stamp();
  std::uint64_t elapsed_since(std::uint64_t begin);
  Pending issue();
  bool is_done(const Pending& pending) const;   // by the script
  bool is_ready(const Pending& pending) const;  // done and flushed
  void flush_now();
  void finish();
  std::uint64_t next_random();
  void collect_unready(std::vector<Pending*>& into);

  // Queries.
  static Target target_index(unsigned target);  // target_count for an unknown one
  Target supported_target(unsigned target, const char* call);
  void gen_queries(int count, unsigned* ids);
  void delete_queries(int count, const unsigned* ids);
  bool is_query(unsigned id);
  void begin_query(unsigned target, unsigned id);
  void end_query(unsigned target);
  void query_counter(unsigned id, unsigned target);
  void get_query_iv(unsigned target, unsigned name, int* value);
  bool get_query_object(unsigned id, unsigned name, std::uint64_t* value);
  QueryObject* query_to_start(unsigned id, Target target, const char* call);
  std::uint64_t read_result(QueryObject& query, unsigned id);

  // Fences.
  std::uint32_t fence_sync(unsigned condition, unsigned flags);
  unsigned client_wait_sync(std::uint32_t id, unsigned flags, std::uint64_t timeout);
  void get_sync_iv(std::uint32_t id, unsigned name, int size, int* length, int* values);
  void delete_sync(std::uint32_t id);
  bool poll_sync(SyncObject& sync);

  // Properties and fixed state.
  const char* get_string(unsigned name);
  const char* get_string_i(unsigned name, unsigned index);
  unsigned take_error();
  unsigned take_reset_status();
  int get_integers(unsigned name, std::int64_t (&values)[4]);  // how many; 0 = not a known name
  void set_capability(unsigned capability, bool on);
  bool is_enabled(unsigned capability);
  int capability_index(unsigned capability, const char* call);  // -1 for an unknown one

  // Draws and transform feedback.
  void draw(unsigned mode, int count);
  void begin_feedback(unsigned mode);
  void pause_feedback(bool pause);
  void end_feedback();

  // Buffers and pixels.
  int buffer_index(unsigned target);
  BufferObject* bound_buffer(unsigned target, const char* call);
  void bind_buffer(unsigned target, unsigned id);
  void gen_buffers(int count, unsigned* ids);
  void delete_buffers(int count, const unsigned* ids);
  void buffer_data(unsigned target, std::ptrdiff_t size, const void* data);
  BufferObject* buffer_range(unsigned target, std::ptrdiff_t offset, std::ptrdiff_t size, const char* call);
  void buffer_sub_data(unsigned target, std::ptrdiff_t offset, std::ptrdiff_t size, const void* data);
  void copy_buffer(unsigned from, unsigned to, std::ptrdiff_t read, std::ptrdiff_t write,
                   std::ptrdiff_t size);
  void* map_buffer(unsigned target, std::ptrdiff_t offset, std::ptrdiff_t size, unsigned access);
  bool unmap_buffer(unsigned target);
  void get_buffer_sub_data(unsigned target, std::ptrdiff_t offset, std::ptrdiff_t size, void* data);
  void read_pixels(int width, int height, unsigned format, unsigned type, void* pixels);
  // The limits every driver has at least, and the message length most have.
  static constexpr int most_debug_groups = 64;
  static constexpr int longest_debug_message = 4096;
  void push_debug_group(int length);
  void pop_debug_group();

  // Identity.
  Flavour flavour;
  std::string version, shading_language_version, vendor, renderer, joined_extensions;
  std::vector<std::string> extensions;
  std::array<bool, entry_count> hidden{};
  std::array<bool, entry_count> allowed{};
  std::array<bool, target_count> supported{};
  std::array<int, target_count> counter_bits{};
  bool has_disjoint = false;
  bool has_no_wait = false;
  bool expose_all = false;
  bool reset_notification = true;
  bool reuse_ids = false;

  // Clocks.
  std::int64_t cpu_ns = 1'000'000'000;
  std::int64_t gpu_ns = 5'000'000'000;
  std::int64_t gpu_tick = 0;
  std::int64_t cpu_tick = 0;
  std::int64_t quantum = 1;
  std::uint64_t wrap_mask = ~std::uint64_t{0};
  bool zero_stamps = false;
  bool no_wait_ignored = false;

  // Readiness.
  std::int64_t frame = 0;
  std::int64_t latency_frames = 0;
  std::int64_t latency_ns = 0;
  std::uint64_t jitter_frames = 0;
  std::uint64_t random_state = 1;
  std::uint64_t serial = 0;
  std::uint64_t flushed_serial = 0;
  std::uint64_t signalled_serial = 0;  // commands that a fence reported done
  bool needs_flush = false;
  bool held = false;
  std::vector<Pending*> scratch;

  // Objects.
  SlotTable<QueryObject> queries;
  SlotTable<SyncObject> syncs;
  SlotTable<BufferObject> buffers;
  std::array<std::uint32_t, class_count> active{};  // query ids
  std::array<ValueQueue, target_count> scripted;

  // Fixed state.
  std::array<bool, 4> color_mask{true, true, true, true};
  bool depth_mask = true;
  std::uint32_t capabilities = 0;
  int pack_alignment = 4;
  int pack_row_length = 0;
  std::array<std::uint32_t, buffer_target_count> bound{};
  bool feedback_active = false;
  bool feedback_paused = false;
  unsigned feedback_mode = 0;
  std::uint64_t feedback_written = 0;
  std::uint64_t feedback_capacity = ~std::uint64_t{0};
  std::uint64_t samples_per_draw = 1;
  std::uint32_t pixel = 0xFF204080;
  int debug_groups = 0;

  // Faults.
  bool disjoint = false;
  bool disjoint_sticks = false;
  int failing_creations = 0;
  std::uint64_t sequence = 0;                 // calls ever made
  std::uint64_t trigger = ~std::uint64_t{0};  // from this call on admit() looks closer
  std::uint64_t fail_at = ~std::uint64_t{0};
  std::uint64_t fail_until = 0;
  std::uint64_t lose_at = ~std::uint64_t{0};
  unsigned injected_error = 0;
  bool lost = false;
  bool reset_reported = false;
  bool destroyed = false;
  bool allow_waits = false;
  unsigned error = 0;

  // Counts.
  std::array<std::uint64_t, entry_count> calls{};
  std::uint64_t total_calls_before = 0;  // sequence at the last reset_counters()
  std::uint64_t disjoint_reads = 0;
  std::uint64_t flushes = 0;
  std::uint64_t waits = 0;
  std::uint64_t reused_in_flight = 0;
  std::uint64_t dropped_unread = 0;
  std::uint64_t deleted_in_flight = 0;
  std::uint64_t errors_raised = 0;
  std::vector<std::string> violations;
};

// The context that is current on this thread, or null.
FakeGlDriver*& current_driver();
void count_stray_call();

}  // namespace passmeter::testing
