#include "egl_context.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace passmeter::testing {
namespace {

// The little of EGL that is needed, declared here so that no EGL header is.
using Handle = void*;
using Int = std::int32_t;
using Attribute = std::intptr_t;
using Proc = void (*)();

constexpr Int egl_none = 0x3038;
constexpr Int egl_extensions = 0x3055;
constexpr Int egl_surface_type = 0x3033;
constexpr Int egl_pbuffer_bit = 0x0001;
constexpr Int egl_renderable_type = 0x3040;
constexpr Int egl_opengl_bit = 0x0008;
constexpr Int egl_opengl_es2_bit = 0x0004;
constexpr Int egl_width = 0x3057;
constexpr Int egl_height = 0x3056;
constexpr unsigned egl_opengl_api = 0x30A2;
constexpr unsigned egl_opengl_es_api = 0x30A0;
constexpr unsigned egl_platform_device = 0x313F;
constexpr unsigned egl_platform_surfaceless = 0x31DD;
constexpr Int egl_context_major_version = 0x3098;
constexpr Int egl_context_minor_version = 0x30FB;
constexpr Int egl_context_opengl_profile_mask = 0x30FD;
constexpr Int egl_context_opengl_core_profile_bit = 0x0001;
constexpr Int egl_context_opengl_robust_access = 0x31B2;      // EGL 1.5
constexpr Int egl_context_reset_notification = 0x31BD;        // EGL 1.5
constexpr Int egl_context_opengl_robust_access_ext = 0x30BF;  // EXT_create_context_robustness
constexpr Int egl_context_reset_notification_ext = 0x3138;    // EXT_create_context_robustness
constexpr Int egl_lose_context_on_reset = 0x31BF;
constexpr unsigned gl_renderer = 0x1F01;
constexpr unsigned gl_version = 0x1F02;

struct Egl {
  Proc (*get_proc_address)(const char*) = nullptr;
  const char* (*query_string)(Handle, Int) = nullptr;
  unsigned (*initialize)(Handle, Int*, Int*) = nullptr;
  unsigned (*bind_api)(unsigned) = nullptr;
  unsigned (*choose_config)(Handle, const Int*, Handle*, Int, Int*) = nullptr;
  Handle (*create_context)(Handle, Handle, Handle, const Int*) = nullptr;
  unsigned (*destroy_context)(Handle, Handle) = nullptr;
  Handle (*create_pbuffer_surface)(Handle, Handle, const Int*) = nullptr;
  unsigned (*destroy_surface)(Handle, Handle) = nullptr;
  unsigned (*make_current)(Handle, Handle, Handle, Handle) = nullptr;
  Handle (*get_current_context)() = nullptr;
  Int (*get_error)() = nullptr;
  // Extensions; null where missing.
  unsigned (*query_devices)(Int, Handle*, Int*) = nullptr;
  Handle (*get_platform_display)(unsigned, void*, const Int*) = nullptr;
  std::string failure;
};

template <typename F>
void assign(F& function, Proc proc) {
  function = reinterpret_cast<F>(proc);
}

Egl open_egl() {
  Egl egl;
  void* library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen("libEGL.so", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    egl.failure = "libEGL.so.1 is not installed";
    return egl;
  }
  const auto load = [&](auto& function, const char* name) {
    assign(function, reinterpret_cast<Proc>(dlsym(library, name)));
    if (function == nullptr) egl.failure = std::string("libEGL has no ") + name;
  };
  load(egl.get_proc_address, "eglGetProcAddress");
  load(egl.query_string, "eglQueryString");
  load(egl.initialize, "eglInitialize");
  load(egl.bind_api, "eglBindAPI");
  load(egl.choose_config, "eglChooseConfig");
  load(egl.create_context, "eglCreateContext");
  load(egl.destroy_context, "eglDestroyContext");
  load(egl.create_pbuffer_surface, "eglCreatePbufferSurface");
  load(egl.destroy_surface, "eglDestroySurface");
  load(egl.make_current, "eglMakeCurrent");
  load(egl.get_current_context, "eglGetCurrentContext");
  load(egl.get_error, "eglGetError");
  if (!egl.failure.empty()) return egl;
  assign(egl.query_devices, egl.get_proc_address("eglQueryDevicesEXT"));
  assign(egl.get_platform_display, egl.get_proc_address("eglGetPlatformDisplayEXT"));
  if (egl.get_platform_display == nullptr) egl.failure = "this libEGL has no EGL_EXT_platform_base";
  return egl;
}

// Opened once and never closed: drivers do not like to be unloaded. Displays are not terminated either,
// because every context of a device shares one.
const Egl& egl() {
  static const Egl opened = open_egl();
  return opened;
}

bool has_word(const char* list, std::string_view word) {
  std::string_view rest = list == nullptr ? "" : list;
  while (!rest.empty()) {
    const std::size_t end = rest.find(' ');
    if (rest.substr(0, end) == word) return true;
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return false;
}

std::string hex(Int code) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string text = "0x";
  for (int shift = 12; shift >= 0; shift -= 4) text += digits[(code >> shift) & 0xF];
  return text;
}

struct Candidate {
  unsigned platform;
  Handle native;
  std::string name;
};

std::vector<Candidate> candidates(int wanted_device) {
  std::vector<Candidate> found;
  const char* client = egl().query_string(nullptr, egl_extensions);
  if (egl().query_devices != nullptr) {
    Handle devices[16];
    Int count = 0;
    if (egl().query_devices(16, devices, &count) == 0) count = 0;
    for (Int i = 0; i < count; ++i) {
      if (wanted_device >= 0 && wanted_device != i) continue;
      found.push_back({egl_platform_device, devices[i], "device " + std::to_string(i)});
    }
  }
  if (wanted_device < 0 && has_word(client, "EGL_MESA_platform_surfaceless")) {
    found.push_back({egl_platform_surfaceless, nullptr, "surfaceless"});
  }
  return found;
}

}  // namespace

struct EglContext::State {
  Handle display = nullptr;
  Handle context = nullptr;
  Handle surface = nullptr;
  std::string why, renderer, version, platform;

  bool open(const Candidate& candidate, const EglOptions& options);
  Handle choose_config(const EglOptions& options);
  Handle create_context(Handle config, const EglOptions& options, bool egl15);
  bool make_current();
  void read_strings();
  void close();
  bool fail(const char* call) {
    why = platform + ": " + call + " answered " + hex(egl().get_error());
    return false;
  }
};

Handle EglContext::State::choose_config(const EglOptions& options) {
  const Int kind = options.api == EglApi::desktop_core ? egl_opengl_bit : egl_opengl_es2_bit;
  const Int wanted[] = {egl_surface_type, egl_pbuffer_bit, egl_renderable_type, kind, egl_none};
  const Int any_surface[] = {egl_surface_type, 0, egl_renderable_type, kind, egl_none};
  for (const Int* attributes : {wanted, any_surface}) {
    Handle config = nullptr;
    Int count = 0;
    if (egl().choose_config(display, attributes, &config, 1, &count) != 0 && count > 0) return config;
  }
  return nullptr;
}

Handle EglContext::State::create_context(Handle config, const EglOptions& options, bool egl15) {
  const bool desktop = options.api == EglApi::desktop_core;
  const int minor = options.minor >= 0 ? options.minor : desktop && options.major == 3 ? 3 : 0;
  std::vector<Int> attributes = {egl_context_major_version, options.major, egl_context_minor_version, minor};
  if (desktop) {
    attributes.insert(attributes.end(),
                      {egl_context_opengl_profile_mask, egl_context_opengl_core_profile_bit});
  }
  if (options.robust) {
    const bool core_names = egl15 || desktop;
    attributes.insert(attributes.end(),
                      {core_names ? egl_context_opengl_robust_access : egl_context_opengl_robust_access_ext,
                       1, core_names ? egl_context_reset_notification : egl_context_reset_notification_ext,
                       egl_lose_context_on_reset});
  }
  attributes.push_back(egl_none);
  return egl().create_context(display, config, nullptr, attributes.data());
}

bool EglContext::State::open(const Candidate& candidate, const EglOptions& options) {
  platform = candidate.name;
  display = egl().get_platform_display(candidate.platform, candidate.native, nullptr);
  if (display == nullptr) return fail("eglGetPlatformDisplayEXT");
  Int major = 0;
  Int minor = 0;
  if (egl().initialize(display, &major, &minor) == 0) return fail("eglInitialize");
  const bool desktop = options.api == EglApi::desktop_core;
  if (egl().bind_api(desktop ? egl_opengl_api : egl_opengl_es_api) == 0) return fail("eglBindAPI");
  Handle config = choose_config(options);
  if (config == nullptr) return fail("eglChooseConfig");
  context = create_context(config, options, major > 1 || minor >= 5);
  if (context == nullptr) return fail("eglCreateContext");
  if (!has_word(egl().query_string(display, egl_extensions), "EGL_KHR_surfaceless_context")) {
    const Int size[] = {egl_width, 1, egl_height, 1, egl_none};
    surface = egl().create_pbuffer_surface(display, config, size);
    if (surface == nullptr) return fail("eglCreatePbufferSurface");
  }
  if (!make_current()) return fail("eglMakeCurrent");
  read_strings();
  why.clear();
  return true;
}

bool EglContext::State::make_current() { return egl().make_current(display, surface, surface, context) != 0; }

void EglContext::State::read_strings() {
  const unsigned char* (*get_string)(unsigned) = nullptr;
  assign(get_string, egl().get_proc_address("glGetString"));
  if (get_string == nullptr) return;
  const auto read = [&](unsigned name) {
    const unsigned char* text = get_string(name);
    return std::string(text == nullptr ? "" : reinterpret_cast<const char*>(text));
  };
  renderer = read(gl_renderer);
  version = read(gl_version);
}

void EglContext::State::close() {
  if (context != nullptr) {
    if (egl().get_current_context() == context) egl().make_current(display, nullptr, nullptr, nullptr);
    egl().destroy_context(display, context);
  }
  if (surface != nullptr) egl().destroy_surface(display, surface);
  display = context = surface = nullptr;
}

EglContext::EglContext(const EglOptions& options) : state_(std::make_unique<State>()) {
  if (!egl().failure.empty()) {
    state_->why = "no EGL: " + egl().failure;
    return;
  }
  std::string failures;
  for (const Candidate& candidate : candidates(options.device)) {
    if (state_->open(candidate, options)) return;
    state_->close();
    failures += (failures.empty() ? "" : "; ") + state_->why;
  }
  state_->platform.clear();
  state_->why = failures.empty() ? "EGL offers neither a device nor the surfaceless platform" : failures;
}

EglContext::~EglContext() { state_->close(); }

bool EglContext::valid() const { return state_->context != nullptr; }
const std::string& EglContext::why() const { return state_->why; }
const std::string& EglContext::renderer() const { return state_->renderer; }
const std::string& EglContext::version() const { return state_->version; }
const std::string& EglContext::platform() const { return state_->platform; }

bool EglContext::make_current() { return valid() && state_->make_current(); }

void EglContext::release() {
  if (valid()) egl().make_current(state_->display, nullptr, nullptr, nullptr);
}

EglContext::Proc EglContext::get_proc_address(const char* name) {
  const Egl& opened = egl();
  return opened.get_proc_address == nullptr ? nullptr : opened.get_proc_address(name);
}

}  // namespace passmeter::testing
