#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "passmeter/source.h"
#include "passmeter/visibility.h"
#include "passmeter/webgpu/helper_options.h"

namespace passmeter::webgpu {

class OcclusionQueries;

/// An open test; ends it at the latest on destruction, and must be closed before its render pass ends.
class [[nodiscard]] OcclusionScope {
 public:
  OcclusionScope() = default;
  OcclusionScope(OcclusionScope&& other) noexcept : queries_(std::exchange(other.queries_, nullptr)) {}
  OcclusionScope& operator=(OcclusionScope&& other) noexcept;
  OcclusionScope(const OcclusionScope&) = delete;
  OcclusionScope& operator=(const OcclusionScope&) = delete;
  ~OcclusionScope() { close(); }

  /// Whether to draw the object's bounds now. False: it is not tested in this frame.
  bool active() const noexcept { return queries_ != nullptr; }
  explicit operator bool() const noexcept { return active(); }
  void close() noexcept;

 private:
  friend class OcclusionQueries;
  explicit OcclusionScope(OcclusionQueries* queries) noexcept : queries_(queries) {}
  OcclusionQueries* queries_ = nullptr;
};

/// Which of many objects can be seen, by occlusion queries around their bounds (WebGPU, "Occlusion Queries").
/// Never waits: answers arrive some frames later, see Visibility for the rules that makes them safe to use.
///
///     queries.begin_frame();                               // takes the answers that have come
///     descriptor.occlusionQuerySet = queries.query_set();
///     ... in the pass: draw what is visible(id), then, with a pipeline that writes neither colour nor depth:
///     if (auto test = queries.test(pass, id)) draw_bounds(pass, id);
///     ... wgpuQueueSubmit ...
///     queries.end_frame();                                 // after submit: resolves, copies, maps
///
/// The set has at most 4096 queries, so many tests a frame; further objects are skipped, counted, and tested
/// first in the next frame. Without a free readback buffer a frame tests nothing. A test that draws nothing
/// says hidden. Passes with tests must be submitted before end_frame(): the answers of a command buffer that
/// was dropped or invalid are those of an earlier frame (call forget_all() then).
///
/// Per frame with tests: one resolve, one copy, one submit, one map. All calls on the thread that records
/// commands.
class OcclusionQueries {
 public:
  static constexpr std::uint32_t most_queries = 4096;

  /// `max_queries`: tests a frame; 0: as many as there are objects, at most most_queries. A null device:
  /// nothing is tested, everything is visible, reason() says why.
  OcclusionQueries(VisibilityConfig config, WGPUDevice device, const HelperOptions& options = {},
                   std::uint32_t max_queries = 0);
  ~OcclusionQueries();
  OcclusionQueries(const OcclusionQueries&) = delete;
  OcclusionQueries& operator=(const OcclusionQueries&) = delete;

  /// Pumps callbacks, takes the answers that have come, opens a frame.
  void begin_frame() noexcept;
  /// Closes it and asks for its answers. After the submit of the passes with tests. With a test still open
  /// (Diagnostic::scope_left_open) its pass was invalid, and none of the frame's tests is believed.
  void end_frame() noexcept;

  /// What WGPURenderPassDescriptor::occlusionQuerySet must be for a pass with tests; nullptr when nothing can
  /// be tested (no device, lost). Call it in each frame, for each such pass: tests in a frame in which nobody
  /// asked are refused (Diagnostic::pass_without_set), since in a pass without the set they would be a
  /// validation error.
  WGPUQuerySet query_set() noexcept;

  /// See Visibility.
  bool visible(std::uint32_t object) const noexcept;
  std::uint32_t age(std::uint32_t object) const noexcept;
  void forget(std::uint32_t object) noexcept;
  void forget_all() noexcept;

  /// Begins a test of the object if one is due and a query is free; draw its bounds then, and end it in the
  /// same pass. One test at a time: a second one is refused (Diagnostic::query_begun_twice).
  OcclusionScope test(WGPURenderPassEncoder pass, std::uint32_t object) noexcept;
  bool begin(WGPURenderPassEncoder pass, std::uint32_t object) noexcept;
  /// Without an open test: Diagnostic::end_without_begin.
  void end() noexcept;

  State state() const noexcept;
  /// Why this state: one sentence.
  const char* reason() const noexcept;
  /// Everything else that is known: samples, counts, series, diagnostics.
  const Visibility& objects() const noexcept;

  /// The device is gone: everything is visible, what was in flight counts as lost; answers that still come
  /// reach nobody.
  void notify_lost() noexcept;
  /// Starts again on another device. True if it tests.
  bool restore(WGPUDevice device) noexcept;

  /// Appends the rows "<name> tested", "... hidden", "... skipped" and "... latency". See Visibility.
  void append_to(Report& report) const;
  void reset_statistics() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace passmeter::webgpu
