// The shortest honest integration of passmeter into an OpenGL program: three passes, timed every frame.
//   hello_gl [--hidden] [--frames N]
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <glad/gl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "passmeter/gl/gl_timer.h"
#include "passmeter/writers.h"

namespace {

GladGLContext gl;

/// Fills squares of the framebuffer, more of them for more work.
void draw(int squares, float red, float green, float blue) {
  for (int i = 0; i < squares; ++i) {
    gl.Scissor(i * 7 % 400, i * 13 % 300, 240, 180);
    gl.ClearColor(red, green, blue, 1);
    gl.Clear(GL_COLOR_BUFFER_BIT);
  }
}

}  // namespace

int main(int argc, char** argv) {
  bool hidden = false;
  int frames = 0;  // until the window is closed
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--hidden") == 0) hidden = true;
    if (std::strcmp(argv[i], "--frames") == 0 && i + 1 < argc) frames = std::atoi(argv[++i]);
  }
  if (hidden && frames == 0) frames = 200;

  if (!glfwInit()) return std::puts("no display"), 1;
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_VISIBLE, hidden ? GLFW_FALSE : GLFW_TRUE);
  GLFWwindow* window = glfwCreateWindow(640, 480, "hello_gl", nullptr, nullptr);
  if (window == nullptr) return std::puts("no OpenGL 3.3 context"), glfwTerminate(), 1;
  glfwMakeContextCurrent(window);
  gladLoadGLContext(&gl, glfwGetProcAddress);
  gl.Enable(GL_SCISSOR_TEST);
  {
    passmeter::gl::GlTimer timer({.passes = {"background", "scene", "detail"}}, glfwGetProcAddress);
    const auto background = timer.pass("background"), scene = timer.pass("scene"),
               detail = timer.pass("detail");

    for (int frame = 0; !glfwWindowShouldClose(window) && (frames == 0 || frame < frames); ++frame) {
      timer.begin_frame();
      {
        auto pass = timer.scope(background);
        draw(10, 0.1f, 0.1f, 0.2f);
      }
      {
        auto pass = timer.scope(scene);
        draw(100, 0.2f, 0.4f, 0.3f);
        auto inner = timer.scope(detail);  // counts towards the scene, too
        draw(50, 0.8f, 0.6f, 0.2f);
      }
      timer.end_frame();
      glfwSwapBuffers(window);
      glfwPollEvents();
    }
    std::puts(passmeter::to_text(timer.report()).c_str());
  }  // the timer goes before its context
  glfwTerminate();
}
