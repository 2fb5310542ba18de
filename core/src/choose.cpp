#include "passmeter/choose.h"

namespace passmeter {
namespace {

/// The best that one API offers, or a choice with Source::none whose reason says what is missing.
Choice best_gl(const Available::Gl& gl, const Wanted& wanted) noexcept {
  const auto may = [&](Source source) { return wanted.any_source || wanted.source == source; };
  if (!gl.context) return {Api::none, Source::none, false, "there is no OpenGL or WebGL context"};
  if (gl.timer_queries && gl.timestamp_bits > 0 && may(Source::timestamp)) {
    return {Api::gl, Source::timestamp, false, "OpenGL timer queries with timestamps"};
  }
  if (gl.timer_queries && gl.elapsed_bits > 0 && may(Source::time_elapsed)) {
    return {Api::gl, Source::time_elapsed, false,
            gl.timestamp_bits > 0 ? "OpenGL elapsed-time queries, as wanted"
                                  : "OpenGL elapsed-time queries: the timestamp counter has 0 bits here"};
  }
  if (gl.fences && may(Source::fence)) {
    return {Api::gl, Source::fence, false,
            gl.timer_queries
                ? "OpenGL fences: estimates, as coarse as their polling"
                : "OpenGL fences, since the context has no timer queries: estimates, as coarse as "
                  "their polling"};
  }
  if (!wanted.any_source) {
    switch (wanted.source) {
      case Source::timestamp:
        return {Api::none, Source::none, false,
                "OpenGL has no timestamps here: no extension, or 0 counter bits"};
      case Source::time_elapsed:
        return {Api::none, Source::none, false,
                "OpenGL has no elapsed-time queries here: no extension, or 0 counter bits"};
      case Source::fence:
        return {Api::none, Source::none, false, "OpenGL has no fences before OpenGL 3.2, ES 3.0 and WebGL2"};
      case Source::cpu:
        return {Api::none, Source::none, false, "no timer times GPU passes by the CPU clock"};
      case Source::none:
        return {Api::none, Source::none, false, "timing is not wanted"};
    }
  }
  return {Api::none, Source::none, false, "OpenGL has neither timer queries nor fences here"};
}

Choice best_webgpu(const Available::WebGpu& gpu, const Wanted& wanted) noexcept {
  const auto may = [&](Source source) { return wanted.any_source || wanted.source == source; };
  if (!gpu.adapter && !gpu.device) return {Api::none, Source::none, false, "there is no WebGPU adapter"};
  if (may(Source::timestamp)) {
    if (gpu.device && gpu.device_timestamps) {
      return {Api::webgpu, Source::timestamp, false, "WebGPU timestamp queries"};
    }
    if (!gpu.device && gpu.adapter_timestamps) {
      return {Api::webgpu, Source::timestamp, true,
              "WebGPU timestamp queries, if the device is created with timestamp-query"};
    }
  }
  const bool forgotten = gpu.device && gpu.adapter_timestamps;
  if (may(Source::fence)) {
    return {Api::webgpu, Source::fence, false,
            wanted.any_source && forgotten
                ? "WebGPU work-done callbacks, whole frames only: the adapter has timestamp-query but the "
                  "device was "
                  "created without it"
                : "WebGPU work-done callbacks: estimates of whole frames, not of passes"};
  }
  switch (wanted.source) {
    case Source::timestamp:
      return {Api::none, Source::none, false,
              forgotten ? "the adapter has timestamp-query but the device was created without it"
                        : "the adapter has no timestamp-query"};
    case Source::time_elapsed:
      return {Api::none, Source::none, false, "WebGPU has no elapsed-time queries"};
    case Source::cpu:
      return {Api::none, Source::none, false, "no timer times GPU passes by the CPU clock"};
    default:
      return {Api::none, Source::none, false, "timing is not wanted"};
  }
}

}  // namespace

const char* to_string(Api api) noexcept {
  switch (api) {
    case Api::gl:
      return "gl";
    case Api::webgpu:
      return "webgpu";
    case Api::none:
      break;
  }
  return "none";
}

Choice choose(const Available& available, const Wanted& wanted) noexcept {
  const Choice gl = best_gl(available.gl, wanted);
  if (wanted.api == Api::gl) return gl;
  const Choice gpu = best_webgpu(available.webgpu, wanted);
  if (wanted.api == Api::webgpu) return gpu;
  // Without either, the API that is there says better what is missing.
  if (gpu.source == Source::none && gl.source == Source::none) return available.gl.context ? gl : gpu;
  if (gpu.source == Source::fence && gl.source == Source::fence) return gl;
  return gpu.source >= gl.source ? gpu : gl;
}

}  // namespace passmeter
