#include "city_gl_side.h"

#include <utility>

#include "passmeter/gl/web.h"

namespace web {

CityGlSide::CityGlSide(const char* canvas, const city::City& city)
    : OnGlCanvas(canvas, [this] { on_lost(); }, [this] { make_frames(); }), city_(city) {
  if (canvas_.valid()) {
    make_frames();
  } else {
    why_ = no_webgl2;
  }
}

void CityGlSide::make_frames() {
  auto made = std::make_unique<city::FramesGl>(
      city_, city::FramesGl::Context{GlCanvas::find_function, passmeter::gl::web_functions, true},
      city::FrameOptions{.size = size()});
  why_ = made->why();
  if (!why_.empty()) return;
  gl_ = made.get();
  begin_with(std::move(made));
}

void CityGlSide::on_lost() {
  why_ = webgl_lost;
  lose_frames();
  gl_ = nullptr;
}

bool CityGlSide::draw_one(int frame, bool culling, bool shown, city::Drawn& drawn) {
  canvas_.make_current();
  gl_->draw(frame, culling, 0, drawn);
  if (shown) gl_->painter().present(0, 0, size(), size());
  canvas_.note_drawn();
  return true;
}

}  // namespace web
