#pragma once

#include <cstdint>

#include "passmeter/source.h"

namespace passmeter {

/// The graphics API that a timer belongs to.
enum class Api : std::uint8_t { none, gl, webgpu };

/// The word used in text and JSON: "none", "gl", "webgpu". Never null.
const char* to_string(Api api) noexcept;

/// What there is of OpenGL or WebGL. gl::available() finds it out.
struct AvailableGl {
  bool context = false;        ///< A context is current.
  bool timer_queries = false;  ///< EXT_disjoint_timer_query (either name), ARB_timer_query or OpenGL 3.3.
  int timestamp_bits = 0;      ///< QUERY_COUNTER_BITS of TIMESTAMP; browsers say 0.
  int elapsed_bits = 0;        ///< QUERY_COUNTER_BITS of TIME_ELAPSED.
  bool fences = false;         ///< glFenceSync: OpenGL 3.2, ES 3.0, WebGL2.
};

/// What there is of WebGPU. webgpu::available() finds it out.
struct AvailableWebGpu {
  bool adapter = false;             ///< An adapter was given.
  bool adapter_timestamps = false;  ///< It has the feature timestamp-query.
  bool device = false;              ///< The device exists already.
  bool device_timestamps = false;   ///< It was created with timestamp-query.
};

/// What a program has found on the machine it runs on. Leave a part as it is if there is no such API or if
/// the renderer does not use it.
struct Available {
  using Gl = AvailableGl;
  using WebGpu = AvailableWebGpu;

  Gl gl = {};
  WebGpu webgpu = {};
};

/// What a user insists on. Default: nothing.
struct Wanted {
  Api api = Api::none;           ///< none: either.
  bool any_source = true;        ///< false: `source` and no other.
  Source source = Source::none;  ///< cpu is never offered: no timer times passes by it.
};

/// Which timer to make, and why.
struct Choice {
  Api api = Api::none;           ///< none: nothing can be timed as wanted.
  Source source = Source::none;  ///< What the timer's passes will be timed by.
  /// Create the WebGPU device with the feature timestamp-query (webgpu::add_timestamp_feature), else this
  /// choice does not come true. False once the device has it.
  bool needs_timestamp_feature = false;
  /// One sentence. A string literal, never null or empty.
  const char* reason = "";
};

/// Chooses the most trusted source there is, in the order of Source: timestamp, time_elapsed, fence, none.
/// Where both APIs offer the same source, WebGPU is chosen, but of fences OpenGL's: WebGPU's can only time
/// whole frames. With `wanted` it is that or nothing. Any thread; allocates nothing, calls no driver.
///
/// A timer makes the same choice within its own API by itself; this is for programs that can draw with
/// either, and for telling a user beforehand.
Choice choose(const Available& available, const Wanted& wanted = {}) noexcept;

}  // namespace passmeter
