#include "city_webgpu.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "webgpu_make.h"

namespace city {
namespace {

constexpr const char* shader = R"(
struct Frame { clip_from_world: mat4x4f }
@group(0) @binding(0) var<uniform> frame: Frame;

struct Box {
  @location(2) center: vec4f,
  @location(3) half_size: vec4f,
  @location(4) color: vec4f,
}
struct Surface {
  @builtin(position) position: vec4f,
  @location(0) face: vec3f,
  @location(1) local: vec3f,
  @location(2) @interpolate(flat) color: vec3f,
  @location(3) @interpolate(flat) id: f32,
}

@vertex fn box_vertex(@location(0) position: vec3f, @location(1) normal: vec3f, box: Box) -> Surface {
  var out: Surface;
  out.face = normal;
  out.local = position * box.half_size.xyz;
  out.color = box.color.rgb;
  out.id = box.center.w;
  out.position = frame.clip_from_world * vec4f(box.center.xyz + out.local, 1.0);
  return out;
}

struct Gbuffer { @location(0) albedo: vec4f, @location(1) number: vec4f }

@fragment fn box_fragment(in: Surface) -> Gbuffer {
  var wall = in.local.xz * 0.3;
  if (abs(in.face.x) > 0.5) { wall = in.local.zy; } else if (abs(in.face.z) > 0.5) { wall = in.local.xy; }
  let cell = fract(wall * 0.8);
  let window = step(0.25, cell.x) * step(cell.x, 0.75) * step(0.3, cell.y) * step(cell.y, 0.8);
  let dark = select(0.45, 0.9, abs(in.face.y) > 0.5);
  let high = floor(in.id / 256.0);
  let direction = dot(in.face, vec3f(0.15, 0.75, 0.35)) * 0.5 + 0.5;
  var out: Gbuffer;
  out.albedo = vec4f(in.color * mix(1.0, dark, window), 1.0);
  out.number = vec4f((in.id - high * 256.0) / 255.0, high / 255.0, direction, 1.0);
  return out;
}

@vertex fn bounds_vertex(@location(0) position: vec3f, box: Box) -> @builtin(position) vec4f {
  let reach = position * (box.half_size.xyz + box.half_size.w);
  return frame.clip_from_world * vec4f(box.center.xyz + reach, 1.0);
}
)";

constexpr const char* light_shader = R"(
@group(0) @binding(0) var albedo_map: texture_2d<f32>;
@group(0) @binding(1) var number_map: texture_2d<f32>;

@vertex fn screen_vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u), 0.0, 1.0);
}

@fragment fn light_fragment(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let at = vec2i(position.xy);
  let albedo = textureLoad(albedo_map, at, 0);
  let direction = textureLoad(number_map, at, 0).z;
  let lit = albedo.rgb * (0.25 + 0.85 * direction);
  return vec4f(select(vec3f(0.55, 0.7, 0.9), lit, albedo.a > 0.5), 1.0);
}
)";

constexpr WGPUTextureFormat color_format = WGPUTextureFormat_RGBA8Unorm;
constexpr WGPUTextureFormat depth_format = WGPUTextureFormat_Depth32Float;

using scene::Image;
using scene::make_module;
using scene::webgpu_text;

}  // namespace

struct CityWebGpu::Impl {
  struct Model {
    WGPUBuffer vertices = nullptr;
    WGPUBuffer indices = nullptr;
    std::uint64_t vertex_bytes = 0;
    std::uint64_t index_bytes = 0;
    std::uint32_t index_count = 0;
  };

  Impl(const City& what, WGPUDevice with, WGPUQueue on, const Options& options)
      : city(what),
        device(with),
        queue(on),
        size(static_cast<std::uint32_t>(options.size)),
        picture_format(options.picture_format) {}

  WGPUBuffer fill(const void* data, std::size_t bytes, WGPUBufferUsage usage);
  Model upload(const Mesh& mesh);
  Image make_image(WGPUTextureFormat format, WGPUTextureUsage usage);
  void make_box_pipelines();
  void make_groups();
  WGPURenderPassEncoder begin(WGPUCommandEncoder encoder, const WGPURenderPassDescriptor& descriptor,
                              WGPURenderPipeline pipeline, const Model& model);

  const City& city;
  WGPUDevice device;
  WGPUQueue queue;
  std::uint32_t size;
  WGPUTextureFormat picture_format;
  Model box, bounds;
  WGPUBuffer objects = nullptr;
  WGPUBuffer frame = nullptr;
  WGPURenderPipeline box_pipeline = nullptr, bounds_pipeline = nullptr, light_pipeline = nullptr;
  WGPUBindGroupLayout frame_layout = nullptr;
  WGPUBindGroup frame_group = nullptr, light_group = nullptr;
  Image albedo, numbers, depth;
  std::vector<Image> pictures;
};

WGPUBuffer CityWebGpu::Impl::fill(const void* data, std::size_t bytes, WGPUBufferUsage usage) {
  return scene::make_filled_buffer(device, queue, data, bytes, usage);
}

CityWebGpu::Impl::Model CityWebGpu::Impl::upload(const Mesh& mesh) {
  Model model;
  const std::size_t vertex_bytes = mesh.vertices.size() * sizeof(Vertex);
  const std::size_t index_bytes = mesh.indices.size() * sizeof(std::uint32_t);
  model.index_count = static_cast<std::uint32_t>(mesh.indices.size());
  model.vertices = fill(mesh.vertices.data(), vertex_bytes, WGPUBufferUsage_Vertex);
  model.indices = fill(mesh.indices.data(), index_bytes, WGPUBufferUsage_Index);
  model.vertex_bytes = vertex_bytes;
  model.index_bytes = index_bytes;
  return model;
}

Image CityWebGpu::Impl::make_image(WGPUTextureFormat format, WGPUTextureUsage usage) {
  return scene::make_image(device, format, usage, size);
}

void CityWebGpu::Impl::make_box_pipelines() {
  WGPUBindGroupLayoutEntry entry{};
  entry.binding = 0;
  entry.visibility = WGPUShaderStage_Vertex;
  entry.buffer.type = WGPUBufferBindingType_Uniform;
  WGPUBindGroupLayoutDescriptor group{};
  group.entryCount = 1;
  group.entries = &entry;
  frame_layout = wgpuDeviceCreateBindGroupLayout(device, &group);
  WGPUPipelineLayoutDescriptor layout_descriptor{};
  layout_descriptor.bindGroupLayoutCount = 1;
  layout_descriptor.bindGroupLayouts = &frame_layout;
  const WGPUPipelineLayout layout = wgpuDeviceCreatePipelineLayout(device, &layout_descriptor);

  std::array<WGPUVertexAttribute, 5> attributes{};
  for (std::uint32_t i = 0; i < 5; ++i) {
    const bool of_vertex = i < 2;
    attributes[i].format = of_vertex ? WGPUVertexFormat_Float32x3 : WGPUVertexFormat_Float32x4;
    attributes[i].offset = of_vertex ? i * offsetof(Vertex, normal) : (i - 2) * 4 * sizeof(float);
    attributes[i].shaderLocation = i;
  }
  std::array<WGPUVertexBufferLayout, 2> buffers{};
  buffers[0].stepMode = WGPUVertexStepMode_Vertex;
  buffers[0].arrayStride = sizeof(Vertex);
  buffers[0].attributeCount = 2;
  buffers[0].attributes = attributes.data();
  buffers[1].stepMode = WGPUVertexStepMode_Instance;
  buffers[1].arrayStride = sizeof(Object);
  buffers[1].attributeCount = 3;
  buffers[1].attributes = attributes.data() + 2;

  const WGPUShaderModule module = make_module(device, shader);
  std::array<WGPUColorTargetState, 2> colors{};
  for (WGPUColorTargetState& color : colors) {
    color.format = color_format;
    color.writeMask = WGPUColorWriteMask_All;
  }
  WGPUFragmentState fragment{};
  fragment.module = module;
  fragment.entryPoint = webgpu_text("box_fragment");
  fragment.targetCount = colors.size();
  fragment.targets = colors.data();
  WGPUDepthStencilState depth_test = scene::depth_state(depth_format, WGPUCompareFunction_LessEqual, true);
  WGPURenderPipelineDescriptor descriptor{};
  descriptor.layout = layout;
  descriptor.vertex.module = module;
  descriptor.vertex.entryPoint = webgpu_text("box_vertex");
  descriptor.vertex.bufferCount = buffers.size();
  descriptor.vertex.buffers = buffers.data();
  descriptor.primitive.topology = WGPUPrimitiveTopology_TriangleList;
  descriptor.primitive.frontFace = WGPUFrontFace_CCW;
  descriptor.primitive.cullMode = WGPUCullMode_Back;
  descriptor.depthStencil = &depth_test;
  descriptor.multisample.count = 1;
  descriptor.multisample.mask = ~0U;
  descriptor.fragment = &fragment;
  box_pipeline = wgpuDeviceCreateRenderPipeline(device, &descriptor);

  descriptor.vertex.entryPoint = webgpu_text("bounds_vertex");
  depth_test.depthWriteEnabled = WGPUOptionalBool_False;
  descriptor.fragment = nullptr;
  bounds_pipeline = wgpuDeviceCreateRenderPipeline(device, &descriptor);
  wgpuShaderModuleRelease(module);
  wgpuPipelineLayoutRelease(layout);
}

void CityWebGpu::Impl::make_groups() {
  WGPUBindGroupEntry uniform{};
  uniform.binding = 0;
  uniform.buffer = frame;
  uniform.size = sizeof(Matrix);
  WGPUBindGroupDescriptor descriptor{};
  descriptor.layout = frame_layout;
  descriptor.entryCount = 1;
  descriptor.entries = &uniform;
  frame_group = wgpuDeviceCreateBindGroup(device, &descriptor);

  std::array<WGPUBindGroupEntry, 2> maps{};
  maps[0].binding = 0;
  maps[0].textureView = albedo.view;
  maps[1].binding = 1;
  maps[1].textureView = numbers.view;
  descriptor.layout = wgpuRenderPipelineGetBindGroupLayout(light_pipeline, 0);
  descriptor.entryCount = maps.size();
  descriptor.entries = maps.data();
  light_group = wgpuDeviceCreateBindGroup(device, &descriptor);
  wgpuBindGroupLayoutRelease(descriptor.layout);
}

CityWebGpu::CityWebGpu(const City& city, WGPUDevice device, WGPUQueue queue, const Options& options)
    : impl_(std::make_unique<Impl>(city, device, queue, options)) {
  Impl& impl = *impl_;
  impl.box = impl.upload(city.box());
  impl.bounds = impl.upload(city.bounds());
  impl.objects =
      impl.fill(city.objects().data(), city.objects().size() * sizeof(Object), WGPUBufferUsage_Vertex);
  impl.frame = scene::make_buffer(device, sizeof(Matrix), WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst);
  impl.albedo = impl.make_image(color_format, WGPUTextureUsage_TextureBinding);
  impl.numbers = impl.make_image(color_format, WGPUTextureUsage_TextureBinding | WGPUTextureUsage_CopySrc);
  impl.depth = impl.make_image(depth_format, WGPUTextureUsage_TextureBinding);
  for (int i = 0; i < std::max(options.pictures, 1); ++i) {
    impl.pictures.push_back(impl.make_image(options.picture_format, WGPUTextureUsage_CopySrc));
  }
  impl.make_box_pipelines();
  impl.light_pipeline = scene::make_plain_pipeline(device, light_shader, "screen_vertex", "light_fragment",
                                                   options.picture_format);
  impl.make_groups();
}

CityWebGpu::~CityWebGpu() {
  Impl& impl = *impl_;
  for (const WGPUBindGroup group : {impl.frame_group, impl.light_group}) wgpuBindGroupRelease(group);
  wgpuBindGroupLayoutRelease(impl.frame_layout);
  for (const WGPURenderPipeline pipeline : {impl.box_pipeline, impl.bounds_pipeline, impl.light_pipeline}) {
    wgpuRenderPipelineRelease(pipeline);
  }
  for (const WGPUBuffer buffer : {impl.box.vertices, impl.box.indices, impl.bounds.vertices,
                                  impl.bounds.indices, impl.objects, impl.frame}) {
    wgpuBufferRelease(buffer);
  }
  impl.pictures.insert(impl.pictures.end(), {impl.albedo, impl.numbers, impl.depth});
  for (Image& image : impl.pictures) scene::release(image);
}

void CityWebGpu::set_camera(const Camera& camera) {
  wgpuQueueWriteBuffer(impl_->queue, impl_->frame, 0, camera.clip_from_world.data(), sizeof(Matrix));
}

WGPURenderPassEncoder CityWebGpu::Impl::begin(WGPUCommandEncoder encoder,
                                              const WGPURenderPassDescriptor& descriptor,
                                              WGPURenderPipeline pipeline, const Model& model) {
  const WGPURenderPassEncoder pass = wgpuCommandEncoderBeginRenderPass(encoder, &descriptor);
  wgpuRenderPassEncoderSetPipeline(pass, pipeline);
  wgpuRenderPassEncoderSetBindGroup(pass, 0, frame_group, 0, nullptr);
  wgpuRenderPassEncoderSetVertexBuffer(pass, 0, model.vertices, 0, model.vertex_bytes);
  wgpuRenderPassEncoderSetVertexBuffer(pass, 1, objects, 0, city.objects().size() * sizeof(Object));
  wgpuRenderPassEncoderSetIndexBuffer(pass, model.indices, WGPUIndexFormat_Uint32, 0, model.index_bytes);
  return pass;
}

WGPURenderPassEncoder CityWebGpu::begin_gbuffer(WGPUCommandEncoder encoder,
                                                const WGPUPassTimestampWrites* writes) {
  Impl& impl = *impl_;
  const std::array<WGPURenderPassColorAttachment, 2> colors = {scene::cleared_color(impl.albedo.view),
                                                               scene::cleared_color(impl.numbers.view)};
  WGPURenderPassDepthStencilAttachment depth{};
  depth.view = impl.depth.view;
  depth.depthLoadOp = WGPULoadOp_Clear;
  depth.depthStoreOp = WGPUStoreOp_Store;
  depth.depthClearValue = 1.0F;
  WGPURenderPassDescriptor descriptor{};
  descriptor.colorAttachmentCount = colors.size();
  descriptor.colorAttachments = colors.data();
  descriptor.depthStencilAttachment = &depth;
  descriptor.timestampWrites = writes;
  return impl.begin(encoder, descriptor, impl.box_pipeline, impl.box);
}

void CityWebGpu::draw(WGPURenderPassEncoder pass, std::uint32_t id) {
  wgpuRenderPassEncoderDrawIndexed(pass, impl_->box.index_count, 1, 0, 0, id);
}

WGPURenderPassEncoder CityWebGpu::begin_bounds(WGPUCommandEncoder encoder,
                                               const WGPUPassTimestampWrites* writes, WGPUQuerySet queries) {
  Impl& impl = *impl_;
  WGPURenderPassDepthStencilAttachment depth{};
  depth.view = impl.depth.view;
  depth.depthLoadOp = WGPULoadOp_Load;
  depth.depthStoreOp = WGPUStoreOp_Store;
  WGPURenderPassDescriptor descriptor{};
  descriptor.depthStencilAttachment = &depth;
  descriptor.occlusionQuerySet = queries;
  descriptor.timestampWrites = writes;
  return impl.begin(encoder, descriptor, impl.bounds_pipeline, impl.bounds);
}

void CityWebGpu::draw_bounds(WGPURenderPassEncoder pass, std::uint32_t id) {
  wgpuRenderPassEncoderDrawIndexed(pass, impl_->bounds.index_count, 1, 0, 0, id);
}

void CityWebGpu::light(WGPUCommandEncoder encoder, const WGPUPassTimestampWrites* writes, int picture,
                       WGPUTextureView outer) {
  Impl& impl = *impl_;
  const WGPURenderPassColorAttachment color =
      scene::cleared_color(outer != nullptr ? outer : impl.pictures[static_cast<std::size_t>(picture)].view);
  WGPURenderPassDescriptor descriptor{};
  descriptor.colorAttachmentCount = 1;
  descriptor.colorAttachments = &color;
  descriptor.timestampWrites = writes;
  const WGPURenderPassEncoder pass = wgpuCommandEncoderBeginRenderPass(encoder, &descriptor);
  wgpuRenderPassEncoderSetPipeline(pass, impl.light_pipeline);
  wgpuRenderPassEncoderSetBindGroup(pass, 0, impl.light_group, 0, nullptr);
  wgpuRenderPassEncoderDraw(pass, 3, 1, 0, 0);
  wgpuRenderPassEncoderEnd(pass);
  wgpuRenderPassEncoderRelease(pass);
}

#ifndef __EMSCRIPTEN__
std::vector<std::uint8_t> CityWebGpu::read_picture(WGPUInstance instance, int picture) {
  return scene::read_image(impl_->device, impl_->queue, instance,
                           impl_->pictures[static_cast<std::size_t>(picture)].texture, impl_->size);
}

std::vector<std::uint8_t> CityWebGpu::read_numbers(WGPUInstance instance) {
  return scene::read_image(impl_->device, impl_->queue, instance, impl_->numbers.texture, impl_->size);
}
#endif

}  // namespace city
