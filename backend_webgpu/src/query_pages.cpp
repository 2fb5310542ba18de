#include "query_pages.h"

#include <algorithm>
#include <new>

namespace passmeter::webgpu {
namespace {

// A page begins at a multiple of 256 bytes in the resolve buffer (WebGPU's rule for resolveQuerySet): 16
// pairs.
constexpr std::uint32_t pair_step = 16;

std::uint32_t round_up(std::uint32_t pairs) noexcept {
  return (pairs + pair_step - 1) / pair_step * pair_step;
}

}  // namespace

bool QueryPages::create(WGPUDevice device, ErrorWatch& watch, std::uint32_t expected,
                        std::uint32_t cap) noexcept {
  clear();
  device_ = device;
  watch_ = &watch;
  cap_ = cap;
  pages_.reserve(cap / pairs_per_page + 3);
  // All pages but the last one full, so that pairs lie behind one another.
  std::uint32_t pairs = round_up(std::clamp(expected, 1u, std::max(cap, 1u)));
  while (pairs > 0) {
    const std::uint32_t size = std::min(pairs, pairs_per_page);
    if (!add_page(size)) return false;
    pairs -= size;
  }
  return true;
}

void QueryPages::clear() noexcept {
  pages_.clear();
  used_ = page_ = used_in_page_ = 0;
  move_ = {};
  device_ = nullptr;
}

bool QueryPages::add_page(std::uint32_t pairs) noexcept {
  Page page;
  WGPUQuerySetDescriptor descriptor = {};
  descriptor.label = dialect::label("passmeter timestamps");
  descriptor.type = WGPUQueryType_Timestamp;
  descriptor.count = pairs * 2;
  {
    const ErrorWatch::Guard guard(watch_);
    if (device_ != nullptr) page.set.reset(wgpuDeviceCreateQuerySet(device_, &descriptor));
  }
  if (!page.set || device_ == nullptr) return false;  // refused, or lost and cleared while it was made
  page.pairs.reset(new (std::nothrow) QueryPair[pairs]{});
  if (!page.pairs) return false;
  page.capacity = pairs;
  for (std::uint32_t i = 0; i < pairs; ++i) {
    // Both indices, always: an undefined one reaches browsers as the number 4294967295.
    QueryPair& pair = page.pairs[i];
    pair.render.querySet = pair.compute.querySet = page.set.get();
    pair.render.beginningOfPassWriteIndex = pair.compute.beginningOfPassWriteIndex = i * 2;
    pair.render.endOfPassWriteIndex = pair.compute.endOfPassWriteIndex = i * 2 + 1;
  }
  pages_.push_back(std::move(page));
  return true;
}

void QueryPages::begin_frame() noexcept {
  // The last frame outgrew a page sized for fewer passes: from now on the full ones behind it do.
  if (pages_.size() > 1) {
    const auto small = std::find_if(pages_.begin(), pages_.end() - 1,
                                    [](const Page& page) { return page.capacity < pairs_per_page; });
    if (small != pages_.end() - 1) {
      move_ = {static_cast<std::uint32_t>(small - pages_.begin()) * pairs_per_page, small->capacity};
      pages_.erase(small);
    }
  }
  used_ = page_ = used_in_page_ = 0;
  refused_ = false;
}

const QueryPair* QueryPages::take(Refusal& refusal) noexcept {
  refusal = Refusal::none;
  if (used_ >= cap_) {
    refusal = Refusal::cap_reached;
    return nullptr;
  }
  if (used_in_page_ == pages_[page_].capacity) {
    if (page_ + 1 == pages_.size() && (refused_ || !add_page(pairs_per_page))) {
      refused_ = true;
      refusal = Refusal::device_refused;
      return nullptr;
    }
    ++page_;
    used_in_page_ = 0;
  }
  ++used_;
  return &pages_[page_].pairs[used_in_page_++];
}

std::uint32_t QueryPages::capacity() const noexcept {
  std::uint32_t pairs = 0;
  for (const Page& page : pages_) pairs += page.capacity;
  return pairs;
}

void QueryPages::resolve(WGPUCommandEncoder encoder, std::uint32_t pairs, WGPUBuffer destination,
                         std::uint64_t offset) const noexcept {
  std::uint32_t first = 0;
  // By number: a call may call the application back, which may have all pages dropped.
  for (std::size_t i = 0; i < pages_.size() && first < pairs; ++i) {
    const Page& page = pages_[i];
    const std::uint32_t next = first + page.capacity;
    const std::uint32_t count = std::min(pairs - first, page.capacity);
    wgpuCommandEncoderResolveQuerySet(encoder, page.set.get(), 0, count * 2, destination,
                                      offset + first * bytes_per_pair);
    first = next;
  }
}

}  // namespace passmeter::webgpu
