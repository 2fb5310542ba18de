// What the sides of all tabs say of their WebGPU canvas.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "webgpu_canvas.h"

namespace web {

/// `Base`: a Side that has no canvas yet.
template <class Base>
class OnWebGpuCanvas : public Base {
 public:
  const std::string& why() const override { return canvas_.why(); }
  bool lost() const override { return canvas_.lost(); }
  bool asking() const override { return canvas_.asking(); }
  bool idle() override { return canvas_.idle(); }
  void lose() override { canvas_.destroy(); }
  void restore() override {
    if (lost() && !asking()) canvas_.request(true);
  }
  int errors() override { return canvas_.errors(); }

 protected:
  /// As WebGpuCanvas; `arguments` are Base's.
  template <class... Arguments>
  OnWebGpuCanvas(const char* canvas, int size, std::function<void()> answered, std::function<void()> on_lost,
                 Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...),
        canvas_(canvas, size, std::move(answered), std::move(on_lost)) {}

  WebGpuCanvas canvas_;
};

}  // namespace web
