// The particles' frames with OpenGL, OpenGL ES or WebGL2.
#pragma once

#include <memory>

#include "particle_frames.h"
#include "particles_gl.h"
#include "passmeter/gl/gl_timer.h"

namespace particles {

// The context must be current in every call including the destructor.
class FramesGl final : public Frames {
 public:
  struct Context {
    ParticlesGl::ProcLoader functions = nullptr;          // for what is drawn
    passmeter::gl::GetProcAddress measured_by = nullptr;  // for timer and queries
    bool is_gles = false;
  };

  // `wanted`: see ParticlesGl.
  FramesGl(const Options& options, const Context& context, int size, Compaction wanted);
  ~FramesGl() override;

  const std::string& why() const;  // empty when it works
  ParticlesGl& painter();

  std::string how() const override;
  bool counts_alive() const override;
  bool draw(std::uint32_t frame, Counted& counted) override;
  std::uint32_t drawn() const override;
  std::uint64_t overflowed_frames() const override;
  passmeter::GpuTimer& timer() override;
  passmeter::Report report() override;
  void notify_lost() override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace particles
