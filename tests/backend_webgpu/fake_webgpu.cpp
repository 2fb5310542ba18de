#include "fake_webgpu.h"

#include <cstring>

#include "fake_webgpu_state.h"

namespace passmeter::testing {
namespace {

constexpr int map_success = WGPUMapAsyncStatus_Success;

bool holds(const WGPUBufferImpl& buffer) { return buffer.map != WGPUBufferImpl::Map::unmapped; }

}  // namespace

// --- Books
// -------------------------------------------------------------------------------------------------------

bool FakeState::enter(FakeCall call) {
  ++calls[static_cast<std::size_t>(call)];
  ++since_armed;
  if (lose_at != 0 && since_armed == lose_at) {
    fault = true;
    for (WGPUDeviceImpl& device : devices) lose(&device);
  }
  if (call_back_at != 0 && since_armed == call_back_at) fault = calls_back = true;
  if (fail_at == 0 || since_armed != fail_at) return false;
  fault = true;
  return true;
}

void FakeState::error(WGPUDevice device, WGPUErrorType type) {
  if (device->lost) return;
  (void)type;
  if (!device->error_scopes.empty()) {
    device->error_scopes.back() = true;
  } else {
    ++uncaptured;
  }
}

void FakeState::lose(WGPUDevice device) {
  if (device->lost) return;
  device->lost = true;
  if (script.keep_on_loss) return;
  for (FakeEvent& event : events) {
    if (event.device != device) continue;
    event.due = 0;
    if (event.what != FakeEvent::What::map) continue;
    if (event.buffer != nullptr) event.buffer->map = WGPUBufferImpl::Map::unmapped;
    event.buffer = nullptr;
    if (!script.success_after_unmap) event.status = WGPUMapAsyncStatus_Aborted;
  }
}

void FakeState::release(FakeObject* object, const char* where) {
  if (object == nullptr || object->references == 0) {
    violation(std::string("released once too often: ") + where);
    return;
  }
  if (--object->references > 0) return;
  --live[static_cast<std::size_t>(object->kind)];
  if (object->kind == FakeKind::buffer)
    cancel_map(static_cast<WGPUBuffer>(object), WGPUMapAsyncStatus_Aborted);
  if (object->kind == FakeKind::encoder) drop_commands(static_cast<WGPUCommandEncoder>(object)->commands);
  if (object->kind == FakeKind::commands) drop_commands(static_cast<WGPUCommandBuffer>(object)->commands);
  collect(object);
}

void FakeState::unhold(FakeObject* object) {
  if (object == nullptr) return;
  --object->internal;
  collect(object);
}

// Gives back the memory of what nobody refers to any more; the object itself stays, to catch use after
// release.
void FakeState::collect(FakeObject* object) {
  if (object->references > 0 || object->internal > 0) return;
  if (object->kind == FakeKind::buffer)
    std::vector<std::uint8_t>().swap(static_cast<WGPUBuffer>(object)->data);
  if (object->kind == FakeKind::query_set) {
    std::vector<std::uint64_t>().swap(static_cast<WGPUQuerySet>(object)->values);
  }
}

void FakeState::drop_commands(std::vector<FakeCommand>& list) {
  for (const FakeCommand& command : list) {
    unhold(command.set);
    unhold(command.from);
    unhold(command.to);
  }
  list.clear();
}

// --- Execution
// ---------------------------------------------------------------------------------------------------

std::uint64_t FakeState::stamp(std::uint64_t value) const {
  if (script.zero_stamps) return 0;
  return (value - value % script.quantum) & script.stamp_mask;
}

void FakeState::run(const FakeCommand& command) {
  switch (command.what) {
    case FakeCommand::What::stamps:
      command.set->values[command.first] = stamp(command.a);
      command.set->values[command.second] = stamp(command.b);
      command.set->written[command.first] = command.set->written[command.second] = 1;
      return;
    case FakeCommand::What::resolve:
      if (holds(*command.to)) violation("resolve into a mapped buffer");
      for (std::uint32_t i = 0; i < command.second; ++i) {
        const std::uint32_t query = command.first + i;
        const bool there = command.set->written[query] != 0 || script.unwritten_is_stale;
        const std::uint64_t value = there ? command.set->values[query] : 0;
        std::memcpy(command.to->data.data() + command.a + i * sizeof value, &value, sizeof value);
        command.set->written[query] = 0;
      }
      return;
    case FakeCommand::What::copy:
      if (holds(*command.to)) violation("submit with a copy into a buffer whose map is pending or done");
      if (holds(*command.from)) violation("submit with a copy from a mapped buffer");
      std::memcpy(command.to->data.data() + command.b, command.from->data.data() + command.a, command.size);
      return;
  }
}

// --- Maps and other callbacks
// ------------------------------------------------------------------------------------

void FakeState::map(WGPUBuffer buffer, WGPUMapMode mode, std::size_t offset, std::size_t size,
                    const WGPUBufferMapCallbackInfo& info, bool fail) {
  FakeEvent event{};
  event.what = FakeEvent::What::map;
  event.device = buffer->device;
  event.on_map = info;
  event.due = pumps + 1 + script.map_delay;
  event.status = map_success;
  if (buffer->device->lost) {
    event.status = WGPUMapAsyncStatus_Aborted;
  } else if (!buffer->valid || fail || script.fail_next_maps > 0) {
    if (script.fail_next_maps > 0) --script.fail_next_maps;
    error(buffer->device, WGPUErrorType_Validation);
    event.status = WGPUMapAsyncStatus_Error;
  } else if (holds(*buffer)) {
    violation("map of a buffer that is mapped or whose map is pending");
    event.status = WGPUMapAsyncStatus_Error;
  } else if (mode != WGPUMapMode_Read || (buffer->usage & WGPUBufferUsage_MapRead) == 0) {
    violation("map for reading of a buffer without that usage");
    event.status = WGPUMapAsyncStatus_Error;
  } else if (offset % 8 != 0 || size % 4 != 0 || offset + size > buffer->data.size()) {
    violation("map of a range that is not in the buffer");
    event.status = WGPUMapAsyncStatus_Error;
  } else {
    buffer->map = WGPUBufferImpl::Map::pending;
    buffer->mapped_bytes = size;
    event.map_serial = ++buffer->map_serial;
    event.buffer = buffer;
  }
  events.push_back(event);
}

void FakeState::cancel_map(WGPUBuffer buffer, int status) {
  for (FakeEvent& event : events) {
    if (event.what != FakeEvent::What::map || event.buffer != buffer) continue;
    event.buffer = nullptr;
    if (!script.success_after_unmap) {
      event.status = status;
      event.due = 0;
    }
  }
  buffer->map = WGPUBufferImpl::Map::unmapped;
}

void FakeState::unmap(WGPUBuffer buffer) { cancel_map(buffer, WGPUMapAsyncStatus_Aborted); }

bool FakeState::take_due(FakeEvent& out) {
  if (script.hold) return false;
  const auto due = [this](const FakeEvent& event) { return event.due <= pumps; };
  auto found = std::find_if(events.begin(), events.end(), due);
  if (script.reorder) {
    const auto last = std::find_if(events.rbegin(), events.rend(), due);
    found = last == events.rend() ? events.end() : std::prev(last.base());
  }
  if (found == events.end()) return false;
  out = *found;
  events.erase(found);
  if (out.buffer != nullptr && !script.drop) {
    if (out.status == map_success) out.buffer->map = WGPUBufferImpl::Map::mapped;
  }
  return true;
}

void FakeEvent::deliver() const {
  constexpr WGPUStringView nothing = {nullptr, 0};
  switch (what) {
    case What::map:
      return on_map.callback(static_cast<WGPUMapAsyncStatus>(status), nothing, on_map.userdata1,
                             on_map.userdata2);
    case What::work_done:
      return on_done.callback(static_cast<WGPUQueueWorkDoneStatus>(status), nothing, on_done.userdata1,
                              on_done.userdata2);
    case What::popped_scope:
      return on_pop.callback(static_cast<WGPUPopErrorScopeStatus>(status), error, nothing, on_pop.userdata1,
                             on_pop.userdata2);
  }
}

WGPUCommandEncoder FakeState::new_encoder(WGPUDevice device) {
  auto free = std::find_if(encoders.begin(), encoders.end(),
                           [](const WGPUCommandEncoderImpl& encoder) { return encoder.references == 0; });
  WGPUCommandEncoder encoder = free != encoders.end() ? &*free : &encoders.emplace_back();
  encoder->kind = FakeKind::encoder;
  encoder->references = 1;
  encoder->valid = true;
  encoder->device = device;
  ++live[static_cast<std::size_t>(FakeKind::encoder)];
  return encoder;
}

// --- What tests call
// ---------------------------------------------------------------------------------------------

FakeWebGpu::FakeWebGpu() : state_(std::make_unique<FakeState>(script)) {}
FakeWebGpu::~FakeWebGpu() = default;

FakeWebGpu& FakeWebGpu::get() {
  static FakeWebGpu fake;
  return fake;
}

void FakeWebGpu::reset() {
  std::vector<FakeEvent> left;
  for (std::vector<FakeEvent>* list : {&state_->events, &state_->dropped}) {
    left.insert(left.end(), list->begin(), list->end());
    list->clear();
  }
  for (FakeEvent& event : left) {
    event.status = WGPUMapAsyncStatus_CallbackCancelled;  // the number is the same for all three kinds
    event.deliver();
  }
  script = {};
  state_ = std::make_unique<FakeState>(script);
}

WGPUInstance FakeWebGpu::instance() {
  if (state_->instance == nullptr) {
    state_->instance = std::make_unique<WGPUInstanceImpl>();
    state_->instance->kind = FakeKind::instance;
  }
  return state_->instance.get();
}

WGPUAdapter FakeWebGpu::adapter() {
  if (state_->adapter == nullptr) {
    state_->adapter = std::make_unique<WGPUAdapterImpl>();
    state_->adapter->kind = FakeKind::adapter;
  }
  return state_->adapter.get();
}

void FakeWebGpu::adapter_has_timestamps(bool yes) { state_->adapter_timestamps = yes; }

WGPUDevice FakeWebGpu::device(bool timestamps) {
  instance();
  adapter();
  WGPUDeviceImpl& device = state_->devices.emplace_back();
  device.kind = FakeKind::device;
  device.timestamps = timestamps;
  device.error_scopes.reserve(8);
  WGPUQueueImpl& queue = state_->queues.emplace_back();
  queue.kind = FakeKind::queue;
  queue.device = &device;
  device.queue = &queue;
  return &device;
}

WGPUCommandEncoder FakeWebGpu::encoder(WGPUDevice device) {
  const std::lock_guard lock(state_->mutex);
  return state_->new_encoder(device);
}

void FakeWebGpu::pass(WGPUCommandEncoder encoder, const WGPUPassTimestampWrites* writes, std::uint64_t begin,
                      std::uint64_t end) {
  if (writes == nullptr) return;
  const std::lock_guard lock(state_->mutex);
  WGPUQuerySet set = state_->alive(writes->querySet, "timestampWrites");
  if (!set->valid) {
    encoder->valid = false;
    return;
  }
  const std::uint32_t first = writes->beginningOfPassWriteIndex;
  const std::uint32_t second = writes->endOfPassWriteIndex;
  if (first >= set->values.size() || second >= set->values.size() || first == second) {
    state_->violation("timestampWrites with indices outside the set, or twice the same");
    return;
  }
  ++set->internal;
  encoder->commands.push_back(
      {FakeCommand::What::stamps, set, nullptr, nullptr, first, second, begin, end, 0});
}

void FakeWebGpu::submit(WGPUCommandEncoder encoder) {
  const std::lock_guard lock(state_->mutex);
  if (encoder->valid && !encoder->device->lost) {
    for (const FakeCommand& command : encoder->commands) state_->run(command);
  } else {
    state_->error(encoder->device, WGPUErrorType_Validation);
  }
  state_->release(encoder, "encoder");
}

void FakeWebGpu::drop(WGPUCommandEncoder encoder) {
  const std::lock_guard lock(state_->mutex);
  state_->release(encoder, "encoder");
}

void FakeWebGpu::pump() {
  {
    const std::lock_guard lock(state_->mutex);
    ++state_->pumps;
  }
  for (;;) {
    FakeEvent event{};
    {
      const std::lock_guard lock(state_->mutex);
      if (!state_->take_due(event)) return;
      if (script.drop) {
        state_->dropped.push_back(event);
        continue;
      }
    }
    event.deliver();  // without the lock: the callback is the backend's
  }
}

void FakeWebGpu::lose(WGPUDevice device) {
  const std::lock_guard lock(state_->mutex);
  state_->lose(device);
}

void FakeWebGpu::lose_all() {
  const std::lock_guard lock(state_->mutex);
  for (WGPUDeviceImpl& device : state_->devices) state_->lose(&device);
}

void FakeWebGpu::fail_at(std::uint64_t call) {
  state_->since_armed = 0;
  state_->fault = false;
  state_->fail_at = call;
  state_->lose_at = state_->call_back_at = 0;
}

void FakeWebGpu::lose_at(std::uint64_t call) {
  state_->since_armed = 0;
  state_->fault = false;
  state_->fail_at = state_->call_back_at = 0;
  state_->lose_at = call;
}

void FakeWebGpu::call_back_at(std::uint64_t call) {
  fail_at(0);
  state_->call_back_at = call;
}

std::uint64_t FakeWebGpu::calls_since_armed() const { return state_->since_armed; }
bool FakeWebGpu::fault_happened() const { return state_->fault; }

std::uint64_t FakeWebGpu::calls(FakeCall call) const { return state_->calls[static_cast<std::size_t>(call)]; }

std::uint64_t FakeWebGpu::all_calls() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : state_->calls) sum += count;
  return sum;
}

std::size_t FakeWebGpu::live(FakeKind kind) const { return state_->live[static_cast<std::size_t>(kind)]; }

std::size_t FakeWebGpu::live_device_objects() const {
  return live(FakeKind::query_set) + live(FakeKind::buffer) + live(FakeKind::encoder) +
         live(FakeKind::commands);
}

std::size_t FakeWebGpu::pending_callbacks() const { return state_->events.size(); }
std::size_t FakeWebGpu::dropped_callbacks() const { return state_->dropped.size(); }

std::vector<std::string> FakeWebGpu::violations() const {
  const std::lock_guard lock(state_->mutex);
  return state_->violations;
}

std::size_t FakeWebGpu::uncaptured_errors() const { return state_->uncaptured; }

}  // namespace passmeter::testing
