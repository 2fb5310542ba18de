#include "fake_gl_driver.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace passmeter::testing {
namespace {

using namespace gl_enum;

constexpr std::uint64_t never = ~std::uint64_t{0};
constexpr std::size_t max_violations = 256;

constinit thread_local FakeGlDriver* current = nullptr;
constinit std::atomic<std::uint64_t> stray{0};

const char* bare_name(const char* name) { return std::strncmp(name, "GL_", 3) == 0 ? name + 3 : name; }

std::uint8_t flavour_bit(Flavour flavour) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(flavour));
}

QueryClass class_of(Target target) {
  switch (target) {
    case target_samples:
    case target_any_samples:
    case target_any_samples_conservative:
      return class_occlusion;
    case target_generated:
      return class_generated;
    case target_written:
      return class_written;
    default:
      return class_elapsed;
  }
}

bool is_yes_or_no(Target target) {
  return target == target_any_samples || target == target_any_samples_conservative;
}

// The error queries and the reset status work in a lost context and cannot be made to fail.
bool is_status_call(Entry entry) {
  switch (entry) {
    case Entry::glGetError:
    case Entry::glGetGraphicsResetStatus:
    case Entry::glGetGraphicsResetStatusKHR:
    case Entry::glGetGraphicsResetStatusEXT:
    case Entry::glGetGraphicsResetStatusARB:
      return true;
    default:
      return false;
  }
}

const char* entry_name(Entry entry) { return entry_table[static_cast<std::size_t>(entry)].name; }

}  // namespace

FakeGlDriver*& current_driver() { return current; }
void count_stray_call() { stray.fetch_add(1, std::memory_order_relaxed); }
std::uint64_t FakeGl::stray_calls() { return stray.load(std::memory_order_relaxed); }

FakeGlDriver::FakeGlDriver(Flavour of) : flavour(of), vendor("passmeter"), renderer("fake driver") {
  switch (flavour) {
    case Flavour::desktop:
      version = "4.5 (Core Profile) fake";
      shading_language_version = "4.50";
      extensions = {"GL_ARB_timer_query", "GL_ARB_sync", "GL_ARB_robustness", "GL_KHR_robustness",
                    "GL_KHR_debug"};
      break;
    case Flavour::gles2:
      version = "OpenGL ES 2.0 fake";
      shading_language_version = "OpenGL ES GLSL ES 1.00";
      extensions = {"GL_EXT_disjoint_timer_query", "GL_EXT_occlusion_query_boolean", "GL_EXT_robustness",
                    "GL_KHR_robustness", "GL_KHR_debug"};
      break;
    case Flavour::gles3:
      version = "OpenGL ES 3.2 fake";
      shading_language_version = "OpenGL ES GLSL ES 3.20";
      extensions = {"GL_EXT_disjoint_timer_query", "GL_EXT_robustness", "GL_KHR_robustness", "GL_KHR_debug"};
      break;
    case Flavour::webgl1:
      // Emscripten lists every extension twice, with and without the prefix.
      version = "OpenGL ES 2.0 (WebGL 1.0 fake)";
      shading_language_version = "OpenGL ES GLSL ES 1.00 (WebGL)";
      extensions = {"EXT_disjoint_timer_query", "GL_EXT_disjoint_timer_query"};
      break;
    case Flavour::webgl2:
      version = "OpenGL ES 3.0 (WebGL 2.0 fake)";
      shading_language_version = "OpenGL ES GLSL ES 3.00 (WebGL)";
      extensions = {"EXT_disjoint_timer_query_webgl2", "GL_EXT_disjoint_timer_query_webgl2"};
      break;
  }
  counter_bits = {64, 64, 32, 1, 1, 32, 32};
  if (is_web()) counter_bits[target_timestamp] = 0;
  scratch.reserve(4096);
  violations.reserve(max_violations);
  for (std::size_t i = 0; i < entry_count; ++i)
    allowed[i] = (entry_table[i].flavours & flavour_bit(flavour)) != 0;
  update_support();
}

// --- Admission, loss and errors ---

Admit FakeGlDriver::admit_slowly(Entry entry) {
  if (destroyed) {
    violate("%s called after the context was destroyed", entry_name(entry));
    return Admit::refused;
  }
  if (!allowed[static_cast<std::size_t>(entry)]) {
    violate("%s called, which this kind of context does not have", entry_name(entry));
    return Admit::refused;
  }
  if (sequence >= lose_at) lose();
  if (lost) {
    if (is_status_call(entry)) return Admit::run;
    if (!is_web()) set_error(context_lost);
    return Admit::lost;
  }
  if (sequence >= fail_until) {
    fail_at = never;
    set_trigger();
    return Admit::run;
  }
  if (sequence < fail_at || is_status_call(entry)) return Admit::run;
  set_error(injected_error);
  return Admit::refused;
}

void FakeGlDriver::set_trigger() { trigger = destroyed || lost ? 0 : std::min(fail_at, lose_at); }

void FakeGlDriver::lose() {
  lose_at = never;
  if (lost) return;
  lost = true;
  reset_reported = false;
  if (is_web()) set_error(context_lost_webgl);
  set_trigger();
}

void FakeGlDriver::restore() {
  lost = destroyed = false;
  fail_at = lose_at = never;
  set_trigger();
  queries.clear();
  syncs.clear();
  buffers.clear();
  active.fill(0);
  bound.fill(0);
  color_mask.fill(true);
  depth_mask = true;
  capabilities = 0;
  pack_alignment = 4;
  pack_row_length = 0;
  feedback_active = feedback_paused = false;
  debug_groups = 0;
  disjoint = false;
  error = 0;
}

void FakeGlDriver::set_error(unsigned code) {
  if (error == no_error) error = code;
}

void FakeGlDriver::add_violation(std::string text) {
  if (violations.size() < max_violations) violations.push_back(std::move(text));
}

void FakeGlDriver::violate(const char* format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  add_violation(text);
}

void FakeGlDriver::raise(unsigned code, const char* format, ...) {
  ++errors_raised;
  set_error(code);
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  char tail[32];
  std::snprintf(tail, sizeof tail, " (GL error 0x%04X)", code);
  add_violation(std::string(text) + tail);
}

void FakeGlDriver::waited(const char* call) {
  ++waits;
  if (!allow_waits) violate("%s waits for the GPU", call);
}

unsigned FakeGlDriver::take_error() {
  const unsigned answer = error;
  error = no_error;
  return answer;
}

unsigned FakeGlDriver::take_reset_status() {
  if (!reset_notification || !lost || reset_reported) return no_error;
  reset_reported = true;
  return unknown_context_reset;
}

// --- What is supported ---

bool FakeGlDriver::has_extension(const char* name) const {
  return std::any_of(extensions.begin(), extensions.end(), [&](const std::string& text) {
    return std::strcmp(bare_name(text.c_str()), bare_name(name)) == 0;
  });
}

int FakeGlDriver::version_part(int part) const {
  const std::size_t digit = version.find_first_of("0123456789");
  int numbers[2] = {0, 0};
  if (digit != std::string::npos) std::sscanf(version.c_str() + digit, "%d.%d", &numbers[0], &numbers[1]);
  return numbers[part];
}

void FakeGlDriver::update_support() {
  joined_extensions.clear();
  for (const std::string& name : extensions) joined_extensions += name + " ";
  const int number = version_part(0) * 10 + version_part(1);
  const bool desktop = flavour == Flavour::desktop;
  const bool timer =
      has_extension("EXT_disjoint_timer_query") || has_extension("EXT_disjoint_timer_query_webgl2");
  const bool v3 = flavour == Flavour::gles3 || flavour == Flavour::webgl2;
  has_disjoint = !desktop && timer;
  has_no_wait = desktop && (number >= 44 || has_extension("ARB_query_buffer_object"));
  supported[target_elapsed] = desktop ? number >= 33 || has_extension("ARB_timer_query") : timer;
  supported[target_timestamp] = supported[target_elapsed];
  supported[target_samples] = desktop;
  supported[target_any_samples] = desktop || v3 || has_extension("EXT_occlusion_query_boolean");
  supported[target_any_samples_conservative] =
      desktop ? number >= 43 || has_extension("ARB_ES3_compatibility") : supported[target_any_samples];
  supported[target_written] = desktop || v3;
  supported[target_generated] = desktop || (flavour == Flavour::gles3 && number >= 32);
}

Target FakeGlDriver::target_index(unsigned target) {
  switch (target) {
    case timestamp:
      return target_timestamp;
    case time_elapsed:
      return target_elapsed;
    case samples_passed:
      return target_samples;
    case any_samples_passed:
      return target_any_samples;
    case any_samples_passed_conservative:
      return target_any_samples_conservative;
    case primitives_generated:
      return target_generated;
    case transform_feedback_primitives_written:
      return target_written;
    default:
      return target_count;
  }
}

Target FakeGlDriver::supported_target(unsigned target, const char* call) {
  const Target index = target_index(target);
  if (index != target_count && supported[index]) return index;
  raise(invalid_enum, "%s: this context has no query target 0x%04X", call, target);
  return target_count;
}

// --- Clocks and readiness ---

std::uint64_t FakeGlDriver::stamp() {
  gpu_ns += gpu_tick;
  if (zero_stamps) return 0;
  return static_cast<std::uint64_t>(quantum == 1 ? gpu_ns : gpu_ns - gpu_ns % quantum) & wrap_mask;
}

std::uint64_t FakeGlDriver::elapsed_since(std::uint64_t begin) { return (stamp() - begin) & wrap_mask; }

Pending FakeGlDriver::issue() {
  std::int64_t frames = latency_frames;
  if (jitter_frames != 0) frames += static_cast<std::int64_t>(next_random() % (jitter_frames + 1));
  if (is_web()) frames = std::max<std::int64_t>(frames, 1);
  return {.serial = ++serial, .ready_frame = frame + frames, .ready_ns = cpu_ns + latency_ns};
}

bool FakeGlDriver::is_done(const Pending& pending) const {
  if (pending.forced) return true;
  return !held && frame >= pending.ready_frame && cpu_ns >= pending.ready_ns;
}

bool FakeGlDriver::is_ready(const Pending& pending) const {
  return (!needs_flush || pending.serial <= flushed_serial) && is_done(pending);
}

void FakeGlDriver::flush_now() {
  ++flushes;
  flushed_serial = serial;
}

void FakeGlDriver::finish() {
  waited("glFinish");
  flush_now();
  collect_unready(scratch);
  for (Pending* pending : scratch) pending->forced = true;
  signalled_serial = serial;
}

// splitmix64, so that every seed, 0 included, gives a sequence.
std::uint64_t FakeGlDriver::next_random() {
  std::uint64_t z = (random_state += 0x9E3779B97F4A7C15U);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

void FakeGlDriver::collect_unready(std::vector<Pending*>& into) {
  into.clear();
  queries.for_each([&](QueryObject& query) {
    if (query.state == QueryObject::ended && !is_done(query.pending)) into.push_back(&query.pending);
  });
  syncs.for_each([&](SyncObject& sync) {
    if (!is_done(sync.pending)) into.push_back(&sync.pending);
  });
}

// --- Queries ---

void FakeGlDriver::gen_queries(int count, unsigned* ids) {
  if (count < 0) return raise(invalid_value, "glGenQueries(%d)", count);
  const bool failing = failing_creations > 0;
  if (failing) --failing_creations;
  for (int i = 0; i < count; ++i) ids[i] = failing ? 0 : queries.create();
}

void FakeGlDriver::delete_queries(int count, const unsigned* ids) {
  if (count < 0) return raise(invalid_value, "glDeleteQueries(%d)", count);
  for (int i = 0; i < count; ++i) {
    if (ids[i] == 0) continue;
    const QueryObject* query = queries.find(ids[i]);
    if (query == nullptr) {
      violate("glDeleteQueries: no query %u", ids[i]);
      continue;
    }
    if (query->state == QueryObject::ended && !query->read)
      ++(query->reported ? dropped_unread : deleted_in_flight);
    if (query->state == QueryObject::active) active[class_of(query->target)] = 0;
    queries.destroy(ids[i]);
  }
}

bool FakeGlDriver::is_query(unsigned id) {
  const QueryObject* query = queries.find(id);
  return query != nullptr && query->state != QueryObject::fresh;
}

QueryObject* FakeGlDriver::query_to_start(unsigned id, Target target, const char* call) {
  QueryObject* query = queries.find(id);
  if (query == nullptr) {
    raise(invalid_operation, "%s: no query %u", call, id);
    return nullptr;
  }
  if (query->state == QueryObject::active) {
    raise(invalid_operation, "%s: query %u is active", call, id);
    return nullptr;
  }
  if (query->target != target_count && query->target != target) {
    raise(invalid_operation, "%s: query %u was first used with another target", call, id);
    return nullptr;
  }
  if (query->state == QueryObject::ended && !query->read) {
    if (query->reported) {
      ++dropped_unread;
    } else {
      ++reused_in_flight;
      violate("%s: query %u is still in flight", call, id);
    }
  }
  query->target = target;
  query->reported = query->read = false;
  return query;
}

void FakeGlDriver::begin_query(unsigned target, unsigned id) {
  const Target index = supported_target(target, "glBeginQuery");
  if (index == target_count) return;
  if (index == target_timestamp) return raise(invalid_enum, "glBeginQuery: TIMESTAMP cannot be begun");
  std::uint32_t& slot = active[class_of(index)];
  if (slot != 0)
    return raise(invalid_operation, "glBeginQuery(0x%04X, %u): query %u is active", target, id, slot);
  QueryObject* query = query_to_start(id, index, "glBeginQuery");
  if (query == nullptr) return;
  if (index == target_elapsed) {
    if (counter_bits[index] == 0) violate("glBeginQuery: TIME_ELAPSED has 0 bits");
    query->begin_stamp = stamp();
  }
  query->result = 0;
  query->state = QueryObject::active;
  slot = id;
}

void FakeGlDriver::end_query(unsigned target) {
  const Target index = supported_target(target, "glEndQuery");
  if (index == target_count) return;
  if (index == target_timestamp) return raise(invalid_enum, "glEndQuery: TIMESTAMP cannot be ended");
  std::uint32_t& slot = active[class_of(index)];
  QueryObject* query = slot == 0 ? nullptr : queries.find(slot);
  if (query == nullptr || query->target != index) {
    return raise(invalid_operation, "glEndQuery(0x%04X): no such query is active", target);
  }
  if (index == target_elapsed) query->result = elapsed_since(query->begin_stamp);
  if (is_yes_or_no(index)) query->result = query->result != 0 ? 1 : 0;
  if (!scripted[index].empty()) query->result = scripted[index].take();
  if (counter_bits[index] == 0) query->result = 0;
  query->state = QueryObject::ended;
  query->pending = issue();
  slot = 0;
}

void FakeGlDriver::query_counter(unsigned id, unsigned target) {
  const Target index = supported_target(target, "glQueryCounter");
  if (index == target_count) return;
  if (index != target_timestamp)
    return raise(invalid_enum, "glQueryCounter: 0x%04X is not TIMESTAMP", target);
  QueryObject* query = query_to_start(id, index, "glQueryCounter");
  if (query == nullptr) return;
  query->result = scripted[index].empty() ? stamp() : scripted[index].take();
  if (counter_bits[index] == 0) {
    violate("glQueryCounter: TIMESTAMP has 0 bits");
    query->result = 0;
  }
  query->state = QueryObject::ended;
  query->pending = issue();
}

void FakeGlDriver::get_query_iv(unsigned target, unsigned name, int* value) {
  const Target index = supported_target(target, "glGetQueryiv");
  if (index == target_count) return;
  if (name == query_counter_bits) {
    *value = counter_bits[index];
  } else if (name == current_query) {
    const std::uint32_t id = index == target_timestamp ? 0 : active[class_of(index)];
    const QueryObject* query = id == 0 ? nullptr : queries.find(id);
    *value = query != nullptr && query->target == index ? static_cast<int>(id) : 0;
  } else {
    raise(invalid_enum, "glGetQueryiv: unknown name 0x%04X", name);
  }
}

std::uint64_t FakeGlDriver::read_result(QueryObject& query, unsigned id) {
  if (!query.reported) {
    if (!allow_waits) violate("the result of query %u was read before it was reported available", id);
    if (!is_ready(query.pending)) {
      ++waits;
      flush_now();
      query.pending.forced = true;
    }
  }
  query.reported = query.read = true;
  return query.result;
}

bool FakeGlDriver::get_query_object(unsigned id, unsigned name, std::uint64_t* value) {
  QueryObject* query = queries.find(id);
  if (query == nullptr || query->state == QueryObject::fresh) {
    raise(invalid_operation, "glGetQueryObject: no query %u", id);
    return false;
  }
  if (query->state == QueryObject::active) {
    raise(invalid_operation, "glGetQueryObject: query %u is active", id);
    return false;
  }
  switch (name) {
    case query_result_available:
      if (is_ready(query->pending)) query->reported = true;
      *value = query->reported ? 1 : 0;
      return true;
    case query_result:
      *value = read_result(*query, id);
      return true;
    case query_result_no_wait:
      if (!has_no_wait) break;
      if (no_wait_ignored || !is_ready(query->pending)) return false;
      query->reported = query->read = true;
      *value = query->result;
      return true;
    default:
      break;
  }
  raise(invalid_enum, "glGetQueryObject: unknown name 0x%04X", name);
  return false;
}

// --- Fences ---

std::uint32_t FakeGlDriver::fence_sync(unsigned condition, unsigned flags) {
  if (condition != sync_gpu_commands_complete) {
    raise(invalid_enum, "glFenceSync: unknown condition 0x%04X", condition);
    return 0;
  }
  if (flags != 0) {
    raise(invalid_value, "glFenceSync: flags 0x%X", flags);
    return 0;
  }
  const std::uint32_t id = syncs.create();
  syncs.find(id)->pending = issue();
  return id;
}

bool FakeGlDriver::poll_sync(SyncObject& sync) {
  if (!is_ready(sync.pending)) return false;
  signalled_serial = std::max(signalled_serial, sync.pending.serial);
  return true;
}

unsigned FakeGlDriver::client_wait_sync(std::uint32_t id, unsigned flags, std::uint64_t timeout) {
  SyncObject* sync = syncs.find(id);
  if (sync == nullptr) {
    raise(invalid_value, "glClientWaitSync: no such sync");
    return wait_failed;
  }
  if ((flags & ~sync_flush_commands_bit) != 0) {
    raise(invalid_value, "glClientWaitSync: flags 0x%X", flags);
    return wait_failed;
  }
  if (timeout != 0) waited("glClientWaitSync with a timeout");
  if ((flags & sync_flush_commands_bit) != 0) flush_now();
  if (poll_sync(*sync)) return already_signaled;
  if (timeout == 0) return timeout_expired;
  sync->pending.forced = true;
  return poll_sync(*sync) ? condition_satisfied : timeout_expired;
}

void FakeGlDriver::get_sync_iv(std::uint32_t id, unsigned name, int size, int* length, int* values) {
  SyncObject* sync = syncs.find(id);
  if (sync == nullptr) return raise(invalid_value, "glGetSynciv: no such sync");
  unsigned value = 0;
  switch (name) {
    case sync_status:
      value = poll_sync(*sync) ? signaled : unsignaled;
      break;
    case object_type:
      value = sync_fence;
      break;
    case sync_condition:
      value = sync_gpu_commands_complete;
      break;
    case sync_flags:
      break;
    default:
      return raise(invalid_enum, "glGetSynciv: unknown name 0x%04X", name);
  }
  if (size > 0) *values = static_cast<int>(value);
  if (length != nullptr) *length = size > 0 ? 1 : 0;
}

void FakeGlDriver::delete_sync(std::uint32_t id) {
  if (id != 0 && !syncs.destroy(id)) raise(invalid_value, "glDeleteSync: no such sync");
}

// --- Properties and fixed state ---

const char* FakeGlDriver::get_string(unsigned name) {
  switch (name) {
    case gl_enum::vendor:
      return vendor.c_str();
    case gl_enum::renderer:
      return renderer.c_str();
    case gl_enum::version:
      return version.c_str();
    case gl_enum::shading_language_version:
      return shading_language_version.c_str();
    case gl_enum::extensions:
      if (flavour != Flavour::desktop) return joined_extensions.c_str();
      break;  // gone from core profiles
    default:
      break;
  }
  raise(invalid_enum, "glGetString: unknown name 0x%04X", name);
  return nullptr;
}

const char* FakeGlDriver::get_string_i(unsigned name, unsigned index) {
  if (name != gl_enum::extensions) {
    raise(invalid_enum, "glGetStringi: unknown name 0x%04X", name);
    return nullptr;
  }
  if (index >= extensions.size()) {
    raise(invalid_value, "glGetStringi: index %u", index);
    return nullptr;
  }
  return extensions[index].c_str();
}

int FakeGlDriver::get_integers(unsigned name, std::int64_t (&values)[4]) {
  const bool v3 = flavour != Flavour::gles2 && flavour != Flavour::webgl1;
  values[0] = 0;
  switch (name) {
    case gpu_disjoint:
      if (!has_disjoint) return 0;
      ++disjoint_reads;
      values[0] = disjoint ? 1 : 0;
      disjoint = disjoint && disjoint_sticks;
      return 1;
    case timestamp:
      if (!supported[target_timestamp] || is_web()) return 0;
      if (counter_bits[target_timestamp] != 0) values[0] = static_cast<std::int64_t>(stamp());
      return 1;
    case major_version:
      values[0] = version_part(0);
      return v3 ? 1 : 0;
    case minor_version:
      values[0] = version_part(1);
      return v3 ? 1 : 0;
    case num_extensions:
      values[0] = static_cast<std::int64_t>(extensions.size());
      return v3 ? 1 : 0;
    case context_flags:
      return v3 ? 1 : 0;
    case context_profile_mask:
      values[0] = 1;
      return flavour == Flavour::desktop ? 1 : 0;
    case reset_notification_strategy:
      values[0] = reset_notification ? lose_context_on_reset : no_reset_notification;
      return is_web() ? 0 : 1;
    case array_buffer_binding:
      values[0] = bound[buffer_array];
      return 1;
    case element_array_buffer_binding:
      values[0] = bound[buffer_element];
      return 1;
    case pixel_pack_buffer_binding:
      values[0] = bound[buffer_pack];
      return v3 ? 1 : 0;
    case pixel_unpack_buffer_binding:
      values[0] = bound[buffer_unpack];
      return v3 ? 1 : 0;
    case transform_feedback_buffer_binding:
      values[0] = bound[buffer_feedback];
      return v3 ? 1 : 0;
    case copy_read_buffer:
      values[0] = bound[buffer_copy_read];
      return v3 ? 1 : 0;
    case copy_write_buffer:
      values[0] = bound[buffer_copy_write];
      return v3 ? 1 : 0;
    case max_debug_group_stack_depth:
      values[0] = most_debug_groups;
      return 1;
    case debug_group_stack_depth:
      values[0] = 1 + debug_groups;
      return 1;
    case max_debug_message_length:
      values[0] = longest_debug_message;
      return 1;
    case gl_enum::pack_alignment:
      values[0] = pack_alignment;
      return 1;
    case gl_enum::pack_skip_rows:
    case gl_enum::pack_skip_pixels:
      values[0] = 0;  // setting them is not modelled
      return 1;
    case gl_enum::pack_row_length:
      values[0] = pack_row_length;
      return v3 ? 1 : 0;
    case transform_feedback_active:
      values[0] = feedback_active;
      return v3 ? 1 : 0;
    case transform_feedback_paused:
      values[0] = feedback_paused;
      return v3 ? 1 : 0;
    case depth_writemask:
      values[0] = depth_mask;
      return 1;
    case color_writemask:
      for (std::size_t i = 0; i < 4; ++i) values[i] = color_mask[i];
      return 4;
    default:
      return 0;
  }
}

int FakeGlDriver::capability_index(unsigned capability, const char* call) {
  static constexpr unsigned known[] = {cull_face,    depth_test,          stencil_test,      blend,
                                       scissor_test, polygon_offset_fill, rasterizer_discard};
  for (std::size_t i = 0; i < std::size(known); ++i) {
    if (known[i] == capability) return static_cast<int>(i);
  }
  raise(invalid_enum, "%s: unknown capability 0x%04X", call, capability);
  return -1;
}

void FakeGlDriver::set_capability(unsigned capability, bool on) {
  const int index = capability_index(capability, on ? "glEnable" : "glDisable");
  if (index < 0) return;
  const std::uint32_t bit = 1U << index;
  capabilities = on ? capabilities | bit : capabilities & ~bit;
}

bool FakeGlDriver::is_enabled(unsigned capability) {
  const int index = capability_index(capability, "glIsEnabled");
  return index >= 0 && (capabilities >> index & 1U) != 0;
}

void FakeGlDriver::push_debug_group(int length) {
  if (length >= longest_debug_message) return raise(invalid_value, "glPushDebugGroup: %d characters", length);
  if (1 + debug_groups >= most_debug_groups)
    return raise(0x0503, "glPushDebugGroup: too deep");  // STACK_OVERFLOW
  ++debug_groups;
}

void FakeGlDriver::pop_debug_group() {
  if (debug_groups == 0) return raise(0x0504, "glPopDebugGroup without glPushDebugGroup");  // STACK_UNDERFLOW
  --debug_groups;
}

// --- Draws and transform feedback ---

namespace {

std::uint64_t primitives_of(unsigned mode, std::uint64_t vertices) {
  switch (mode) {
    case points:
      return vertices;
    case lines:
      return vertices / 2;
    case line_strip:
      return vertices < 2 ? 0 : vertices - 1;
    case triangles:
      return vertices / 3;
    default:
      return vertices < 3 ? 0 : vertices - 2;  // strips and fans
  }
}

}  // namespace

void FakeGlDriver::draw(unsigned mode, int count) {
  if (count < 0) return raise(invalid_value, "glDrawArrays: count %d", count);
  const std::uint64_t primitives = primitives_of(mode, static_cast<std::uint64_t>(count));
  ++serial;
  const auto add = [this](QueryClass kind, std::uint64_t amount) {
    if (active[kind] != 0) queries.find(active[kind])->result += amount;
  };
  add(class_generated, primitives);
  if (feedback_active && !feedback_paused) {
    const std::uint64_t written = std::min(primitives, feedback_capacity - feedback_written);
    feedback_written += written;
    add(class_written, written);
  }
  if (!is_enabled(rasterizer_discard)) add(class_occlusion, samples_per_draw);
}

void FakeGlDriver::begin_feedback(unsigned mode) {
  if (feedback_active) return raise(invalid_operation, "glBeginTransformFeedback while it is active");
  if (mode != points && mode != lines && mode != triangles) {
    return raise(invalid_enum, "glBeginTransformFeedback: mode 0x%04X", mode);
  }
  feedback_active = true;
  feedback_paused = false;
  feedback_mode = mode;
  feedback_written = 0;
}

void FakeGlDriver::pause_feedback(bool pause) {
  if (!feedback_active || feedback_paused == pause) {
    return raise(invalid_operation, "gl%sTransformFeedback out of turn", pause ? "Pause" : "Resume");
  }
  feedback_paused = pause;
}

void FakeGlDriver::end_feedback() {
  if (!feedback_active) return raise(invalid_operation, "glEndTransformFeedback without begin");
  feedback_active = feedback_paused = false;
}

}  // namespace passmeter::testing
