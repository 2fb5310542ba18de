// The functions of webgpu.h that the backend calls, on the fake's state.
#include <cstring>
#include <utility>

#include "fake_webgpu_state.h"

using passmeter::testing::FakeCall;
using passmeter::testing::FakeEvent;
using passmeter::testing::FakeKind;
using passmeter::testing::FakeState;
using passmeter::testing::FakeWebGpu;

namespace {

FakeState& state() { return FakeWebGpu::get().state(); }

// Held during a call. At its end is where a call may call the application back.
class Lock {
 public:
  explicit Lock(std::recursive_mutex& mutex) : lock_(mutex) {}
  ~Lock() {
    FakeState& fake = state();
    if (std::exchange(fake.calls_back, false) && fake.script.called_back) fake.script.called_back();
  }

 private:
  std::lock_guard<std::recursive_mutex> lock_;
};

void add_ref(FakeObject* object, FakeKind kind) {
  const Lock lock(state().mutex);
  ++object->references;
  // The fake holds one reference to these; what is counted as live is what others hold.
  ++state().live[static_cast<std::size_t>(kind)];
}

void release_shared(FakeObject* object, FakeKind kind, const char* where) {
  const Lock lock(state().mutex);
  if (object == nullptr || object->references <= 1) {
    state().violation(std::string("released once too often: ") + where);
    return;
  }
  --object->references;
  --state().live[static_cast<std::size_t>(kind)];
}

template <class Object>
Object* refused(FakeState& fake, WGPUDevice device, Object* object) {
  fake.error(device, WGPUErrorType_OutOfMemory);
  object->valid = false;
  if (!fake.script.null_on_failure) return object;
  fake.release(object, "");
  return nullptr;
}

WGPUStringView view(const char* text) { return {text, WGPU_STRLEN}; }

}  // namespace

extern "C" {

// --- Instance and adapter
// ----------------------------------------------------------------------------------------

void wgpuInstanceProcessEvents(WGPUInstance) {
  bool fail = false;
  {
    const Lock lock(state().mutex);
    fail = state().enter(FakeCall::process_events);
  }
  if (!fail) FakeWebGpu::get().pump();
}

void wgpuInstanceAddRef(WGPUInstance instance) { add_ref(instance, FakeKind::instance); }
void wgpuInstanceRelease(WGPUInstance instance) { release_shared(instance, FakeKind::instance, "instance"); }

WGPUBool wgpuAdapterHasFeature(WGPUAdapter, WGPUFeatureName feature) {
  const Lock lock(state().mutex);
  if (state().enter(FakeCall::adapter_has_feature)) return false;
  return feature == WGPUFeatureName_TimestampQuery && state().adapter_timestamps;
}

WGPUInstance wgpuAdapterGetInstance(WGPUAdapter) {
  const Lock lock(state().mutex);
  if (state().enter(FakeCall::adapter_get_instance)) return nullptr;
  WGPUInstance instance = FakeWebGpu::get().instance();
  add_ref(instance, FakeKind::instance);
  return instance;
}

void wgpuAdapterRelease(WGPUAdapter adapter) { release_shared(adapter, FakeKind::adapter, "adapter"); }
void wgpuAdapterInfoFreeMembers(WGPUAdapterInfo) {}

// --- Device
// ------------------------------------------------------------------------------------------------------

void wgpuDeviceAddRef(WGPUDevice device) { add_ref(device, FakeKind::device); }
void wgpuDeviceRelease(WGPUDevice device) { release_shared(device, FakeKind::device, "device"); }

WGPUAdapter wgpuDeviceGetAdapter(WGPUDevice) {
  const Lock lock(state().mutex);
  if (state().enter(FakeCall::get_adapter)) return nullptr;
  WGPUAdapter adapter = FakeWebGpu::get().adapter();
  add_ref(adapter, FakeKind::adapter);
  return adapter;
}

WGPUStatus wgpuDeviceGetAdapterInfo(WGPUDevice, WGPUAdapterInfo* info) {
  const Lock lock(state().mutex);
  if (state().enter(FakeCall::get_adapter_info)) return WGPUStatus_Error;
  info->device = view("fake adapter");
  info->description = view("fake driver 1.0");
  return WGPUStatus_Success;
}

WGPUQueue wgpuDeviceGetQueue(WGPUDevice device) {
  const Lock lock(state().mutex);
  if (state().enter(FakeCall::get_queue)) return nullptr;
  add_ref(device->queue, FakeKind::queue);
  return device->queue;
}

void wgpuQueueRelease(WGPUQueue queue) { release_shared(queue, FakeKind::queue, "queue"); }

WGPUBool wgpuDeviceHasFeature(WGPUDevice device, WGPUFeatureName feature) {
  const Lock lock(state().mutex);
  if (state().enter(FakeCall::device_has_feature)) return false;
  return feature == WGPUFeatureName_TimestampQuery && device->timestamps;
}

WGPUQuerySet wgpuDeviceCreateQuerySet(WGPUDevice device, WGPUQuerySetDescriptor const* descriptor) {
  const Lock lock(state().mutex);
  FakeState& fake = state();
  const bool fail = fake.enter(FakeCall::create_query_set) || fake.script.refuse_query_sets;
  if (descriptor->count > 4096) fake.violation("a query set of more than 4096 queries");
  if (descriptor->type == WGPUQueryType_Timestamp && !device->timestamps) {
    fake.violation("a query set that the device has no feature for");
  }
  WGPUQuerySetImpl& set = fake.sets.emplace_back();
  set.kind = FakeKind::query_set;
  set.values.resize(descriptor->count);
  set.written.resize(descriptor->count);
  ++fake.live[static_cast<std::size_t>(FakeKind::query_set)];
  return fail ? refused(fake, device, &set) : &set;
}

void wgpuQuerySetRelease(WGPUQuerySet set) {
  const Lock lock(state().mutex);
  state().release(set, "query set");
}

WGPUBuffer wgpuDeviceCreateBuffer(WGPUDevice device, WGPUBufferDescriptor const* descriptor) {
  const Lock lock(state().mutex);
  FakeState& fake = state();
  const bool fail = fake.enter(FakeCall::create_buffer) || fake.script.refuse_buffers;
  WGPUBufferImpl& buffer = fake.buffers.emplace_back();
  buffer.kind = FakeKind::buffer;
  buffer.device = device;
  buffer.data.resize(descriptor->size);
  buffer.usage = descriptor->usage;
  ++fake.live[static_cast<std::size_t>(FakeKind::buffer)];
  return fail ? refused(fake, device, &buffer) : &buffer;
}

WGPUCommandEncoder wgpuDeviceCreateCommandEncoder(WGPUDevice device, WGPUCommandEncoderDescriptor const*) {
  const Lock lock(state().mutex);
  const bool fail = state().enter(FakeCall::create_encoder);
  WGPUCommandEncoder encoder = state().new_encoder(device);
  return fail ? refused(state(), device, encoder) : encoder;
}

void wgpuDevicePushErrorScope(WGPUDevice device, WGPUErrorFilter) {
  const Lock lock(state().mutex);
  state().enter(FakeCall::push_error_scope);
  device->error_scopes.push_back(false);
}

WGPUFuture wgpuDevicePopErrorScope(WGPUDevice device, WGPUPopErrorScopeCallbackInfo info) {
  const Lock lock(state().mutex);
  FakeState& fake = state();
  const bool fail = fake.enter(FakeCall::pop_error_scope);
  FakeEvent event{};
  event.what = FakeEvent::What::popped_scope;
  event.device = device;
  event.on_pop = info;
  event.due = fake.pumps + 1;
  if (device->error_scopes.empty()) {
    fake.violation("an error scope popped that was not pushed");
    return {0};
  }
  event.status = fail ? WGPUPopErrorScopeStatus_Error : WGPUPopErrorScopeStatus_Success;
  event.error = device->error_scopes.back() ? WGPUErrorType_OutOfMemory : WGPUErrorType_NoError;
  device->error_scopes.pop_back();
  fake.events.push_back(event);
  return {0};
}

// --- Buffer
// ------------------------------------------------------------------------------------------------------

WGPUFuture wgpuBufferMapAsync(WGPUBuffer buffer, WGPUMapMode mode, size_t offset, size_t size,
                              WGPUBufferMapCallbackInfo info) {
  const Lock lock(state().mutex);
  const bool fail = state().enter(FakeCall::map_async);
  state().map(state().alive(buffer, "wgpuBufferMapAsync"), mode, offset, size, info, fail);
  return {0};
}

void const* wgpuBufferGetConstMappedRange(WGPUBuffer buffer, size_t offset, size_t size) {
  const Lock lock(state().mutex);
  if (state().enter(FakeCall::get_mapped_range)) return nullptr;
  state().alive(buffer, "wgpuBufferGetConstMappedRange");
  if (buffer->device->lost) return nullptr;
  if (buffer->map != WGPUBufferImpl::Map::mapped || offset + size > buffer->mapped_bytes) {
    state().violation("a range that is not mapped");
    return nullptr;
  }
  return buffer->data.data() + offset;
}

void wgpuBufferUnmap(WGPUBuffer buffer) {
  const Lock lock(state().mutex);
  state().enter(FakeCall::unmap);
  state().unmap(state().alive(buffer, "wgpuBufferUnmap"));
}

void wgpuBufferRelease(WGPUBuffer buffer) {
  const Lock lock(state().mutex);
  state().release(buffer, "buffer");
}

// --- Commands
// ----------------------------------------------------------------------------------------------------

void wgpuCommandEncoderResolveQuerySet(WGPUCommandEncoder encoder, WGPUQuerySet set, uint32_t first,
                                       uint32_t count, WGPUBuffer destination, uint64_t offset) {
  const Lock lock(state().mutex);
  FakeState& fake = state();
  const bool fail = fake.enter(FakeCall::resolve_query_set);
  fake.alive(set, "resolve");
  fake.alive(destination, "resolve");
  if (fail || !set->valid || !destination->valid) {
    encoder->valid = false;
    return;
  }
  if (first + count > set->values.size()) fake.violation("resolve of queries outside the set");
  if (offset % 256 != 0) fake.violation("resolve to an offset that is no multiple of 256");
  if ((destination->usage & WGPUBufferUsage_QueryResolve) == 0)
    fake.violation("resolve into a buffer without that usage");
  if (offset + count * 8 > destination->data.size()) {
    fake.violation("resolve past the end of the buffer");
    return;
  }
  ++set->internal;
  ++destination->internal;
  encoder->commands.push_back(
      {FakeCommand::What::resolve, set, nullptr, destination, first, count, offset, 0, 0});
}

void wgpuCommandEncoderCopyBufferToBuffer(WGPUCommandEncoder encoder, WGPUBuffer from, uint64_t from_offset,
                                          WGPUBuffer to, uint64_t to_offset, uint64_t size) {
  const Lock lock(state().mutex);
  FakeState& fake = state();
  const bool fail = fake.enter(FakeCall::copy_buffer);
  fake.alive(from, "copy");
  fake.alive(to, "copy");
  if (fail || !from->valid || !to->valid) {
    encoder->valid = false;
    return;
  }
  if ((from->usage & WGPUBufferUsage_CopySrc) == 0 || (to->usage & WGPUBufferUsage_CopyDst) == 0) {
    fake.violation("copy between buffers without that usage");
  }
  if (size % 4 != 0 || from_offset % 4 != 0 || to_offset % 4 != 0 || from_offset + size > from->data.size() ||
      to_offset + size > to->data.size()) {
    fake.violation("copy past the end of a buffer, or not by multiples of 4");
    return;
  }
  ++from->internal;
  ++to->internal;
  encoder->commands.push_back(
      {FakeCommand::What::copy, nullptr, from, to, 0, 0, from_offset, to_offset, size});
}

WGPUCommandBuffer wgpuCommandEncoderFinish(WGPUCommandEncoder encoder, WGPUCommandBufferDescriptor const*) {
  const Lock lock(state().mutex);
  FakeState& fake = state();
  const bool fail = fake.enter(FakeCall::finish);
  auto free = std::find_if(fake.commands.begin(), fake.commands.end(),
                           [](const WGPUCommandBufferImpl& list) { return list.references == 0; });
  WGPUCommandBuffer commands = free != fake.commands.end() ? &*free : &fake.commands.emplace_back();
  commands->kind = FakeKind::commands;
  commands->references = 1;
  commands->device = encoder->device;
  commands->valid = encoder->valid;
  commands->commands.swap(encoder->commands);
  ++fake.live[static_cast<std::size_t>(FakeKind::commands)];
  if (!encoder->valid) fake.error(encoder->device, WGPUErrorType_Validation);
  return fail ? refused(fake, encoder->device, commands) : commands;
}

void wgpuCommandEncoderRelease(WGPUCommandEncoder encoder) {
  const Lock lock(state().mutex);
  state().release(encoder, "encoder");
}

void wgpuCommandBufferRelease(WGPUCommandBuffer commands) {
  const Lock lock(state().mutex);
  state().release(commands, "command buffer");
}

// --- Queue
// -------------------------------------------------------------------------------------------------------

void wgpuQueueSubmit(WGPUQueue queue, size_t count, WGPUCommandBuffer const* lists) {
  const Lock lock(state().mutex);
  FakeState& fake = state();
  const bool fail = fake.enter(FakeCall::submit);
  for (size_t i = 0; i < count; ++i) {
    WGPUCommandBuffer list = fake.alive(lists[i], "submit");
    if (queue->device->lost) continue;
    if (fail || !list->valid) {
      fake.error(queue->device, WGPUErrorType_Validation);
      continue;
    }
    for (const FakeCommand& command : list->commands) fake.run(command);
  }
}

WGPUFuture wgpuQueueOnSubmittedWorkDone(WGPUQueue queue, WGPUQueueWorkDoneCallbackInfo info) {
  const Lock lock(state().mutex);
  FakeState& fake = state();
  const bool fail = fake.enter(FakeCall::work_done);
  FakeEvent event{};
  event.what = FakeEvent::What::work_done;
  event.device = queue->device;
  event.on_done = info;
  event.due = fake.pumps + 1 + fake.script.work_delay;
  event.status = fail ? WGPUQueueWorkDoneStatus_Error : WGPUQueueWorkDoneStatus_Success;
  fake.events.push_back(event);
  return {0};
}

}  // extern "C"
