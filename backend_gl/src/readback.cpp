#include "passmeter/gl/readback.h"

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "helper_context.h"
#include "late_queries.h"
#include "passmeter/read_batches.h"

namespace passmeter::gl {
namespace {

// While it lives a buffer is bound, and then the one that was. It asks whether it is bound: the calls that
// follow would be about the application's buffer else, or about its memory.
class Bound {
 public:
  Bound(const HelperContext& context, GLenum target, GLenum binding, GLuint buffer)
      : context_(context), target_(target) {
    context.more.get_integer_v(binding, &before_);
    context.more.bind_buffer(target, buffer);
    GLint now = 0;
    context.more.get_integer_v(binding, &now);
    done_ = buffer != 0 && static_cast<GLuint>(now) == buffer;
  }
  ~Bound() { context_.more.bind_buffer(target_, static_cast<GLuint>(before_)); }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

  explicit operator bool() const noexcept { return done_; }

 private:
  const HelperContext& context_;
  GLenum target_;
  GLint before_ = 0;
  bool done_ = false;
};

class SavedPackState {
 public:
  explicit SavedPackState(const HelperContext& context) : context_(context) {
    for (int i = 0; i < count; ++i) {
      context.more.get_integer_v(names[i], &values_[i]);
      if (values_[i] != wanted[i]) context.more.pixel_store_i(names[i], wanted[i]);
    }
  }
  ~SavedPackState() {
    for (int i = 0; i < count; ++i) {
      if (values_[i] != wanted[i]) context_.more.pixel_store_i(names[i], values_[i]);
    }
  }
  SavedPackState(const SavedPackState&) = delete;
  SavedPackState& operator=(const SavedPackState&) = delete;

 private:
  static constexpr int count = 4;
  static constexpr GLenum names[count] = {value::pack_alignment, value::pack_row_length,
                                          value::pack_skip_rows, value::pack_skip_pixels};
  static constexpr GLint wanted[count] = {1, 0, 0, 0};
  const HelperContext& context_;
  GLint values_[count] = {1, 0, 0, 0};
};

constexpr std::uint64_t most_offset = std::numeric_limits<std::ptrdiff_t>::max();

// Something above `limit` where the product is: that does not always fit into 64 bits.
std::uint64_t region_bytes(const PixelRegion& region, std::uint64_t limit) noexcept {
  if (region.width <= 0 || region.height <= 0 || region.bytes_per_pixel == 0) return 0;
  const std::uint64_t pixels =
      std::uint64_t{static_cast<std::uint32_t>(region.width)} * static_cast<std::uint32_t>(region.height);
  return pixels > limit ? pixels : pixels * region.bytes_per_pixel;
}

ReadBatches::Config batches_config(ReadbackConfig&& config) {
  ReadBatches::Config out;
  out.batch_bytes = config.batch_bytes;
  out.max_reads = config.max_reads;
  out.batches = config.batches_in_flight;
  out.late_after_frames = config.late_after_frames;
  out.ema_alpha = config.ema_alpha;
  out.percentile_window = config.percentile_window;
  out.name = std::move(config.name);
  out.log = config.log;
  return out;
}

}  // namespace

struct Readback::Impl {
  Impl(ReadbackConfig config, Loader loader) : context(loader), batches(batches_config(std::move(config))) {
    staging.resize(batches.config().batches);
    start();
  }

  struct Staging {
    GLuint buffer = 0;
    GLsync fence = nullptr;
  };

  bool start();
  bool has_functions() const noexcept;
  bool make_buffer(Staging& batch) noexcept;
  std::uint32_t take(std::uint64_t bytes, ReadCallback done, std::uint64_t tag,
                     std::uint32_t& offset) noexcept;
  void collect() noexcept;
  bool signalled(Staging& batch, bool& failed) noexcept;
  const void* map(GLuint buffer, std::uint32_t bytes) noexcept;
  bool unmap(GLuint buffer) noexcept;
  void drop_buffer(Staging& batch) noexcept;
  void deliver_oldest(Staging& batch) noexcept;
  bool copy_buffer(GLuint from, std::uint64_t offset, GLuint to, std::uint32_t place,
                   std::uint32_t bytes) noexcept;
  bool copy_pixels(const PixelRegion& region, GLuint to, std::uint32_t place) noexcept;
  bool refuse() noexcept;
  void drop_fence(Staging& batch) noexcept;
  void lose() noexcept;

  HelperContext context;
  ReadBatches batches;
  std::vector<Staging> staging;
  std::vector<std::byte> copy;  ///< For contexts that cannot map.
  HelperFlush flush;
  State state = State::unavailable;
  std::string reason;
  bool delivering = false;
};

bool Readback::Impl::has_functions() const noexcept {
  const HelperFunctions& f = context.more;
  const bool can_map = f.map_buffer_range != nullptr && f.unmap_buffer != nullptr;
  return context.info.fences && f.gen_buffers != nullptr && f.delete_buffers != nullptr &&
         f.bind_buffer != nullptr && f.buffer_data != nullptr && f.copy_buffer_sub_data != nullptr &&
         f.read_pixels != nullptr && f.get_integer_v != nullptr && f.pixel_store_i != nullptr &&
         (can_map || f.get_buffer_sub_data != nullptr);
}

bool Readback::Impl::start() {
  state = State::unavailable;
  if (!context.load()) {
    reason = "No OpenGL context is current, or no function to look up its functions was given.";
    return false;
  }
  if ((context.info.es && context.info.major < 3) || !has_functions()) {
    reason =
        "The context lacks pixel pack buffers, buffer copies, fences or a way to map: nothing is read back.";
    batches.diagnostics().raise(Diagnostic::feature_missing, reason.c_str());
    return false;
  }
  if (context.more.map_buffer_range == nullptr) copy.resize(batches.config().batch_bytes);
  flush.start();
  state = State::measuring;
  reason = "Reads are batched in a pixel pack buffer and fetched when their fence has been seen signalled.";
  return true;
}

Readback::Readback(ReadbackConfig config, GetProcAddress get_proc_address)
    : impl_(std::make_unique<Impl>(std::move(config), Loader{get_proc_address, nullptr})) {}

Readback::Readback(ReadbackConfig config, GetProcAddressVoid get_proc_address)
    : impl_(std::make_unique<Impl>(std::move(config), Loader{nullptr, get_proc_address})) {}

Readback::~Readback() {
  if (impl_->state != State::measuring) return;
  for (Impl::Staging& batch : impl_->staging) {
    impl_->drop_fence(batch);
    if (batch.buffer != 0) impl_->context.more.delete_buffers(1, &batch.buffer);
  }
}

void Readback::Impl::drop_fence(Staging& batch) noexcept {
  if (batch.fence != nullptr) context.gl.delete_sync(std::exchange(batch.fence, nullptr));
}

void Readback::Impl::lose() noexcept {
  if (state == State::lost) return;
  for (Staging& batch : staging) batch = {};
  context.forget();
  state = State::lost;
  reason = "The context was lost: nothing is read back until restore().";
  batches.diagnostics().raise(Diagnostic::lost, "The context was lost; what was in flight is rejected.");
  delivering = true;
  batches.lose();
  delivering = false;
}

void Readback::notify_lost() noexcept { impl_->lose(); }

bool Readback::restore() noexcept {
  if (impl_->state != State::lost) return impl_->state == State::measuring;
  return impl_->start();
}

// --- Frames
// ---------------------------------------------------------------------------------------------------

void Readback::begin_frame() noexcept {
  Impl& impl = *impl_;
  if (impl.delivering) return;
  if (impl.batches.frame_open()) {
    impl.batches.diagnostics().raise(Diagnostic::frame_begun_twice,
                                     "begin_frame() inside a frame: the open frame is ended first.");
    end_frame();
  }
  impl.batches.begin_frame();
  poll();
}

void Readback::poll() noexcept {
  if (impl_->state == State::measuring && !impl_->delivering) impl_->collect();
}

void Readback::end_frame() noexcept {
  Impl& impl = *impl_;
  if (impl.delivering) return;
  if (!impl.batches.frame_open()) {
    impl.batches.diagnostics().raise(Diagnostic::end_without_begin,
                                     "end_frame() without begin_frame() does nothing.");
    return;
  }
  const std::uint32_t batch = impl.batches.end_frame();
  if (impl.state != State::measuring) return;
  if (batch != ReadBatches::none) {
    // A null fence is seen as a failure when the batch is looked at.
    impl.staging[batch].fence = impl.context.gl.fence_sync(value::sync_gpu_commands_complete, 0);
  }
  const std::uint64_t now = frame();
  impl.flush.frame_ended(now);
  if (impl.batches.in_flight() > 0) {
    impl.flush.flush_if_needed(impl.context.gl, impl.batches.frame_of(impl.batches.in_flight(0)), now);
  }
}

bool Readback::Impl::signalled(Staging& batch, bool& failed) noexcept {
  if (batch.fence == nullptr) {
    failed = true;
    return false;
  }
  const GLenum status = context.gl.client_wait_sync(batch.fence, 0, 0);
  if (status == value::timeout_expired) return false;
  failed = status != value::already_signaled && status != value::condition_satisfied;
  return !failed;
}

void Readback::Impl::collect() noexcept {
  delivering = true;
  flush.next_look();
  while (batches.in_flight() > 0 && state == State::measuring) {
    const std::uint32_t oldest = batches.in_flight(0);
    Staging& batch = staging[oldest];
    bool failed = false;
    if (signalled(batch, failed)) {
      if (context.lost()) {
        lose();
        break;
      }
      flush.frame_ready(batches.frame_of(oldest));
      drop_fence(batch);
      deliver_oldest(batch);
    } else if (failed || batches.is_late(oldest)) {
      if (context.lost()) {
        lose();
        break;
      }
      drop_fence(batch);
      drop_buffer(batch);  // it may still be written to
      batches.reject_oldest(failed ? Verdict::driver_error : Verdict::late);
      // Last, as everywhere: the application may answer with notify_lost().
      if (failed)
        batches.diagnostics().raise(Diagnostic::driver_error, "A fence of a batch of reads failed.");
    } else {
      break;
    }
  }
  delivering = false;
}

const void* Readback::Impl::map(GLuint buffer, std::uint32_t bytes) noexcept {
  const HelperFunctions& f = context.more;
  const Bound bound(context, value::pixel_pack_buffer, value::pixel_pack_buffer_binding, buffer);
  if (!bound) return nullptr;
  if (f.map_buffer_range != nullptr) {
    return f.map_buffer_range(value::pixel_pack_buffer, 0, static_cast<std::ptrdiff_t>(bytes),
                              value::map_read_bit);
  }
  f.get_buffer_sub_data(value::pixel_pack_buffer, 0, static_cast<std::ptrdiff_t>(bytes), copy.data());
  return copy.data();
}

bool Readback::Impl::unmap(GLuint buffer) noexcept {
  const HelperFunctions& f = context.more;
  if (f.map_buffer_range == nullptr) return true;
  const Bound bound(context, value::pixel_pack_buffer, value::pixel_pack_buffer_binding, buffer);
  return bound && f.unmap_buffer(value::pixel_pack_buffer) != GL_FALSE;
}

// The batch gets another one next time.
void Readback::Impl::drop_buffer(Staging& batch) noexcept {
  const GLuint buffer = std::exchange(batch.buffer, 0);
  if (buffer != 0) context.more.delete_buffers(1, &buffer);
}

// The bindings are the application's again while its callbacks run.
void Readback::Impl::deliver_oldest(Staging& batch) noexcept {
  const std::uint32_t bytes = batches.bytes_used(batches.in_flight(0));
  const void* data = map(batch.buffer, bytes);
  if (data == nullptr) {
    drop_buffer(batch);
    batches.reject_oldest(Verdict::driver_error);
    batches.diagnostics().raise(Diagnostic::driver_error, "A batch of reads could not be mapped.");
    return;
  }
  batches.deliver_oldest({static_cast<const std::byte*>(data), bytes});
  if (state == State::measuring && !unmap(batch.buffer)) drop_buffer(batch);
}

// --- Reads
// ----------------------------------------------------------------------------------------------------

bool Readback::Impl::make_buffer(Staging& batch) noexcept {
  if (batch.buffer != 0) return true;
  context.more.gen_buffers(1, &batch.buffer);
  const Bound bound(context, value::copy_write_buffer, value::copy_write_buffer, batch.buffer);
  if (!bound) {
    drop_buffer(batch);
    return false;
  }
  context.more.buffer_data(value::copy_write_buffer,
                           static_cast<std::ptrdiff_t>(batches.config().batch_bytes), nullptr,
                           value::stream_read);
  return true;
}

std::uint32_t Readback::Impl::take(std::uint64_t bytes, ReadCallback done, std::uint64_t tag,
                                   std::uint32_t& offset) noexcept {
  if (state != State::measuring || delivering) return ReadBatches::none;
  const std::uint32_t batch = batches.take(bytes, done, tag, offset);
  if (batch == ReadBatches::none || make_buffer(staging[batch])) return batch;
  batches.untake();
  batches.diagnostics().raise(Diagnostic::feature_refused, "The driver refused to make a staging buffer.");
  return ReadBatches::none;
}

bool Readback::Impl::copy_buffer(GLuint from, std::uint64_t offset, GLuint to, std::uint32_t place,
                                 std::uint32_t bytes) noexcept {
  const Bound source(context, value::copy_read_buffer, value::copy_read_buffer, from);
  const Bound target(context, value::copy_write_buffer, value::copy_write_buffer, to);
  if (!source || !target) return false;
  context.more.copy_buffer_sub_data(value::copy_read_buffer, value::copy_write_buffer,
                                    static_cast<std::ptrdiff_t>(offset), static_cast<std::ptrdiff_t>(place),
                                    static_cast<std::ptrdiff_t>(bytes));
  return true;
}

bool Readback::Impl::copy_pixels(const PixelRegion& region, GLuint to, std::uint32_t place) noexcept {
  const Bound target(context, value::pixel_pack_buffer, value::pixel_pack_buffer_binding, to);
  if (!target) return false;
  const SavedPackState pack(context);
  context.more.read_pixels(region.x, region.y, region.width, region.height, region.format, region.type,
                           reinterpret_cast<void*>(std::uintptr_t{place}));
  return true;
}

/// Always false: a read that was taken is refused after all.
bool Readback::Impl::refuse() noexcept {
  batches.untake();
  batches.diagnostics().raise(Diagnostic::driver_error, "A buffer to read from or into could not be bound.");
  return false;
}

bool Readback::read_buffer(unsigned buffer, std::uint64_t offset, std::uint32_t bytes, ReadCallback done,
                           std::uint64_t tag) noexcept {
  Impl& impl = *impl_;
  std::uint32_t place = 0;
  // Asked for as no bytes, a range that OpenGL's types do not hold is refused in the one place where that is
  // counted; cut to them it would be another range.
  const bool holds = offset <= most_offset && bytes <= most_offset - offset;
  const std::uint32_t batch = impl.take(holds ? bytes : 0, done, tag, place);
  if (batch == ReadBatches::none) return false;
  return impl.copy_buffer(buffer, offset, impl.staging[batch].buffer, place, bytes) || impl.refuse();
}

bool Readback::read_pixels(const PixelRegion& region, ReadCallback done, std::uint64_t tag) noexcept {
  Impl& impl = *impl_;
  std::uint32_t place = 0;
  const std::uint32_t batch =
      impl.take(region_bytes(region, impl.batches.config().batch_bytes), done, tag, place);
  if (batch == ReadBatches::none) return false;
  return impl.copy_pixels(region, impl.staging[batch].buffer, place) || impl.refuse();
}

// --- What is known
// --------------------------------------------------------------------------------------------

std::uint32_t Readback::batches_in_flight() const noexcept { return impl_->batches.in_flight(); }
std::uint64_t Readback::frame() const noexcept { return impl_->batches.frame(); }
State Readback::state() const noexcept { return impl_->state; }
const char* Readback::reason() const noexcept { return impl_->reason.c_str(); }
std::uint64_t Readback::diagnostic_count(Diagnostic diagnostic) const noexcept {
  return impl_->batches.diagnostics().count(diagnostic);
}
void Readback::append_to(Report& report) const { impl_->batches.append_to(report); }

}  // namespace passmeter::gl
