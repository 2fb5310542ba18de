#include "counting_new.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace passmeter::testing {
namespace {

constinit std::atomic<std::uint64_t> total{0};
constinit thread_local std::uint64_t of_this_thread = 0;

void* allocate(std::size_t size) noexcept {
  total.fetch_add(1, std::memory_order_relaxed);
  ++of_this_thread;
  return std::malloc(size == 0 ? 1 : size);
}

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  total.fetch_add(1, std::memory_order_relaxed);
  ++of_this_thread;
  // aligned_alloc wants a multiple of the alignment.
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
}

// No memory, no test: the replaced operators may not return null, and need not throw to make that clear.
void* or_abort(void* memory) noexcept {
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

std::uint64_t allocation_count() { return total.load(std::memory_order_relaxed); }
std::uint64_t thread_allocation_count() { return of_this_thread; }

}  // namespace passmeter::testing

using passmeter::testing::allocate;
using passmeter::testing::or_abort;
using Size = std::size_t;
using Align = std::align_val_t;

void* operator new(Size size) { return or_abort(allocate(size)); }
void* operator new[](Size size) { return or_abort(allocate(size)); }
void* operator new(Size size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](Size size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new(Size size, Align align) { return or_abort(allocate(size, static_cast<Size>(align))); }
void* operator new[](Size size, Align align) { return or_abort(allocate(size, static_cast<Size>(align))); }
void* operator new(Size size, Align align, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<Size>(align));
}
void* operator new[](Size size, Align align, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<Size>(align));
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, Size) noexcept { std::free(memory); }
void operator delete[](void* memory, Size) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, Align) noexcept { std::free(memory); }
void operator delete[](void* memory, Align) noexcept { std::free(memory); }
void operator delete(void* memory, Size, Align) noexcept { std::free(memory); }
void operator delete[](void* memory, Size, Align) noexcept { std::free(memory); }
void operator delete(void* memory, Align, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, Align, const std::nothrow_t&) noexcept { std::free(memory); }
