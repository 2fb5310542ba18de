// Buffers and pixel reads of the fake driver. Contents change at once; what is modelled is when reading them
// would wait: until a fence set after the last GPU write was reported signalled.
#include <algorithm>
#include <cstring>

#include "fake_gl_driver.h"

namespace passmeter::testing {

using namespace gl_enum;

int FakeGlDriver::buffer_index(unsigned target) {
  switch (target) {
    case array_buffer:
      return buffer_array;
    case element_array_buffer:
      return buffer_element;
    case pixel_pack_buffer:
      return buffer_pack;
    case pixel_unpack_buffer:
      return buffer_unpack;
    case uniform_buffer:
      return buffer_uniform;
    case transform_feedback_buffer:
      return buffer_feedback;
    case gl_enum::copy_read_buffer:
      return buffer_copy_read;
    case gl_enum::copy_write_buffer:
      return buffer_copy_write;
    case draw_indirect_buffer:
      return buffer_indirect;
    case shader_storage_buffer:
      return buffer_storage;
    case atomic_counter_buffer:
      return buffer_counter;
    default:
      return -1;
  }
}

BufferObject* FakeGlDriver::bound_buffer(unsigned target, const char* call) {
  const int index = buffer_index(target);
  if (index < 0) {
    raise(invalid_enum, "%s: unknown target 0x%04X", call, target);
    return nullptr;
  }
  BufferObject* buffer = buffers.find(bound[static_cast<std::size_t>(index)]);
  if (buffer == nullptr) raise(invalid_operation, "%s: no buffer bound to 0x%04X", call, target);
  return buffer;
}

void FakeGlDriver::gen_buffers(int count, unsigned* ids) {
  if (count < 0) return raise(invalid_value, "glGenBuffers(%d)", count);
  for (int i = 0; i < count; ++i) ids[i] = buffers.create();
}

void FakeGlDriver::delete_buffers(int count, const unsigned* ids) {
  if (count < 0) return raise(invalid_value, "glDeleteBuffers(%d)", count);
  for (int i = 0; i < count; ++i) {
    if (ids[i] == 0) continue;
    if (!buffers.destroy(ids[i])) violate("glDeleteBuffers: no buffer %u", ids[i]);
    std::replace(bound.begin(), bound.end(), ids[i], 0U);
  }
}

void FakeGlDriver::bind_buffer(unsigned target, unsigned id) {
  const int index = buffer_index(target);
  if (index < 0) return raise(invalid_enum, "glBindBuffer: unknown target 0x%04X", target);
  if (id != 0 && buffers.find(id) == nullptr)
    return raise(invalid_operation, "glBindBuffer: no buffer %u", id);
  bound[static_cast<std::size_t>(index)] = id;
}

void FakeGlDriver::buffer_data(unsigned target, std::ptrdiff_t size, const void* data) {
  BufferObject* buffer = bound_buffer(target, "glBufferData");
  if (buffer == nullptr) return;
  if (size < 0) return raise(invalid_value, "glBufferData: negative size");
  buffer->bytes.assign(static_cast<std::size_t>(size), 0);
  if (data != nullptr) std::memcpy(buffer->bytes.data(), data, static_cast<std::size_t>(size));
  buffer->mapped = false;
  buffer->written_serial = 0;  // new storage: nothing to wait for
}

BufferObject* FakeGlDriver::buffer_range(unsigned target, std::ptrdiff_t offset, std::ptrdiff_t size,
                                         const char* call) {
  BufferObject* buffer = bound_buffer(target, call);
  if (buffer == nullptr) return nullptr;
  const auto have = static_cast<std::ptrdiff_t>(buffer->bytes.size());
  if (offset < 0 || size < 0 || offset > have || size > have - offset) {
    raise(invalid_value, "%s: outside the buffer", call);
    return nullptr;
  }
  if (buffer->mapped) {
    raise(invalid_operation, "%s: the buffer is mapped", call);
    return nullptr;
  }
  return buffer;
}

void FakeGlDriver::buffer_sub_data(unsigned target, std::ptrdiff_t offset, std::ptrdiff_t size,
                                   const void* data) {
  BufferObject* buffer = buffer_range(target, offset, size, "glBufferSubData");
  if (buffer != nullptr && size > 0)
    std::memcpy(buffer->bytes.data() + offset, data, static_cast<std::size_t>(size));
}

void FakeGlDriver::copy_buffer(unsigned from, unsigned to, std::ptrdiff_t read, std::ptrdiff_t write,
                               std::ptrdiff_t size) {
  const BufferObject* source = buffer_range(from, read, size, "glCopyBufferSubData");
  if (source == nullptr) return;
  BufferObject* sink = buffer_range(to, write, size, "glCopyBufferSubData");
  if (sink == nullptr) return;
  std::memmove(sink->bytes.data() + write, source->bytes.data() + read, static_cast<std::size_t>(size));
  sink->written_serial = ++serial;
}

void* FakeGlDriver::map_buffer(unsigned target, std::ptrdiff_t offset, std::ptrdiff_t size, unsigned access) {
  BufferObject* buffer = buffer_range(target, offset, size, "glMapBufferRange");
  if (buffer == nullptr) return nullptr;
  if (size == 0 || (access & (map_read_bit | map_write_bit)) == 0) {
    raise(size == 0 ? invalid_value : invalid_operation, "glMapBufferRange: nothing to map");
    return nullptr;
  }
  if ((access & map_unsynchronized_bit) == 0 && buffer->written_serial > signalled_serial) {
    waited("glMapBufferRange without a signalled fence");
  }
  buffer->mapped = true;
  return buffer->bytes.data() + offset;
}

bool FakeGlDriver::unmap_buffer(unsigned target) {
  BufferObject* buffer = bound_buffer(target, "glUnmapBuffer");
  if (buffer == nullptr) return false;
  if (!buffer->mapped) {
    raise(invalid_operation, "glUnmapBuffer: the buffer is not mapped");
    return false;
  }
  buffer->mapped = false;
  return true;
}

void FakeGlDriver::get_buffer_sub_data(unsigned target, std::ptrdiff_t offset, std::ptrdiff_t size,
                                       void* data) {
  const BufferObject* buffer = buffer_range(target, offset, size, "glGetBufferSubData");
  if (buffer == nullptr || size == 0) return;
  if (buffer->written_serial > signalled_serial) waited("glGetBufferSubData without a signalled fence");
  std::memcpy(data, buffer->bytes.data() + offset, static_cast<std::size_t>(size));
}

namespace {

std::size_t pixel_size(unsigned format, unsigned type) {
  const bool four = format == rgba || format == rgba_integer;
  if (!four && format != red && format != red_integer) return 0;
  switch (type) {
    case unsigned_byte:
      return four ? 4 : 1;
    case unsigned_int:
    case float_type:
      return four ? 16 : 4;
    default:
      return 0;
  }
}

}  // namespace

void FakeGlDriver::read_pixels(int width, int height, unsigned format, unsigned type, void* pixels) {
  const std::size_t each = pixel_size(format, type);
  if (each == 0) return raise(invalid_enum, "glReadPixels: format 0x%04X, type 0x%04X", format, type);
  if (width < 0 || height < 0) return raise(invalid_value, "glReadPixels: negative size");
  if (width == 0 || height == 0) return;
  const auto alignment = static_cast<std::size_t>(pack_alignment);
  const std::size_t row = static_cast<std::size_t>(width) * each;
  const std::size_t pitch_row = pack_row_length > 0 ? static_cast<std::size_t>(pack_row_length) * each : row;
  const std::size_t pitch = (pitch_row + alignment - 1) / alignment * alignment;
  const std::size_t total = pitch * static_cast<std::size_t>(height - 1) + row;
  auto* out = static_cast<std::uint8_t*>(pixels);
  if (bound[buffer_pack] == 0) {
    waited("glReadPixels into client memory");
  } else {
    const auto offset = reinterpret_cast<std::ptrdiff_t>(pixels);
    BufferObject* buffer =
        buffer_range(pixel_pack_buffer, offset, static_cast<std::ptrdiff_t>(total), "glReadPixels");
    if (buffer == nullptr) return;
    buffer->written_serial = ++serial;
    out = buffer->bytes.data() + offset;
  }
  std::uint8_t pattern[4];
  std::memcpy(pattern, &pixel, sizeof pattern);
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
    for (std::size_t x = 0; x < row; ++x) out[y * pitch + x] = pattern[x % 4];
  }
}

}  // namespace passmeter::testing
