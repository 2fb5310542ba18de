// OcclusionQueries, Readback and CounterReadback on Dawn; any validation error fails the test.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "dawn_device.h"
#include "passmeter/webgpu/counter_readback.h"
#include "passmeter/webgpu/occlusion_queries.h"
#include "passmeter/webgpu/readback.h"

namespace passmeter::webgpu {
namespace {

using testing::DawnDevice;

constexpr std::uint32_t size = 64;

constexpr const char* shader = R"(
@vertex fn vertex(@builtin(vertex_index) i: u32, @builtin(instance_index) depth: u32) -> @builtin(position) vec4f {
  let corner = vec2f(f32(i & 1u), f32(i >> 1u)) * 2.0 - 1.0;
  return vec4f(corner * 0.8, f32(depth) / 4.0, 1.0);
}
@fragment fn fragment() -> @location(0) vec4f { return vec4f(1.0, 0.5, 0.25, 1.0); }
)";

WGPUStringView text(const char* s) { return {s, std::strlen(s)}; }

// A multisampled target with depth, its resolve target, and two pipelines: one that draws and one that only
// tests.
class Painter {
 public:
  explicit Painter(DawnDevice& dawn) : dawn_(dawn) {
    color_ = texture(WGPUTextureFormat_RGBA8Unorm, 4, WGPUTextureUsage_RenderAttachment);
    depth_ = texture(WGPUTextureFormat_Depth32Float, 4, WGPUTextureUsage_RenderAttachment);
    resolved = texture(WGPUTextureFormat_RGBA8Unorm, 1,
                       WGPUTextureUsage_RenderAttachment | WGPUTextureUsage_CopySrc);
    for (const WGPUTexture each : {color_, depth_, resolved})
      views_.push_back(wgpuTextureCreateView(each, nullptr));
    draws_ = pipeline(true);
    tests_ = pipeline(false);
  }
  ~Painter() {
    for (const WGPUTextureView view : views_) wgpuTextureViewRelease(view);
    for (const WGPUTexture each : {color_, depth_, resolved}) wgpuTextureRelease(each);
    for (const WGPURenderPipeline each : {draws_, tests_}) wgpuRenderPipelineRelease(each);
  }

  WGPURenderPassEncoder begin(WGPUCommandEncoder encoder, WGPUQuerySet queries) {
    WGPURenderPassColorAttachment color = {};
    color.view = views_[0];
    color.resolveTarget = views_[2];
    color.depthSlice = WGPU_DEPTH_SLICE_UNDEFINED;
    color.loadOp = WGPULoadOp_Clear;
    color.storeOp = WGPUStoreOp_Store;
    WGPURenderPassDepthStencilAttachment depth = {};
    depth.view = views_[1];
    depth.depthLoadOp = WGPULoadOp_Clear;
    depth.depthStoreOp = WGPUStoreOp_Store;
    depth.depthClearValue = 1.0f;
    WGPURenderPassDescriptor descriptor = {};
    descriptor.colorAttachmentCount = 1;
    descriptor.colorAttachments = &color;
    descriptor.depthStencilAttachment = &depth;
    descriptor.occlusionQuerySet = queries;
    return wgpuCommandEncoderBeginRenderPass(encoder, &descriptor);
  }
  // Depth in quarters: smaller is nearer.
  void draw(WGPURenderPassEncoder pass, std::uint32_t depth) { quad(pass, draws_, depth); }
  void draw_bounds(WGPURenderPassEncoder pass, std::uint32_t depth) { quad(pass, tests_, depth); }

  WGPUTexture resolved = nullptr;

 private:
  static void quad(WGPURenderPassEncoder pass, WGPURenderPipeline with, std::uint32_t depth) {
    wgpuRenderPassEncoderSetPipeline(pass, with);
    wgpuRenderPassEncoderDraw(pass, 4, 1, 0, depth);
  }
  WGPUTexture texture(WGPUTextureFormat format, std::uint32_t samples, WGPUTextureUsage usage) {
    WGPUTextureDescriptor descriptor = {};
    descriptor.usage = usage;
    descriptor.dimension = WGPUTextureDimension_2D;
    descriptor.size = {size, size, 1};
    descriptor.format = format;
    descriptor.mipLevelCount = 1;
    descriptor.sampleCount = samples;
    return wgpuDeviceCreateTexture(dawn_.device(), &descriptor);
  }
  WGPURenderPipeline pipeline(bool writes) {
    WGPUShaderSourceWGSL source = {};
    source.chain.sType = WGPUSType_ShaderSourceWGSL;
    source.code = text(shader);
    WGPUShaderModuleDescriptor module_descriptor = {};
    module_descriptor.nextInChain = &source.chain;
    const WGPUShaderModule module = wgpuDeviceCreateShaderModule(dawn_.device(), &module_descriptor);
    WGPUColorTargetState color = {};
    color.format = WGPUTextureFormat_RGBA8Unorm;
    color.writeMask = writes ? WGPUColorWriteMask_All : WGPUColorWriteMask_None;
    WGPUFragmentState fragment = {};
    fragment.module = module;
    fragment.entryPoint = text("fragment");
    fragment.targetCount = 1;
    fragment.targets = &color;
    WGPUDepthStencilState depth = {};
    depth.format = WGPUTextureFormat_Depth32Float;
    depth.depthWriteEnabled = writes ? WGPUOptionalBool_True : WGPUOptionalBool_False;
    depth.depthCompare = WGPUCompareFunction_LessEqual;
    WGPURenderPipelineDescriptor descriptor = {};
    descriptor.vertex.module = module;
    descriptor.vertex.entryPoint = text("vertex");
    descriptor.primitive.topology = WGPUPrimitiveTopology_TriangleStrip;
    descriptor.depthStencil = &depth;
    descriptor.multisample.count = 4;
    descriptor.multisample.mask = ~0u;
    descriptor.fragment = &fragment;
    const WGPURenderPipeline made = wgpuDeviceCreateRenderPipeline(dawn_.device(), &descriptor);
    wgpuShaderModuleRelease(module);
    return made;
  }

  DawnDevice& dawn_;
  WGPUTexture color_ = nullptr, depth_ = nullptr;
  std::vector<WGPUTextureView> views_;
  WGPURenderPipeline draws_ = nullptr, tests_ = nullptr;
};

void end(WGPURenderPassEncoder pass) {
  wgpuRenderPassEncoderEnd(pass);
  wgpuRenderPassEncoderRelease(pass);
}

class HelpersDawn : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!dawn.ok()) GTEST_SKIP() << dawn.why();
  }
  void TearDown() override { EXPECT_EQ(dawn.errors(), std::vector<std::string>{}); }
  DawnDevice dawn;
};

// Shows on a multisampled target that an object in view is visible and that one behind a wall and one not
// drawn at all are not.
TEST_F(HelpersDawn, Case41MultisampledInViewBehindAWallAndNotDrawn) {
  Painter painter(dawn);
  enum Object : std::uint32_t { in_view, behind_wall, not_drawn, object_count };
  OcclusionQueries queries({.objects = object_count}, dawn.device(), {.instance = dawn.instance()});
  ASSERT_EQ(queries.state(), State::measuring) << queries.reason();
  for (int frame = 0; frame < 200 && queries.objects().hidden() < 2; ++frame) {
    queries.begin_frame();
    const WGPUCommandEncoder encoder = dawn.encoder();
    const WGPURenderPassEncoder pass = painter.begin(encoder, queries.query_set());
    painter.draw(pass, 2);  // the wall
    if (const auto test = queries.test(pass, in_view)) painter.draw_bounds(pass, 1);
    if (const auto test = queries.test(pass, behind_wall)) painter.draw_bounds(pass, 3);
    if (const auto test = queries.test(pass, not_drawn)) {
    }
    end(pass);
    dawn.submit(encoder);
    queries.end_frame();
    dawn.finish();
  }
  EXPECT_TRUE(queries.visible(in_view));
  EXPECT_GT(queries.objects().samples(in_view), 0u);
  EXPECT_FALSE(queries.visible(behind_wall));
  EXPECT_FALSE(queries.visible(not_drawn));
}

// Shows that results pending, unknown and one zero do not hide on a real driver either, whenever answers
// come.
TEST_F(HelpersDawn, Case40NothingIsHiddenBeforeTwoZeros) {
  Painter painter(dawn);
  OcclusionQueries queries({.objects = 1}, dawn.device(), {.instance = dawn.instance()});
  for (int frame = 0; frame < 50; ++frame) {
    queries.begin_frame();
    if (queries.objects().latency().accepted() < 2) {
      EXPECT_TRUE(queries.visible(0));
    } else {
      EXPECT_FALSE(queries.visible(0));
    }
    const WGPUCommandEncoder encoder = dawn.encoder();
    const WGPURenderPassEncoder pass = painter.begin(encoder, queries.query_set());
    painter.draw(pass, 0);
    if (const auto test = queries.test(pass, 0)) painter.draw_bounds(pass, 3);
    end(pass);
    dawn.submit(encoder);
    queries.end_frame();
    if (frame % 3 == 0) dawn.finish();
  }
  dawn.finish();
  queries.begin_frame();
  EXPECT_FALSE(queries.visible(0));
  queries.end_frame();
}

// Shows that more objects than a query set can hold are all tested in turn, without an error.
TEST_F(HelpersDawn, MoreObjectsThanTheSetHolds) {
  Painter painter(dawn);
  constexpr std::uint32_t count = 5000;
  OcclusionQueries queries({.objects = count}, dawn.device(), {.instance = dawn.instance()});
  for (int frame = 0; frame < 4; ++frame) {
    queries.begin_frame();
    const WGPUCommandEncoder encoder = dawn.encoder();
    const WGPURenderPassEncoder pass = painter.begin(encoder, queries.query_set());
    for (std::uint32_t id = 0; id < count; ++id) {
      const auto test = queries.test(pass, id);
    }
    EXPECT_LE(queries.objects().tested(), OcclusionQueries::most_queries);
    end(pass);
    dawn.submit(encoder);
    queries.end_frame();
    dawn.finish();
  }
  queries.begin_frame();
  EXPECT_GT(queries.objects().latency().verdicts()[Verdict::no_free_slot], 0u);
  for (std::uint32_t id = 0; id < count; ++id) ASSERT_NE(queries.age(id), Visibility::never) << id;
}

// Shows that destroying the device with answers pending leaves everything visible, and destroying the helper
// with answers pending is harmless.
TEST_F(HelpersDawn, DeviceDestroyedWithAnswersPending) {
  Painter painter(dawn);
  OcclusionQueries queries({.objects = 8}, dawn.device(), {.instance = dawn.instance()});
  Readback readback({}, dawn.device(), {.instance = dawn.instance()});
  int told = 0;
  for (int frame = 0; frame < 2; ++frame) {
    queries.begin_frame();
    readback.begin_frame();
    const WGPUCommandEncoder encoder = dawn.encoder();
    const WGPURenderPassEncoder pass = painter.begin(encoder, queries.query_set());
    for (std::uint32_t id = 0; id < 8; ++id) {
      const auto test = queries.test(pass, id);
    }
    end(pass);
    dawn.submit(encoder);
    readback.read_texels({.texture = painter.resolved},
                         {[](void* user, const ReadResult&) { ++*static_cast<int*>(user); }, &told});
    queries.end_frame();
    readback.end_frame();
  }
  dawn.destroy();
  for (int i = 0; i < 20 && queries.state() != State::lost; ++i) {
    queries.begin_frame();
    queries.end_frame();
    readback.begin_frame();
    readback.end_frame();
  }
  queries.notify_lost();
  readback.notify_lost();
  for (std::uint32_t id = 0; id < 8; ++id) EXPECT_TRUE(queries.visible(id));
  EXPECT_EQ(queries.objects().in_flight(), 0u);
  EXPECT_EQ(told, 2);
}

// Shows that texels and counters come back right, late, in the frame they were read in.
TEST_F(HelpersDawn, TexelsAndCountersComeBack) {
  Painter painter(dawn);
  struct Texels {
    int right = 0, wrong = 0;
  } texels;
  Readback readback({}, dawn.device(), {.instance = dawn.instance()});
  CounterReadback counters({.counters = {{"a", 10}, {"b", 0}}}, dawn.device(), {.instance = dawn.instance()});
  WGPUBufferDescriptor descriptor = {};
  descriptor.size = 8;
  descriptor.usage = WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst;
  const WGPUBuffer buffer = wgpuDeviceCreateBuffer(dawn.device(), &descriptor);
  for (std::uint32_t frame = 0; frame < 20; ++frame) {
    readback.begin_frame();
    counters.begin_frame();
    const std::uint32_t values[2] = {frame, frame * frame};
    wgpuQueueWriteBuffer(dawn.queue(), buffer, 0, values, sizeof values);
    const WGPUCommandEncoder encoder = dawn.encoder();
    const WGPURenderPassEncoder pass = painter.begin(encoder, nullptr);
    painter.draw(pass, 1);
    end(pass);
    dawn.submit(encoder);
    readback.read_texels({.texture = painter.resolved, .x = 31, .y = 31, .width = 2},
                         {[](void* user, const ReadResult& result) {
                            auto& count = *static_cast<Texels*>(user);
                            const bool right =
                                result.verdict == Verdict::accepted && result.bytes.size() == 8 &&
                                result.bytes[4] == std::byte{255} && result.bytes[5] == std::byte{128};
                            ++(right ? count.right : count.wrong);
                          },
                          &texels});
    counters.read(buffer);
    readback.end_frame();
    counters.end_frame();
    if (frame % 4 == 3) dawn.finish();
    if (counters.counter(1).known()) {
      EXPECT_EQ(counters.counter(1).last(), counters.counter(0).frame() * counters.counter(0).frame());
      EXPECT_EQ(counters.counter(0).last(), counters.counter(0).frame());
      EXPECT_GE(counters.counter(0).age(counters.frame()), 1u);
    }
  }
  dawn.finish();
  readback.begin_frame();
  counters.begin_frame();
  EXPECT_GT(texels.right, 4);
  EXPECT_EQ(texels.wrong, 0);
  EXPECT_GT(counters.overflowed_frames(0), 0u);
  wgpuBufferRelease(buffer);
}

}  // namespace
}  // namespace passmeter::webgpu
