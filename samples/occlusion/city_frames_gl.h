// The city's frames with OpenGL, OpenGL ES or WebGL2.
#pragma once

#include <memory>
#include <string>

#include "city_frames.h"
#include "city_gl.h"
#include "passmeter/gl/gl_timer.h"

namespace city {

// The context must be current in every call including the destructor.
class FramesGl final : public Frames {
 public:
  struct Context {
    CityGl::ProcLoader functions = nullptr;               // for what is drawn
    passmeter::gl::GetProcAddress measured_by = nullptr;  // for timers and queries
    bool is_gles = false;
  };

  FramesGl(const City& city, const Context& context, const FrameOptions& options);
  ~FramesGl() override;

  const std::string& why() const;  // empty when it can draw
  CityGl& painter();

  void draw(int frame, bool culling, int picture, Drawn& drawn) override;
  passmeter::GpuTimer& timer(bool culling) override;
  passmeter::Report report(bool culling) override;
  const passmeter::Visibility& visibility() const override;
  void notify_lost() override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace city
