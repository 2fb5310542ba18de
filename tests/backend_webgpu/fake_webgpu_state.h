// What the fake webgpu.h keeps: its objects, its pending callbacks, its books.
#pragma once

#include <algorithm>
#include <deque>

#include "fake_webgpu.h"

// An object is in use as long as the application or a recorded command refers to it.
struct FakeObject {
  passmeter::testing::FakeKind kind;
  std::uint32_t references = 1;  // the application's
  std::uint32_t internal = 0;    // recorded commands'
  bool valid = true;
  bool owned_by_fake = false;
};

struct WGPUInstanceImpl : FakeObject {};
struct WGPUAdapterImpl : FakeObject {};
struct WGPUDeviceImpl : FakeObject {
  bool timestamps = true;
  bool lost = false;
  std::vector<bool> error_scopes;  // each: whether an error was caught
  WGPUQueueImpl* queue = nullptr;
};
struct WGPUQueueImpl : FakeObject {
  WGPUDevice device = nullptr;
};
struct WGPUQuerySetImpl : FakeObject {
  std::vector<std::uint64_t> values;
  std::vector<std::uint8_t> written;  // since the last resolve
};
struct WGPUBufferImpl : FakeObject {
  enum class Map : std::uint8_t { unmapped, pending, mapped };
  WGPUDevice device = nullptr;
  std::vector<std::uint8_t> data;
  WGPUBufferUsage usage = 0;
  Map map = Map::unmapped;
  std::uint64_t map_serial = 0;
  std::size_t mapped_bytes = 0;
};

struct FakeCommand {
  enum class What : std::uint8_t { stamps, resolve, copy };
  What what;
  WGPUQuerySet set = nullptr;
  WGPUBuffer from = nullptr, to = nullptr;
  std::uint32_t first = 0, second = 0;
  std::uint64_t a = 0, b = 0, size = 0;
};
struct WGPUCommandEncoderImpl : FakeObject {
  WGPUDevice device = nullptr;
  std::vector<FakeCommand> commands;
};
struct WGPUCommandBufferImpl : FakeObject {
  WGPUDevice device = nullptr;
  std::vector<FakeCommand> commands;
};

namespace passmeter::testing {

struct FakeEvent {
  enum class What : std::uint8_t { map, work_done, popped_scope };
  What what;
  std::uint64_t due = 0;  // pump number
  WGPUDevice device = nullptr;
  WGPUBuffer buffer = nullptr;  // map only; null once the buffer is gone
  std::uint64_t map_serial = 0;
  int status = 1;
  WGPUErrorType error = WGPUErrorType_NoError;
  WGPUBufferMapCallbackInfo on_map = {};
  WGPUQueueWorkDoneCallbackInfo on_done = {};
  WGPUPopErrorScopeCallbackInfo on_pop = {};

  void deliver() const;
};

struct FakeState {
  explicit FakeState(FakeScript& given) : script(given) { events.reserve(256); }

  // Counts a call and says whether it is to fail. Loses the devices where that is due.
  bool enter(FakeCall call);
  void violation(const std::string& what) { violations.push_back(what); }
  void error(WGPUDevice device, WGPUErrorType type);
  void lose(WGPUDevice device);

  template <class Object>
  Object* alive(Object* object, const char* where) {
    if (object == nullptr) {
      violation(std::string("null object: ") + where);
    } else if (object->references == 0) {
      violation(std::string("use after release: ") + where);
    }
    return object;
  }
  void release(FakeObject* object, const char* where);
  void unhold(FakeObject* object);
  void collect(FakeObject* object);
  void drop_commands(std::vector<FakeCommand>& commands);

  void run(const FakeCommand& command);
  std::uint64_t stamp(std::uint64_t value) const;
  void map(WGPUBuffer buffer, WGPUMapMode mode, std::size_t offset, std::size_t size,
           const WGPUBufferMapCallbackInfo& info, bool fail);
  void unmap(WGPUBuffer buffer);
  void cancel_map(WGPUBuffer buffer, int status);
  bool take_due(FakeEvent& out);
  WGPUCommandEncoder new_encoder(WGPUDevice device);

  FakeScript& script;
  mutable std::recursive_mutex mutex;
  std::array<std::uint64_t, static_cast<std::size_t>(FakeCall::count_)> calls{};
  std::array<std::size_t, static_cast<std::size_t>(FakeKind::count_)> live{};
  std::uint64_t since_armed = 0, fail_at = 0, lose_at = 0, call_back_at = 0;
  bool fault = false;
  bool calls_back = false;  // at the end of the call being made
  std::uint64_t pumps = 0;

  std::unique_ptr<WGPUInstanceImpl> instance;
  std::unique_ptr<WGPUAdapterImpl> adapter;
  bool adapter_timestamps = true;
  std::deque<WGPUDeviceImpl> devices;
  std::deque<WGPUQueueImpl> queues;
  std::deque<WGPUQuerySetImpl> sets;  // never removed before reset(), so that use after release is seen
  std::deque<WGPUBufferImpl> buffers;
  std::deque<WGPUCommandEncoderImpl> encoders;  // used again when released
  std::deque<WGPUCommandBufferImpl> commands;
  std::vector<FakeEvent> events, dropped;
  std::vector<std::string> violations;
  std::size_t uncaptured = 0;
};

}  // namespace passmeter::testing
