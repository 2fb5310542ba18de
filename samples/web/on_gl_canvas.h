// What the sides of all tabs say of their WebGL2 canvas.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "gl_canvas.h"

namespace web {

/// `Base`: a Side that has no canvas yet.
template <class Base>
class OnGlCanvas : public Base {
 public:
  const std::string& why() const override { return why_; }
  bool lost() const override { return canvas_.lost(); }
  bool idle() override { return canvas_.idle(); }
  void make_current() override { canvas_.make_current(); }
  void lose() override { canvas_.lose(); }
  void restore() override { canvas_.restore(); }
  int errors() override { return canvas_.errors(); }
  int size() const { return canvas_.size(); }

 protected:
  /// As GlCanvas; `arguments` are Base's.
  template <class... Arguments>
  OnGlCanvas(const char* canvas, std::function<void()> on_lost, std::function<void()> on_restored,
             Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...),
        canvas_(canvas, std::move(on_lost), std::move(on_restored)) {}

  GlCanvas canvas_;
  std::string why_;
};

}  // namespace web
