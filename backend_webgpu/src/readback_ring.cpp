#include "readback_ring.h"

#include <algorithm>

namespace passmeter::webgpu {
namespace {

struct Content {
  std::uint64_t newest = 0;  // begin of a pair
  std::uint64_t hash = 0;
  bool any_time = false;  // between the stamps of a pair
};

Content look(std::span<const std::uint64_t> stamps) noexcept {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15u;
  Content content;
  for (std::size_t i = 0; i + 1 < stamps.size(); i += 2) {
    content.newest = std::max(content.newest, stamps[i]);
    content.any_time |= stamps[i] != stamps[i + 1];
    content.hash = (content.hash * factor + stamps[i]) * factor + stamps[i + 1];
  }
  return content;
}

}  // namespace

void ReadbackRing::create(WGPUDevice device, std::uint32_t buffers, ErrorWatch* watch) {
  device_ = device;
  watch_ = watch;
  entries_ = std::vector<Entry>(buffers);
}

void ReadbackRing::clear() noexcept {
  for (Entry& entry : entries_) {
    entry.ticket.forget();
    entry.buffer.reset();
    entry.bytes = 0;
    entry.in_use = false;
  }
  device_ = nullptr;
}

bool ReadbackRing::has_free() const noexcept {
  return std::any_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return !entry.in_use; });
}

bool ReadbackRing::make_buffer(Entry& entry, std::uint64_t bytes) noexcept {
  WGPUBufferDescriptor descriptor = {};
  descriptor.label = dialect::label("passmeter readback");
  descriptor.usage =
      static_cast<decltype(descriptor.usage)>(WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst);
  descriptor.size = bytes;
  BufferHandle made;
  {
    const ErrorWatch::Guard guard(watch_);
    if (device_ != nullptr) made.reset(wgpuDeviceCreateBuffer(device_, &descriptor));
  }
  if (device_ == nullptr) return false;  // lost, and cleared, while it was made
  entry.buffer = std::move(made);
  entry.bytes = entry.buffer ? bytes : 0;
  entry.newest = entry.size = 0;
  return static_cast<bool>(entry.buffer);
}

std::uint32_t ReadbackRing::acquire(std::uint64_t bytes) noexcept {
  if (device_ == nullptr) return none;
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.in_use) continue;
    if (entry.bytes < bytes && !make_buffer(entry, bytes)) return none;
    entry.in_use = true;
    return i;
  }
  return none;
}

bool ReadbackRing::request(std::uint32_t index, std::uint64_t bytes, bool pumped) noexcept {
  Entry& entry = entries_[index];
  if (!entry.buffer) return false;
  Ticket* ticket = entry.ticket.get();
  if (ticket == nullptr) return false;
  dialect::map_read<Ticket::answer>(entry.buffer.get(), static_cast<std::size_t>(bytes), pumped,
                                    ticket->expect_answer());
  return true;
}

ReadbackRing::Answer ReadbackRing::answer(std::uint32_t index) const noexcept {
  switch (entries_[index].ticket.state()) {
    case Ticket::State::success:
      return Answer::mapped;
    case Ticket::State::failed:
      return Answer::failed;
    case Ticket::State::aborted:
      return Answer::aborted;
    case Ticket::State::idle:
    case Ticket::State::pending:
      break;
  }
  return Answer::pending;
}

std::span<const std::uint64_t> ReadbackRing::stamps(std::uint32_t index, std::size_t count) const noexcept {
  const void* range =
      wgpuBufferGetConstMappedRange(entries_[index].buffer.get(), 0, count * sizeof(std::uint64_t));
  if (range == nullptr) return {};
  return {static_cast<const std::uint64_t*>(range), count};
}

void ReadbackRing::recycle(std::uint32_t index) noexcept {
  Entry& entry = entries_[index];
  switch (entry.ticket.state()) {
    case Ticket::State::pending:
      entry.ticket.forget();
      wgpuBufferUnmap(entry.buffer.get());
      break;
    case Ticket::State::success:
      wgpuBufferUnmap(entry.buffer.get());
      break;
    case Ticket::State::failed:
    case Ticket::State::aborted:
      // Whatever is wrong with this buffer, the next frame gets a fresh one.
      entry.buffer.reset();
      entry.bytes = 0;
      break;
    case Ticket::State::idle:
      break;
  }
  entry.ticket.clear();
  entry.in_use = false;
}

void ReadbackRing::discard(std::uint32_t index) noexcept {
  recycle(index);
  entries_[index].bytes = 0;  // too small for anybody
}

bool ReadbackRing::unchanged(std::uint32_t index, std::span<const std::uint64_t> own,
                             std::span<const std::uint64_t> other, std::uint32_t half) noexcept {
  Entry& entry = entries_[index];
  const Content content[2] = {look(own), look(other)};
  const Content& mine = content[0];
  // A frame's last pass begins after all that the buffer held before. Where the counter starts again it does
  // not, so with as many pairs as before it must be the very same stamps.
  const bool older = mine.newest < entry.newest || (mine.newest == entry.newest && mine.any_time);
  const bool same = mine.newest != 0 && older && (own.size() != entry.size || mine.hash == entry.hash[half]);
  entry.newest = std::max(mine.newest, content[1].newest);
  entry.size = own.size();
  entry.hash[half] = mine.hash;
  entry.hash[1 - half] = content[1].hash;
  return same;
}

}  // namespace passmeter::webgpu
