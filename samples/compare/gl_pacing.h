// What a swapchain does for a windowed program: keeps the CPU from running more than a few frames ahead.
#pragma once

#include <array>
#include <cstddef>

namespace compare {

class GlPacing {
 public:
  using Proc = void (*)();
  using GetProcAddress = Proc (*)(const char* name);

  explicit GlPacing(GetProcAddress get)
      : fence_sync_(load<FenceSync>(get, "glFenceSync")),
        client_wait_(load<ClientWait>(get, "glClientWaitSync")),
        delete_sync_(load<DeleteSync>(get, "glDeleteSync")),
        finish_(load<Finish>(get, "glFinish")) {}
  ~GlPacing() {
    for (void*& fence : fences_) drop(fence);
  }
  GlPacing(const GlPacing&) = delete;
  GlPacing& operator=(const GlPacing&) = delete;

  /// Call once a frame, after its commands: waits until the frame before the last is done.
  void frame_done() {
    void*& oldest = fences_[next_];
    if (oldest != nullptr) client_wait_(oldest, flush_commands, one_second);
    drop(oldest);
    oldest = fence_sync_(gpu_commands_complete, 0);
    next_ = (next_ + 1) % fences_.size();
  }
  void finish() { finish_(); }

 private:
  using FenceSync = void* (*)(unsigned condition, unsigned flags);
  using ClientWait = unsigned (*)(void* sync, unsigned flags, unsigned long timeout_ns);
  using DeleteSync = void (*)(void* sync);
  using Finish = void (*)();
  static constexpr unsigned gpu_commands_complete = 0x9117;
  static constexpr unsigned flush_commands = 1;
  static constexpr unsigned long one_second = 1000000000;

  template <class Function>
  static Function load(GetProcAddress get, const char* name) {
    return reinterpret_cast<Function>(get(name));
  }
  void drop(void*& fence) {
    if (fence != nullptr) delete_sync_(fence);
    fence = nullptr;
  }

  FenceSync fence_sync_;
  ClientWait client_wait_;
  DeleteSync delete_sync_;
  Finish finish_;
  std::array<void*, 2> fences_{};
  std::size_t next_ = 0;
};

}  // namespace compare
