#include "particles_webgpu.h"

#include <algorithm>
#include <array>

#include "webgpu_make.h"

namespace particles {
namespace {

// rule.cpp, in WGSL. `counters.found` counts the survivors of a step; `finish` turns it into what the next
// step and the draw need. New particles take the places behind the survivors, in order, so which of them have
// no room is the same everywhere.
constexpr const char* step_shader = R"(
struct Particle { place: vec4i, motion: vec4i }
struct Frame { number: u32, emit: u32, capacity: u32, unused: u32 }
struct Counters { alive: u32, generated: u32, found: atomic<u32>, unused: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read_write> counters: Counters;
@group(0) @binding(2) var<storage, read_write> from_list: array<Particle>;
@group(0) @binding(3) var<storage, read_write> to_list: array<Particle>;

fn mix_bits(x0: u32) -> u32 {
  var x = x0;
  x ^= x >> 16u;
  x *= 0x7FEB352Du;
  x ^= x >> 15u;
  x *= 0x846CA68Bu;
  return x ^ (x >> 16u);
}

@compute @workgroup_size(64) fn age(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= counters.alive) { return; }
  var p = from_list[id.x];
  p.motion.y -= 180;
  p.place += vec4i(p.motion.xyz, -1);
  if (p.place.w <= 0 || p.place.y < 0) { return; }
  to_list[atomicAdd(&counters.found, 1u)] = p;
}

@compute @workgroup_size(64) fn be_born(@builtin(global_invocation_id) id: vec3u) {
  let place = atomicLoad(&counters.found) + id.x;
  if (id.x >= frame.emit || place >= frame.capacity) { return; }
  let a = mix_bits(frame.number * 65537u + id.x + 1u);
  let b = mix_bits(a + 0x9E3779B9u);
  var p: Particle;
  p.place = vec4i(0, 0, 0, 40 + i32(b & 63u));
  p.motion = vec4i(i32(a & 4095u) - 2048, 4000 + i32((a >> 12u) & 4095u), i32((b >> 8u) & 4095u) - 2048, i32(b));
  to_list[place] = p;
}
)";

constexpr const char* finish_shader = R"(
struct Frame { number: u32, emit: u32, capacity: u32, unused: u32 }
struct Counters { alive: u32, generated: u32, found: atomic<u32>, unused: u32 }
struct Arguments { groups: vec3u, unused: u32, draw: vec4u }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read_write> counters: Counters;
@group(0) @binding(2) var<storage, read_write> arguments: Arguments;

@compute @workgroup_size(1) fn finish() {
  counters.generated = atomicExchange(&counters.found, 0u) + frame.emit;
  counters.alive = min(counters.generated, frame.capacity);
  arguments.groups = vec3u((counters.alive + 63u) / 64u, 1u, 1u);
  arguments.draw = vec4u(6u * counters.alive, 1u, 0u, 0u);
}
)";

// Two triangles a particle in one instance: instances of four vertices are slow on many GPUs.
constexpr const char* draw_shader = R"(
struct Particle { place: vec4i, motion: vec4i }
struct Spot { @builtin(position) position: vec4f, @location(0) tint: vec3f }
@group(0) @binding(0) var<storage, read> list: array<Particle>;

@vertex fn spot_vertex(@builtin(vertex_index) i: u32) -> Spot {
  let place = list[i / 6u].place;
  let at = vec2f(place.xy) / 262144.0;
  var corners = array(vec2f(-1, -1), vec2f(1, -1), vec2f(-1, 1), vec2f(-1, 1), vec2f(1, -1), vec2f(1, 1));
  let age = f32(place.w) / 103.0;
  var out: Spot;
  out.position = vec4f(vec2f(at.x, at.y * 2.4 - 0.9) + corners[i % 6u] * 1.5 * PIXEL, 0.0, 1.0);
  out.tint = mix(vec3f(1.0, 0.25, 0.1), vec3f(1.0, 0.9, 0.5), age) + vec3f(0.0, 0.0, f32(place.z) / 524288.0);
  return out;
}
@fragment fn spot_fragment(in: Spot) -> @location(0) vec4f { return vec4f(in.tint, 1.0); }
)";

constexpr std::uint64_t draw_arguments = 16;  // their place in the buffer of arguments

}  // namespace

struct ParticlesWebGpu::Impl {
  Impl(const Options& given, WGPUDevice with, WGPUQueue on, const Picture& shown)
      : options(given),
        device(with),
        queue(on),
        size(static_cast<std::uint32_t>(shown.size)),
        picture_format(shown.format) {}

  void make_layouts();
  WGPUComputePipeline make_compute(const char* code, const char* entry, WGPUPipelineLayout layout);
  void make_draw_pipeline();
  WGPUBindGroup make_group(WGPUBindGroupLayout layout, std::initializer_list<WGPUBuffer> buffers);
  void make_groups();

  Options options;
  WGPUDevice device;
  WGPUQueue queue;
  std::uint32_t size;
  WGPUTextureFormat picture_format;
  WGPUBuffer frame = nullptr, counters = nullptr, arguments = nullptr;
  WGPUBuffer lists[2] = {};
  WGPUBindGroupLayout step_group_layout = nullptr, finish_group_layout = nullptr;
  WGPUPipelineLayout step_layout = nullptr, finish_layout = nullptr;
  WGPUComputePipeline age = nullptr, be_born = nullptr, finish = nullptr;
  WGPURenderPipeline spots = nullptr;
  WGPUBindGroup step_groups[2] = {};  // from that list to the other
  WGPUBindGroup draw_groups[2] = {};  // of that list
  WGPUBindGroup finish_group = nullptr;
  scene::Image picture;
  std::uint32_t emit = 0;
  int current = 0;  // of the lists: what the last step wrote
};

void ParticlesWebGpu::Impl::make_layouts() {
  std::array<WGPUBindGroupLayoutEntry, 4> entries{};
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    entries[i].binding = i;
    entries[i].visibility = WGPUShaderStage_Compute;
    entries[i].buffer.type = i == 0 ? WGPUBufferBindingType_Uniform : WGPUBufferBindingType_Storage;
  }
  WGPUBindGroupLayoutDescriptor group{};
  group.entries = entries.data();
  WGPUPipelineLayoutDescriptor layout{};
  layout.bindGroupLayoutCount = 1;
  group.entryCount = 4;
  step_group_layout = wgpuDeviceCreateBindGroupLayout(device, &group);
  layout.bindGroupLayouts = &step_group_layout;
  step_layout = wgpuDeviceCreatePipelineLayout(device, &layout);
  group.entryCount = 3;
  finish_group_layout = wgpuDeviceCreateBindGroupLayout(device, &group);
  layout.bindGroupLayouts = &finish_group_layout;
  finish_layout = wgpuDeviceCreatePipelineLayout(device, &layout);
}

WGPUComputePipeline ParticlesWebGpu::Impl::make_compute(const char* code, const char* entry,
                                                        WGPUPipelineLayout layout) {
  const WGPUShaderModule module = scene::make_module(device, code);
  WGPUComputePipelineDescriptor descriptor{};
  descriptor.layout = layout;
  descriptor.compute.module = module;
  descriptor.compute.entryPoint = scene::webgpu_text(entry);
  const WGPUComputePipeline pipeline = wgpuDeviceCreateComputePipeline(device, &descriptor);
  wgpuShaderModuleRelease(module);
  return pipeline;
}

void ParticlesWebGpu::Impl::make_draw_pipeline() {
  std::string code = draw_shader;
  code.replace(code.find("PIXEL"), 5, "(2.0 / " + std::to_string(size) + ".0)");
  spots = scene::make_plain_pipeline(device, code, "spot_vertex", "spot_fragment", picture_format);
}

WGPUBindGroup ParticlesWebGpu::Impl::make_group(WGPUBindGroupLayout layout,
                                                std::initializer_list<WGPUBuffer> buffers) {
  std::array<WGPUBindGroupEntry, 4> entries{};
  std::uint32_t count = 0;
  for (const WGPUBuffer buffer : buffers) {
    entries[count].binding = count;
    entries[count].buffer = buffer;
    entries[count].size = wgpuBufferGetSize(buffer);
    ++count;
  }
  WGPUBindGroupDescriptor descriptor{};
  descriptor.layout = layout;
  descriptor.entryCount = count;
  descriptor.entries = entries.data();
  return wgpuDeviceCreateBindGroup(device, &descriptor);
}

void ParticlesWebGpu::Impl::make_groups() {
  for (int i = 0; i < 2; ++i) {
    step_groups[i] = make_group(step_group_layout, {frame, counters, lists[i], lists[1 - i]});
  }
  finish_group = make_group(finish_group_layout, {frame, counters, arguments});
  const WGPUBindGroupLayout draw_layout = wgpuRenderPipelineGetBindGroupLayout(spots, 0);
  for (int i = 0; i < 2; ++i) draw_groups[i] = make_group(draw_layout, {lists[i]});
  wgpuBindGroupLayoutRelease(draw_layout);
}

ParticlesWebGpu::ParticlesWebGpu(const Options& options, WGPUDevice device, WGPUQueue queue,
                                 const Picture& picture)
    : impl_(std::make_unique<Impl>(options, device, queue, picture)) {
  Impl& impl = *impl_;
  impl.options.capacity = std::max(impl.options.capacity, 1u);
  impl.frame = scene::make_buffer(device, 16, WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst);
  impl.counters = scene::make_buffer(device, 16, WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc);
  impl.arguments = scene::make_buffer(device, 32, WGPUBufferUsage_Storage | WGPUBufferUsage_Indirect);
  for (WGPUBuffer& list : impl.lists) {
    list = scene::make_buffer(device, std::size_t{impl.options.capacity} * sizeof(Particle),
                              WGPUBufferUsage_Storage);
  }
  impl.make_layouts();
  impl.age = impl.make_compute(step_shader, "age", impl.step_layout);
  impl.be_born = impl.make_compute(step_shader, "be_born", impl.step_layout);
  impl.finish = impl.make_compute(finish_shader, "finish", impl.finish_layout);
  impl.make_draw_pipeline();
  impl.make_groups();
  impl.picture = scene::make_image(device, impl.picture_format, WGPUTextureUsage_CopySrc, impl.size);
}

ParticlesWebGpu::~ParticlesWebGpu() {
  Impl& impl = *impl_;
  for (const WGPUBindGroup group : {impl.step_groups[0], impl.step_groups[1], impl.finish_group,
                                    impl.draw_groups[0], impl.draw_groups[1]}) {
    wgpuBindGroupRelease(group);
  }
  for (const WGPUComputePipeline pipeline : {impl.age, impl.be_born, impl.finish})
    wgpuComputePipelineRelease(pipeline);
  wgpuRenderPipelineRelease(impl.spots);
  for (const WGPUPipelineLayout layout : {impl.step_layout, impl.finish_layout})
    wgpuPipelineLayoutRelease(layout);
  for (const WGPUBindGroupLayout layout : {impl.step_group_layout, impl.finish_group_layout}) {
    wgpuBindGroupLayoutRelease(layout);
  }
  for (const WGPUBuffer buffer : {impl.frame, impl.counters, impl.arguments, impl.lists[0], impl.lists[1]}) {
    wgpuBufferRelease(buffer);
  }
  scene::release(impl.picture);
}

WGPUBuffer ParticlesWebGpu::counters() const { return impl_->counters; }

void ParticlesWebGpu::set_frame(std::uint32_t frame) {
  impl_->emit = emitted(impl_->options, frame);
  const std::uint32_t data[4] = {frame, impl_->emit, impl_->options.capacity, 0};
  wgpuQueueWriteBuffer(impl_->queue, impl_->frame, 0, data, sizeof data);
}

void ParticlesWebGpu::step(WGPUCommandEncoder encoder, ComputeWrites writes) {
  Impl& impl = *impl_;
  WGPUComputePassDescriptor descriptor{};
  descriptor.timestampWrites = writes;
  const WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, &descriptor);
  wgpuComputePassEncoderSetBindGroup(pass, 0, impl.step_groups[impl.current], 0, nullptr);
  wgpuComputePassEncoderSetPipeline(pass, impl.age);
  wgpuComputePassEncoderDispatchWorkgroupsIndirect(pass, impl.arguments, 0);
  wgpuComputePassEncoderSetPipeline(pass, impl.be_born);
  wgpuComputePassEncoderDispatchWorkgroups(pass, (impl.emit + 63) / 64, 1, 1);
  wgpuComputePassEncoderSetBindGroup(pass, 0, impl.finish_group, 0, nullptr);
  wgpuComputePassEncoderSetPipeline(pass, impl.finish);
  wgpuComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
  wgpuComputePassEncoderEnd(pass);
  wgpuComputePassEncoderRelease(pass);
  impl.current = 1 - impl.current;
}

void ParticlesWebGpu::draw(WGPUCommandEncoder encoder, const WGPUPassTimestampWrites* writes,
                           WGPUTextureView outer) {
  Impl& impl = *impl_;
  WGPURenderPassColorAttachment color = scene::cleared_color(outer != nullptr ? outer : impl.picture.view);
  color.clearValue = {0.05, 0.06, 0.1, 1.0};
  WGPURenderPassDescriptor descriptor{};
  descriptor.colorAttachmentCount = 1;
  descriptor.colorAttachments = &color;
  descriptor.timestampWrites = writes;
  const WGPURenderPassEncoder pass = wgpuCommandEncoderBeginRenderPass(encoder, &descriptor);
  wgpuRenderPassEncoderSetPipeline(pass, impl.spots);
  wgpuRenderPassEncoderSetBindGroup(pass, 0, impl.draw_groups[impl.current], 0, nullptr);
  wgpuRenderPassEncoderDrawIndirect(pass, impl.arguments, draw_arguments);
  wgpuRenderPassEncoderEnd(pass);
  wgpuRenderPassEncoderRelease(pass);
}

#ifndef __EMSCRIPTEN__
std::vector<std::uint8_t> ParticlesWebGpu::read_picture(WGPUInstance instance) {
  return scene::read_image(impl_->device, impl_->queue, instance, impl_->picture.texture, impl_->size);
}
#endif

}  // namespace particles
