// The script's side of the fake driver: settings, readiness, faults and counts.
#include "fake_gl.h"

#include <algorithm>
#include <cstring>

#include "fake_gl_driver.h"

namespace passmeter::testing {

FakeGl::FakeGl(Flavour flavour) : driver_(std::make_unique<FakeGlDriver>(flavour)) {}

FakeGl::~FakeGl() {
  if (current_driver() == driver_.get()) release_current();
}

void FakeGl::make_current() { current_driver() = driver_.get(); }
void FakeGl::release_current() { current_driver() = nullptr; }

// --- Identity ---

void FakeGl::set_version(const char* text) {
  driver_->version = text;
  driver_->update_support();
}
void FakeGl::set_shading_language_version(const char* text) { driver_->shading_language_version = text; }
void FakeGl::set_vendor(const char* text) { driver_->vendor = text; }
void FakeGl::set_renderer(const char* text) { driver_->renderer = text; }

void FakeGl::set_extensions(std::initializer_list<const char*> names) {
  driver_->extensions.assign(names.begin(), names.end());
  driver_->update_support();
}

void FakeGl::remove_extension(const char* name) {
  const auto bare = [](const char* text) { return std::strncmp(text, "GL_", 3) == 0 ? text + 3 : text; };
  std::erase_if(driver_->extensions,
                [&](const std::string& text) { return std::strcmp(bare(text.c_str()), bare(name)) == 0; });
  driver_->update_support();
}

void FakeGl::hide(const char* name) {
  for (std::size_t i = 0; i < entry_count; ++i) {
    if (std::strcmp(entry_table[i].name, name) == 0) driver_->hidden[i] = true;
  }
}

void FakeGl::hide_64_bit_getters() {
  for (const char* name : {"glGetQueryObjecti64v", "glGetQueryObjectui64v", "glGetQueryObjecti64vEXT",
                           "glGetQueryObjectui64vEXT"}) {
    hide(name);
  }
}

void FakeGl::expose_all_names(bool on) { driver_->expose_all = on; }

void FakeGl::set_counter_bits(unsigned target, int bits) {
  const Target index = FakeGlDriver::target_index(target);
  if (index == target_count) return driver_->violate("set_counter_bits: no query target 0x%04X", target);
  driver_->counter_bits[index] = bits;
}

void FakeGl::set_reset_notification(bool on) { driver_->reset_notification = on; }

void FakeGl::set_reuse_ids(bool on) {
  driver_->reuse_ids = on;
  driver_->queries.set_reuse_ids(on);
  driver_->syncs.set_reuse_ids(on);
  driver_->buffers.set_reuse_ids(on);
}

// --- Clocks ---

void FakeGl::advance_cpu(std::int64_t ns) { driver_->cpu_ns += ns; }
void FakeGl::advance_gpu(std::int64_t ns) { driver_->gpu_ns += ns; }
void FakeGl::advance(std::int64_t ns) {
  advance_cpu(ns);
  advance_gpu(ns);
}
void FakeGl::set_gpu_time(std::int64_t ns) { driver_->gpu_ns = ns; }
std::int64_t FakeGl::cpu_time() const { return driver_->cpu_ns; }
std::int64_t FakeGl::gpu_time() const { return driver_->gpu_ns; }

std::int64_t FakeGl::cpu_now(void* self) {
  FakeGlDriver& driver = *static_cast<FakeGl*>(self)->driver_;
  return driver.cpu_ns += driver.cpu_tick;
}

void FakeGl::set_gpu_tick(std::int64_t ns) { driver_->gpu_tick = ns; }
void FakeGl::set_cpu_tick(std::int64_t ns) { driver_->cpu_tick = ns; }

// --- Readiness ---

void FakeGl::next_frame() { ++driver_->frame; }
std::int64_t FakeGl::frame() const { return driver_->frame; }
void FakeGl::set_latency_frames(int frames) { driver_->latency_frames = frames; }
void FakeGl::set_latency_ns(std::int64_t ns) { driver_->latency_ns = ns; }

void FakeGl::set_jitter_frames(int max_frames, std::uint64_t seed) {
  driver_->jitter_frames = static_cast<std::uint64_t>(max_frames);
  driver_->random_state = seed;
}

void FakeGl::set_needs_flush(bool on) { driver_->needs_flush = on; }

void FakeGl::hold_all() {
  FakeGlDriver& driver = *driver_;
  const auto keep = [&](Pending& pending) {
    if (driver.is_done(pending)) pending.forced = true;
  };
  driver.queries.for_each([&](QueryObject& query) {
    if (query.state == QueryObject::ended) keep(query.pending);
  });
  driver.syncs.for_each([&](SyncObject& sync) { keep(sync.pending); });
  driver.held = true;
}

std::size_t FakeGl::make_ready(std::size_t count, ReadyOrder order, std::uint64_t seed) {
  FakeGlDriver& driver = *driver_;
  std::vector<Pending*>& pending = driver.scratch;
  driver.collect_unready(pending);
  const auto older = [](const Pending* a, const Pending* b) { return a->serial < b->serial; };
  std::sort(pending.begin(), pending.end(), older);
  if (order == ReadyOrder::newest_first) std::reverse(pending.begin(), pending.end());
  if (order == ReadyOrder::shuffled) {
    driver.random_state = seed;
    for (std::size_t i = pending.size(); i > 1; --i) {
      std::swap(pending[i - 1], pending[driver.next_random() % i]);
    }
  }
  const std::size_t found = std::min(count, pending.size());
  for (std::size_t i = 0; i < found; ++i) pending[i]->forced = true;
  return found;
}

void FakeGl::release_all() {
  make_ready(~std::size_t{0});
  driver_->held = false;
}

// --- Results ---

void FakeGl::push_stamps(std::initializer_list<std::uint64_t> values) {
  for (const std::uint64_t value : values) driver_->scripted[target_timestamp].push(value);
}

void FakeGl::push_elapsed(std::initializer_list<std::uint64_t> values) {
  for (const std::uint64_t value : values) driver_->scripted[target_elapsed].push(value);
}

void FakeGl::push_results(unsigned target, std::initializer_list<std::uint64_t> values) {
  const Target index = FakeGlDriver::target_index(target);
  if (index == target_count) return driver_->violate("push_results: no query target 0x%04X", target);
  for (const std::uint64_t value : values) driver_->scripted[index].push(value);
}

void FakeGl::set_quantum(std::int64_t ns) { driver_->quantum = std::max<std::int64_t>(ns, 1); }

void FakeGl::set_wrap_bits(int bits) {
  driver_->wrap_mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

void FakeGl::set_no_wait_ignored(bool on) { driver_->no_wait_ignored = on; }
void FakeGl::set_zero_stamps(bool on) { driver_->zero_stamps = on; }
void FakeGl::set_samples_per_draw(std::uint64_t samples) { driver_->samples_per_draw = samples; }
void FakeGl::set_feedback_capacity(std::uint64_t primitives) { driver_->feedback_capacity = primitives; }
void FakeGl::set_pixel(std::uint32_t rgba) { driver_->pixel = rgba; }

// --- Faults ---

void FakeGl::set_disjoint() { driver_->disjoint = true; }
void FakeGl::set_disjoint_sticks(bool on) { driver_->disjoint_sticks = on; }
void FakeGl::fail_query_creation(int count) { driver_->failing_creations = count; }

void FakeGl::fail_call(std::uint64_t k, unsigned error, std::uint64_t repeat) {
  driver_->fail_at = driver_->sequence + k;
  driver_->fail_until = driver_->fail_at + repeat;
  driver_->injected_error = error;
  driver_->set_trigger();
}

void FakeGl::lose_context() { driver_->lose(); }

void FakeGl::lose_context_at(std::uint64_t k) {
  driver_->lose_at = driver_->sequence + k;
  driver_->set_trigger();
}

bool FakeGl::lost() const { return driver_->lost; }
void FakeGl::restore() { driver_->restore(); }

void FakeGl::destroy_context() {
  driver_->destroyed = true;
  driver_->set_trigger();
}

void FakeGl::allow_waits(bool on) { driver_->allow_waits = on; }

// --- Counts ---

const std::vector<std::string>& FakeGl::violations() const { return driver_->violations; }

std::string FakeGl::violations_text() const {
  std::string text;
  for (const std::string& violation : driver_->violations) text += violation + "\n";
  return text;
}

void FakeGl::clear_violations() { driver_->violations.clear(); }

std::uint64_t FakeGl::calls(const char* name) const {
  for (std::size_t i = 0; i < entry_count; ++i) {
    if (std::strcmp(entry_table[i].name, name) == 0) return driver_->calls[i];
  }
  // A misspelt name must not pass as "never called".
  driver_->violate("the test asked for the calls of %s, which the fake driver does not have", name);
  return ~std::uint64_t{0};
}

std::uint64_t FakeGl::total_calls() const { return driver_->sequence - driver_->total_calls_before; }

std::uint64_t FakeGl::query_calls() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < query_entry_count; ++i) sum += driver_->calls[i];
  return sum;
}

std::uint64_t FakeGl::disjoint_reads() const { return driver_->disjoint_reads; }
std::uint64_t FakeGl::flushes() const { return driver_->flushes; }
std::uint64_t FakeGl::waits() const { return driver_->waits; }
std::uint64_t FakeGl::reused_in_flight() const { return driver_->reused_in_flight; }
std::uint64_t FakeGl::dropped_unread() const { return driver_->dropped_unread; }
std::uint64_t FakeGl::deleted_in_flight() const { return driver_->deleted_in_flight; }
std::uint64_t FakeGl::errors_raised() const { return driver_->errors_raised; }

void FakeGl::reset_counters() {
  driver_->calls.fill(0);
  driver_->total_calls_before = driver_->sequence;
  driver_->disjoint_reads = driver_->flushes = driver_->waits = 0;
  driver_->reused_in_flight = driver_->dropped_unread = driver_->deleted_in_flight = 0;
  driver_->errors_raised = 0;
}

std::size_t FakeGl::live_queries() const { return driver_->queries.live(); }
std::size_t FakeGl::live_syncs() const { return driver_->syncs.live(); }
std::size_t FakeGl::live_buffers() const { return driver_->buffers.live(); }
std::size_t FakeGl::peak_live_queries() const { return driver_->queries.peak(); }
std::size_t FakeGl::peak_live_syncs() const { return driver_->syncs.peak(); }

std::size_t FakeGl::active_queries() const {
  std::size_t count = 0;
  for (const std::uint32_t id : driver_->active) count += id != 0 ? 1 : 0;
  return count;
}

std::size_t FakeGl::unread_results() const {
  std::size_t count = 0;
  driver_->queries.for_each(
      [&](const QueryObject& query) { count += query.state == QueryObject::ended && !query.read ? 1 : 0; });
  return count;
}

unsigned FakeGl::pending_error() const { return driver_->error; }
int FakeGl::debug_group_depth() const { return driver_->debug_groups; }

}  // namespace passmeter::testing
