#include "webgpu_renderer.h"

#include <array>
#include <cstddef>
#include <utility>

#include "shaders.h"
#include "webgpu_make.h"

namespace scene {
namespace {

enum Texture : std::size_t {
  shadow_map,
  depth_map,
  albedo_map,
  normal_map,
  occlusion_map,
  light_map,
  glow_map,
  picture,
};
constexpr std::size_t texture_count = picture + 1;

constexpr WGPUTextureFormat rgba8 = WGPUTextureFormat_RGBA8Unorm;
constexpr WGPUTextureFormat rgb10 = WGPUTextureFormat_RGB10A2Unorm;
constexpr WGPUTextureFormat r8 = WGPUTextureFormat_R8Unorm;
constexpr WGPUTextureFormat depth32 = WGPUTextureFormat_Depth32Float;

enum SamplerUse { no_sampler, smooth_only, smooth_and_shadow };

class Textures {
 public:
  template <typename... T>
  constexpr explicit Textures(T... textures) : items_{textures...}, count_(sizeof...(textures)) {}
  constexpr const Texture* begin() const { return items_.data(); }
  constexpr const Texture* end() const { return items_.data() + count_; }

 private:
  std::array<Texture, 5> items_;
  std::size_t count_;
};

// What a pass draws into and reads. Textures are bound from binding 1 on, then the samplers, as the shaders
// say.
struct PassSetup {
  Textures colors;
  bool draws_objects;  // into a depth texture too; otherwise one triangle covers the target
  Texture depth;
  Textures reads;
  SamplerUse samplers;
};

constexpr std::array<PassSetup, pass_count> setups = {{
    {Textures(), true, shadow_map, Textures(), no_sampler},
    {Textures(albedo_map, normal_map), true, depth_map, Textures(), no_sampler},
    {Textures(occlusion_map), false, {}, Textures(depth_map, normal_map), no_sampler},
    {Textures(light_map),
     false,
     {},
     Textures(depth_map, albedo_map, normal_map, occlusion_map, shadow_map),
     smooth_and_shadow},
    {Textures(glow_map), false, {}, Textures(light_map), smooth_only},
    {Textures(picture), false, {}, Textures(light_map, glow_map), smooth_only},
}};

WGPUSampler make_sampler(WGPUDevice device, WGPUCompareFunction compare) {
  WGPUSamplerDescriptor descriptor{};
  descriptor.addressModeU = descriptor.addressModeV = descriptor.addressModeW = WGPUAddressMode_ClampToEdge;
  descriptor.magFilter = descriptor.minFilter = WGPUFilterMode_Linear;
  descriptor.mipmapFilter = WGPUMipmapFilterMode_Nearest;
  descriptor.compare = compare;
  descriptor.maxAnisotropy = 1;
  return wgpuDeviceCreateSampler(device, &descriptor);
}

}  // namespace

struct WebGpuRenderer::Impl {
  WGPUDevice device = nullptr;
  WGPUQueue queue = nullptr;
  Options options;
  Geometry geometry = make_geometry();
  Instances instances;
  std::array<WGPURenderPipeline, pass_count> pipelines{};
  std::array<WGPUBindGroup, pass_count> groups{};
  std::array<Image, texture_count> images{};
  WGPUTextureView outer_target = nullptr;  // borrowed
  WGPUBuffer vertex_buffer = nullptr;
  WGPUBuffer index_buffer = nullptr;
  WGPUBuffer instance_buffer = nullptr;
  WGPUBuffer uniform_buffer = nullptr;
  WGPUSampler smooth_sampler = nullptr;
  WGPUSampler shadow_sampler = nullptr;

  WGPUTextureFormat format_of(Texture texture) const;
  void make_buffers();
  void make_pipeline(Pass pass);
  void make_target(Texture texture, int size);
  void make_group(Pass pass);
  void make_targets();
  void release_targets();
  void upload(int frame);
  WGPURenderPassEncoder begin_pass(WGPUCommandEncoder encoder, Pass pass,
                                   const WGPUPassTimestampWrites* writes);
  void draw_objects(WGPURenderPassEncoder encoder);
};

WGPUTextureFormat WebGpuRenderer::Impl::format_of(Texture texture) const {
  switch (texture) {
    case shadow_map:
    case depth_map:
      return depth32;
    case albedo_map:
      return rgba8;
    case normal_map:
    case light_map:
    case glow_map:
      return rgb10;
    case occlusion_map:
      return r8;
    case picture:
      return options.picture_format;
  }
  return WGPUTextureFormat_Undefined;
}

void WebGpuRenderer::Impl::make_buffers() {
  vertex_buffer = make_filled_buffer(device, queue, geometry.vertices.data(),
                                     geometry.vertices.size() * sizeof(Vertex), WGPUBufferUsage_Vertex);
  index_buffer = make_filled_buffer(device, queue, geometry.indices.data(),
                                    geometry.indices.size() * sizeof(std::uint16_t), WGPUBufferUsage_Index);
  make_instances(0, instances);
  instance_buffer = make_buffer(device, instances.list.size() * sizeof(Instance),
                                WGPUBufferUsage_Vertex | WGPUBufferUsage_CopyDst);
  uniform_buffer =
      make_buffer(device, sizeof(FrameUniforms), WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst);
  smooth_sampler = make_sampler(device, WGPUCompareFunction_Undefined);
  shadow_sampler = make_sampler(device, WGPUCompareFunction_LessEqual);
}

void WebGpuRenderer::Impl::make_pipeline(Pass pass) {
  const PassSetup& setup = setups[index_of(pass)];
  const WGPUShaderModule module =
      make_module(device, wgsl(pass, options.counts_a_turn), pass_names[index_of(pass)]);

  std::array<WGPUVertexAttribute, 2> vertex_attributes{};
  for (std::uint32_t i = 0; i < 2; ++i) {
    vertex_attributes[i].format = WGPUVertexFormat_Float32x3;
    vertex_attributes[i].offset = i * offsetof(Vertex, normal);
    vertex_attributes[i].shaderLocation = i;
  }
  std::array<WGPUVertexAttribute, 4> instance_attributes{};
  for (std::uint32_t i = 0; i < 4; ++i) {
    instance_attributes[i].format = WGPUVertexFormat_Float32x4;
    instance_attributes[i].offset = i * sizeof(Vector);
    instance_attributes[i].shaderLocation = 2 + i;
  }
  std::array<WGPUVertexBufferLayout, 2> layouts{};
  layouts[0].stepMode = WGPUVertexStepMode_Vertex;
  layouts[0].arrayStride = sizeof(Vertex);
  layouts[0].attributeCount = vertex_attributes.size();
  layouts[0].attributes = vertex_attributes.data();
  layouts[1].stepMode = WGPUVertexStepMode_Instance;
  layouts[1].arrayStride = sizeof(Instance);
  layouts[1].attributeCount = instance_attributes.size();
  layouts[1].attributes = instance_attributes.data();

  std::array<WGPUColorTargetState, 2> colors{};
  std::size_t color_count = 0;
  for (const Texture color : setup.colors) {
    colors[color_count].format = format_of(color);
    colors[color_count].writeMask = WGPUColorWriteMask_All;
    ++color_count;
  }
  WGPUFragmentState fragment{};
  fragment.module = module;
  fragment.entryPoint = webgpu_text("fragment_main");
  fragment.targetCount = color_count;
  fragment.targets = colors.data();

  const WGPUDepthStencilState depth = depth_state(depth32, WGPUCompareFunction_Less, true);
  WGPURenderPipelineDescriptor descriptor{};
  descriptor.label = webgpu_text(pass_names[index_of(pass)]);
  descriptor.vertex.module = module;
  descriptor.vertex.entryPoint = webgpu_text("vertex_main");
  descriptor.primitive.topology = WGPUPrimitiveTopology_TriangleList;
  descriptor.primitive.frontFace = WGPUFrontFace_CCW;
  descriptor.primitive.cullMode = WGPUCullMode_None;
  if (setup.draws_objects) {
    descriptor.vertex.bufferCount = layouts.size();
    descriptor.vertex.buffers = layouts.data();
    descriptor.primitive.cullMode = WGPUCullMode_Back;
    descriptor.depthStencil = &depth;
  }
  descriptor.multisample.count = 1;
  descriptor.multisample.mask = ~0U;
  descriptor.fragment = &fragment;
  pipelines[index_of(pass)] = wgpuDeviceCreateRenderPipeline(device, &descriptor);
  wgpuShaderModuleRelease(module);
}

void WebGpuRenderer::Impl::make_target(Texture texture, int size) {
  const WGPUTextureUsage usage =
      texture == picture ? WGPUTextureUsage_CopySrc : WGPUTextureUsage_TextureBinding;
  images[texture] = make_image(device, format_of(texture), usage, static_cast<std::uint32_t>(size));
}

void WebGpuRenderer::Impl::make_group(Pass pass) {
  const PassSetup& setup = setups[index_of(pass)];
  std::array<WGPUBindGroupEntry, 8> entries{};
  std::uint32_t count = 0;
  const auto next = [&]() -> WGPUBindGroupEntry& {
    entries[count].binding = count;
    return entries[count++];
  };
  WGPUBindGroupEntry& uniforms = next();
  uniforms.buffer = uniform_buffer;
  uniforms.size = sizeof(FrameUniforms);
  for (const Texture texture : setup.reads) next().textureView = images[texture].view;
  if (setup.samplers != no_sampler) next().sampler = smooth_sampler;
  if (setup.samplers == smooth_and_shadow) next().sampler = shadow_sampler;

  WGPUBindGroupDescriptor descriptor{};
  descriptor.layout = wgpuRenderPipelineGetBindGroupLayout(pipelines[index_of(pass)], 0);
  descriptor.entryCount = count;
  descriptor.entries = entries.data();
  groups[index_of(pass)] = wgpuDeviceCreateBindGroup(device, &descriptor);
  wgpuBindGroupLayoutRelease(descriptor.layout);
}

void WebGpuRenderer::Impl::make_targets() {
  const int size = options.size;
  make_target(shadow_map, shadow_size(size));
  make_target(occlusion_map, occlusion_size(size));
  make_target(glow_map, bloom_size(size));
  for (const Texture texture : {depth_map, albedo_map, normal_map, light_map, picture})
    make_target(texture, size);
  for (int pass = 0; pass < pass_count; ++pass) make_group(static_cast<Pass>(pass));
}

void WebGpuRenderer::Impl::release_targets() {
  for (WGPUBindGroup& group : groups) {
    if (group != nullptr) wgpuBindGroupRelease(group);
    group = nullptr;
  }
  for (Image& image : images) release(image);
}

void WebGpuRenderer::Impl::upload(int frame) {
  const FrameUniforms uniforms = make_uniforms(frame, options.size, options.load, ClipSpace::webgpu);
  wgpuQueueWriteBuffer(queue, uniform_buffer, 0, &uniforms, sizeof(uniforms));
  make_instances(frame, instances);
  wgpuQueueWriteBuffer(queue, instance_buffer, 0, instances.list.data(),
                       instances.list.size() * sizeof(Instance));
}

WGPURenderPassEncoder WebGpuRenderer::Impl::begin_pass(WGPUCommandEncoder encoder, Pass pass,
                                                       const WGPUPassTimestampWrites* writes) {
  const PassSetup& setup = setups[index_of(pass)];
  std::array<WGPURenderPassColorAttachment, 2> colors{};
  std::size_t color_count = 0;
  for (const Texture color : setup.colors) {
    const bool outer = color == picture && outer_target != nullptr;
    colors[color_count++] = cleared_color(outer ? outer_target : images[color].view);
  }
  WGPURenderPassDepthStencilAttachment depth{};
  depth.view = images[setup.depth].view;
  depth.depthLoadOp = WGPULoadOp_Clear;
  depth.depthStoreOp = WGPUStoreOp_Store;
  depth.depthClearValue = 1.0F;

  WGPURenderPassDescriptor descriptor{};
  descriptor.label = webgpu_text(pass_names[index_of(pass)]);
  descriptor.colorAttachmentCount = color_count;
  descriptor.colorAttachments = colors.data();
  descriptor.depthStencilAttachment = setup.draws_objects ? &depth : nullptr;
  descriptor.timestampWrites = writes;
  return wgpuCommandEncoderBeginRenderPass(encoder, &descriptor);
}

void WebGpuRenderer::Impl::draw_objects(WGPURenderPassEncoder encoder) {
  wgpuRenderPassEncoderSetVertexBuffer(encoder, 0, vertex_buffer, 0,
                                       geometry.vertices.size() * sizeof(Vertex));
  const std::uint64_t index_bytes = (geometry.indices.size() * sizeof(std::uint16_t) + 3) / 4 * 4;
  wgpuRenderPassEncoderSetIndexBuffer(encoder, index_buffer, WGPUIndexFormat_Uint16, 0, index_bytes);
  // As in OpenGL ES, by offset instead of by base instance.
  const auto draw = [&](const Mesh& mesh, std::uint32_t first, std::uint32_t count) {
    wgpuRenderPassEncoderSetVertexBuffer(encoder, 1, instance_buffer, first * sizeof(Instance),
                                         count * sizeof(Instance));
    wgpuRenderPassEncoderDrawIndexed(encoder, mesh.index_count, count, mesh.first_index, 0, 0);
  };
  draw(geometry.box, 0, instances.box_count);
  draw(geometry.sphere, instances.box_count, instances.sphere_count);
}

WebGpuRenderer::WebGpuRenderer(WGPUDevice device, WGPUQueue queue, const Options& options)
    : impl_(std::make_unique<Impl>()) {
  wgpuDeviceAddRef(device);
  wgpuQueueAddRef(queue);
  impl_->device = device;
  impl_->queue = queue;
  impl_->options = options;
  impl_->options.size = clamped_size(options.size);
  impl_->make_buffers();
  for (int pass = 0; pass < pass_count; ++pass) impl_->make_pipeline(static_cast<Pass>(pass));
  impl_->make_targets();
}

WebGpuRenderer::~WebGpuRenderer() {
  impl_->release_targets();
  for (const WGPURenderPipeline pipeline : impl_->pipelines) wgpuRenderPipelineRelease(pipeline);
  for (const WGPUBuffer buffer :
       {impl_->vertex_buffer, impl_->index_buffer, impl_->instance_buffer, impl_->uniform_buffer})
    wgpuBufferRelease(buffer);
  for (const WGPUSampler sampler : {impl_->smooth_sampler, impl_->shadow_sampler})
    wgpuSamplerRelease(sampler);
  wgpuQueueRelease(impl_->queue);
  wgpuDeviceRelease(impl_->device);
}

int WebGpuRenderer::size() const { return impl_->options.size; }
void WebGpuRenderer::set_load(float load) { impl_->options.load = load; }
void WebGpuRenderer::set_target(WGPUTextureView view) { impl_->outer_target = view; }

void WebGpuRenderer::encode(WGPUCommandEncoder encoder, int frame, const WebGpuPassHooks& hooks) {
  impl_->upload(frame);
  for (int index = 0; index < pass_count; ++index) {
    const Pass pass = static_cast<Pass>(index);
    const WGPUPassTimestampWrites* writes =
        hooks.writes != nullptr ? hooks.writes(hooks.user, index) : nullptr;
    encode_pass_again(encoder, pass, writes);
    if (hooks.end != nullptr) hooks.end(hooks.user, index);
  }
}

void WebGpuRenderer::encode_pass_again(WGPUCommandEncoder encoder, Pass pass,
                                       const WGPUPassTimestampWrites* writes) {
  const WGPURenderPassEncoder render = impl_->begin_pass(encoder, pass, writes);
  wgpuRenderPassEncoderSetPipeline(render, impl_->pipelines[index_of(pass)]);
  wgpuRenderPassEncoderSetBindGroup(render, 0, impl_->groups[index_of(pass)], 0, nullptr);
  if (setups[index_of(pass)].draws_objects)
    impl_->draw_objects(render);
  else
    wgpuRenderPassEncoderDraw(render, 3, 1, 0, 0);
  wgpuRenderPassEncoderEnd(render);
  wgpuRenderPassEncoderRelease(render);
}

#ifdef __EMSCRIPTEN__
bool WebGpuRenderer::read_pixels(WGPUInstance, std::vector<std::uint8_t>&) { return false; }
#else
bool WebGpuRenderer::read_pixels(WGPUInstance instance, std::vector<std::uint8_t>& rgba) {
  std::vector<std::uint8_t> pixels =
      read_image(impl_->device, impl_->queue, instance, impl_->images[picture].texture,
                 static_cast<std::uint32_t>(impl_->options.size));
  if (pixels.empty()) return false;
  rgba = std::move(pixels);
  return true;
}
#endif

void WebGpuRenderer::resize(int size) {
  if (clamped_size(size) == impl_->options.size) return;
  impl_->options.size = clamped_size(size);
  impl_->release_targets();
  impl_->make_targets();
}

}  // namespace scene
