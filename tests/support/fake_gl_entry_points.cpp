// The functions that get() hands out. Each counts its call, asks what is to become of it, and forwards it to
// the current context. One template serves the core and the suffixed name, each with a counter of its own.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fake_gl_driver.h"

// As the GL headers declare it, so that calls through their types are calls of the right type.
struct __GLsync;

namespace passmeter::testing {
namespace {

using namespace gl_enum;
using Boolean = unsigned char;
using Sync = __GLsync*;

Sync to_sync(std::uint32_t id) { return reinterpret_cast<Sync>(static_cast<std::uintptr_t>(id)); }
std::uint32_t to_id(Sync sync) { return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(sync)); }

// The current context and what it makes of a call.
struct Call {
  FakeGlDriver* driver;
  Admit admit;
  explicit operator bool() const { return admit == Admit::run; }
  FakeGlDriver* operator->() const { return driver; }
};

template <Entry entry>
Call enter() {
  FakeGlDriver* driver = current_driver();
  if (driver == nullptr) {
    count_stray_call();
    return {nullptr, Admit::refused};
  }
  return {driver, driver->admit(entry)};
}

// --- Queries ---

template <Entry entry>
void gen_queries(int count, unsigned* ids) {
  const Call call = enter<entry>();
  if (call) return call->gen_queries(count, ids);
  // Emscripten writes 0 when the browser gives no query; native drivers leave the memory as it is.
  if (call.admit == Admit::lost && call->is_web()) {
    for (int i = 0; i < count; ++i) ids[i] = 0;
  }
}

template <Entry entry>
void delete_queries(int count, const unsigned* ids) {
  if (const Call call = enter<entry>()) call->delete_queries(count, ids);
}

template <Entry entry>
Boolean is_query(unsigned id) {
  const Call call = enter<entry>();
  return call && call->is_query(id) ? 1 : 0;
}

template <Entry entry>
void begin_query(unsigned target, unsigned id) {
  if (const Call call = enter<entry>()) call->begin_query(target, id);
}

template <Entry entry>
void end_query(unsigned target) {
  if (const Call call = enter<entry>()) call->end_query(target);
}

template <Entry entry>
void query_counter(unsigned id, unsigned target) {
  if (const Call call = enter<entry>()) call->query_counter(id, target);
}

template <Entry entry>
void get_query_iv(unsigned target, unsigned name, int* value) {
  if (const Call call = enter<entry>()) call->get_query_iv(target, name, value);
}

template <Entry entry, typename T>
void get_query_object(unsigned id, unsigned name, T* value) {
  const Call call = enter<entry>();
  std::uint64_t wide = 0;
  if (call) {
    if (call->get_query_object(id, name, &wide)) *value = static_cast<T>(wide);
  } else if (call.admit == Admit::lost) {
    *value = name == query_result_available && !call->is_web() ? 1 : 0;
  }
}

template <Entry entry>
void get_query_object_iv(unsigned id, unsigned name, int* value) {
  get_query_object<entry>(id, name, value);
}

template <Entry entry>
void get_query_object_uiv(unsigned id, unsigned name, unsigned* value) {
  get_query_object<entry>(id, name, value);
}

template <Entry entry>
void get_query_object_i64v(unsigned id, unsigned name, std::int64_t* value) {
  get_query_object<entry>(id, name, value);
}

template <Entry entry>
void get_query_object_ui64v(unsigned id, unsigned name, std::uint64_t* value) {
  get_query_object<entry>(id, name, value);
}

// --- Properties and errors ---

const unsigned char* as_gl_string(const char* text) { return reinterpret_cast<const unsigned char*>(text); }

template <Entry entry>
const unsigned char* get_string(unsigned name) {
  const Call call = enter<entry>();
  return call ? as_gl_string(call->get_string(name)) : nullptr;
}

template <Entry entry>
const unsigned char* get_string_i(unsigned name, unsigned index) {
  const Call call = enter<entry>();
  return call ? as_gl_string(call->get_string_i(name, index)) : nullptr;
}

template <Entry entry, typename T>
void get_values(unsigned name, T* values) {
  const Call call = enter<entry>();
  if (!call) return;
  std::int64_t wide[4];
  const int count = call->get_integers(name, wide);
  if (count == 0) call->raise(invalid_enum, "glGet: unknown name 0x%04X", name);
  for (int i = 0; i < count; ++i) values[i] = static_cast<T>(wide[i]);
}

template <Entry entry>
void get_integer_v(unsigned name, int* values) {
  get_values<entry>(name, values);
}

template <Entry entry>
void get_integer64_v(unsigned name, std::int64_t* values) {
  get_values<entry>(name, values);
}

template <Entry entry>
void get_boolean_v(unsigned name, Boolean* values) {
  const Call call = enter<entry>();
  if (!call) return;
  std::int64_t wide[4];
  const int count = call->get_integers(name, wide);
  if (count == 0) values[0] = call->is_enabled(name) ? 1 : 0;
  for (int i = 0; i < count; ++i) values[i] = wide[i] != 0 ? 1 : 0;
}

template <Entry entry>
unsigned get_error() {
  const Call call = enter<entry>();
  return call ? call->take_error() : 0;
}

template <Entry entry>
unsigned get_reset_status() {
  const Call call = enter<entry>();
  return call ? call->take_reset_status() : 0;
}

// --- Flushing and fences ---

template <Entry entry>
void flush() {
  if (const Call call = enter<entry>()) call->flush_now();
}

template <Entry entry>
void finish() {
  if (const Call call = enter<entry>()) call->finish();
}

template <Entry entry>
Sync fence_sync(unsigned condition, unsigned flags) {
  const Call call = enter<entry>();
  return call ? to_sync(call->fence_sync(condition, flags)) : nullptr;
}

template <Entry entry>
unsigned client_wait_sync(Sync sync, unsigned flags, std::uint64_t timeout) {
  const Call call = enter<entry>();
  if (call) return call->client_wait_sync(to_id(sync), flags, timeout);
  return call.admit == Admit::lost && !call->is_web() ? already_signaled : wait_failed;
}

template <Entry entry>
void wait_sync(Sync sync, unsigned, std::uint64_t) {
  const Call call = enter<entry>();
  if (call && call->syncs.find(to_id(sync)) == nullptr)
    call->raise(invalid_value, "glWaitSync: no such sync");
}

template <Entry entry>
void get_sync_iv(Sync sync, unsigned name, int size, int* length, int* values) {
  const Call call = enter<entry>();
  if (call) return call->get_sync_iv(to_id(sync), name, size, length, values);
  if (call.admit != Admit::lost || size <= 0) return;
  *values = name == sync_status && !call->is_web() ? static_cast<int>(signaled) : 0;
  if (length != nullptr) *length = 1;
}

template <Entry entry>
void delete_sync(Sync sync) {
  if (const Call call = enter<entry>()) call->delete_sync(to_id(sync));
}

template <Entry entry>
Boolean is_sync(Sync sync) {
  const Call call = enter<entry>();
  return call && call->syncs.find(to_id(sync)) != nullptr ? 1 : 0;
}

// --- Fixed state, draws, transform feedback ---

template <Entry entry>
void color_mask(Boolean r, Boolean g, Boolean b, Boolean a) {
  if (const Call call = enter<entry>()) call->color_mask = {r != 0, g != 0, b != 0, a != 0};
}

template <Entry entry>
void depth_mask(Boolean on) {
  if (const Call call = enter<entry>()) call->depth_mask = on != 0;
}

template <Entry entry>
void enable(unsigned capability) {
  if (const Call call = enter<entry>()) call->set_capability(capability, true);
}

template <Entry entry>
void disable(unsigned capability) {
  if (const Call call = enter<entry>()) call->set_capability(capability, false);
}

template <Entry entry>
Boolean is_enabled(unsigned capability) {
  const Call call = enter<entry>();
  return call && call->is_enabled(capability) ? 1 : 0;
}

template <Entry entry>
void pixel_store_i(unsigned name, int value) {
  const Call call = enter<entry>();
  if (!call) return;
  if (name == pack_alignment && (value == 1 || value == 2 || value == 4 || value == 8)) {
    call->pack_alignment = value;
  } else if (name == pack_row_length && value >= 0) {
    call->pack_row_length = value;
  } else {
    call->raise(invalid_enum, "glPixelStorei(0x%04X, %d)", name, value);
  }
}

template <Entry entry>
void draw_arrays(unsigned mode, int, int count) {
  if (const Call call = enter<entry>()) call->draw(mode, count);
}

template <Entry entry>
void begin_feedback(unsigned mode) {
  if (const Call call = enter<entry>()) call->begin_feedback(mode);
}

template <Entry entry>
void pause_feedback() {
  if (const Call call = enter<entry>()) call->pause_feedback(true);
}

template <Entry entry>
void resume_feedback() {
  if (const Call call = enter<entry>()) call->pause_feedback(false);
}

template <Entry entry>
void end_feedback() {
  if (const Call call = enter<entry>()) call->end_feedback();
}

// --- Buffers and pixels ---

template <Entry entry>
void gen_buffers(int count, unsigned* ids) {
  if (const Call call = enter<entry>()) call->gen_buffers(count, ids);
}

template <Entry entry>
void delete_buffers(int count, const unsigned* ids) {
  if (const Call call = enter<entry>()) call->delete_buffers(count, ids);
}

template <Entry entry>
Boolean is_buffer(unsigned id) {
  const Call call = enter<entry>();
  return call && call->buffers.find(id) != nullptr ? 1 : 0;
}

template <Entry entry>
void bind_buffer(unsigned target, unsigned id) {
  if (const Call call = enter<entry>()) call->bind_buffer(target, id);
}

template <Entry entry>
void bind_buffer_base(unsigned target, unsigned, unsigned id) {
  if (const Call call = enter<entry>()) call->bind_buffer(target, id);
}

template <Entry entry>
void buffer_data(unsigned target, std::ptrdiff_t size, const void* data, unsigned) {
  if (const Call call = enter<entry>()) call->buffer_data(target, size, data);
}

template <Entry entry>
void buffer_sub_data(unsigned target, std::ptrdiff_t offset, std::ptrdiff_t size, const void* data) {
  if (const Call call = enter<entry>()) call->buffer_sub_data(target, offset, size, data);
}

template <Entry entry>
void copy_buffer_sub_data(unsigned from, unsigned to, std::ptrdiff_t read, std::ptrdiff_t write,
                          std::ptrdiff_t size) {
  if (const Call call = enter<entry>()) call->copy_buffer(from, to, read, write, size);
}

template <Entry entry>
void* map_buffer_range(unsigned target, std::ptrdiff_t offset, std::ptrdiff_t size, unsigned access) {
  const Call call = enter<entry>();
  return call ? call->map_buffer(target, offset, size, access) : nullptr;
}

template <Entry entry>
Boolean unmap_buffer(unsigned target) {
  const Call call = enter<entry>();
  return call && call->unmap_buffer(target) ? 1 : 0;
}

template <Entry entry>
void get_buffer_sub_data(unsigned target, std::ptrdiff_t offset, std::ptrdiff_t size, void* data) {
  if (const Call call = enter<entry>()) call->get_buffer_sub_data(target, offset, size, data);
}

template <Entry entry>
void read_pixels(int, int, int width, int height, unsigned format, unsigned type, void* pixels) {
  if (const Call call = enter<entry>()) call->read_pixels(width, height, format, type, pixels);
}

template <Entry entry>
void push_debug_group(unsigned, unsigned, int length, const char*) {
  if (const Call call = enter<entry>()) call->push_debug_group(length);
}

template <Entry entry>
void pop_debug_group() {
  if (const Call call = enter<entry>()) call->pop_debug_group();
}

}  // namespace

const EntryInfo entry_table[entry_count] = {
#define PASSMETER_FAKE_GL_ROW(name, function, flavours) \
  {#name, flavours, reinterpret_cast<void (*)()>(&function<Entry::name>)},
    PASSMETER_FAKE_GL_QUERY_ENTRIES(PASSMETER_FAKE_GL_ROW)
        PASSMETER_FAKE_GL_OTHER_ENTRIES(PASSMETER_FAKE_GL_ROW)
#undef PASSMETER_FAKE_GL_ROW
};

FakeGl::Proc FakeGl::get(const char* name) {
  const FakeGlDriver* driver = current_driver();
  if (driver == nullptr || name == nullptr) return nullptr;
  for (std::size_t i = 0; i < entry_count; ++i) {
    if (std::strcmp(entry_table[i].name, name) != 0) continue;
    const bool known = driver->allowed[i] || driver->expose_all;
    return known && !driver->hidden[i] ? entry_table[i].proc : nullptr;
  }
  return nullptr;
}

}  // namespace passmeter::testing
