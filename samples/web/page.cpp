// The page's half in C++: draws the two canvases in turn and answers, as JSON, what a panel in any language
// wants to show. Nothing here knows the DOM beyond the two canvases; panel.js is one panel, yours may be
// another.
//
// Exported functions (with Emscripten's leading underscore in JavaScript); strings are valid until the next
// call of the same function. A side is 0 for WebGL2, 1 for WebGPU.
//
//   passmeter_page_report(side)   passmeter.report/1, or "null" while there is no timer
//   passmeter_page_csv(side)      the same as CSV
//   passmeter_page_comparison()   passmeter.comparison/1, left WebGL2 and right WebGPU, or "null"
//   passmeter_page_status()       what the page itself knows: see status_json()
//   passmeter_page_samples(side)  the single samples since the last call: [[ms or null, one a pass], ...]
//   passmeter_page_pause(on) _timer(on) _load(factor) _passes(count) _force(clock) _lose(side) _restore(side)
//   passmeter_page_draw(side)     one frame now, whatever else; 1 if it was drawn
#include <emscripten/emscripten.h>
#include <emscripten/html5.h>

#include <array>
#include <memory>
#include <string>

#include "gl_side.h"
#include "passmeter/comparison.h"
#include "passmeter/writers.h"
#ifdef PASSMETER_PAGE_WEBGPU
#include "webgpu_side.h"
#endif

namespace web {
namespace {

constexpr std::size_t sides = 2;

class Page {
 public:
  Page() {
    auto gl = std::make_unique<GlSide>("#gl-canvas");
    size_ = gl->size();
    sides_[0] = std::move(gl);
#ifdef PASSMETER_PAGE_WEBGPU
    sides_[1] = std::make_unique<WebGpuSide>("#webgpu-canvas", size_);
#endif
  }

  Side* side(int index) {
    return index >= 0 && index < static_cast<int>(sides) ? sides_[static_cast<std::size_t>(index)].get()
                                                         : nullptr;
  }

  /// One animation frame: at most one canvas is drawn, and only once the GPU has finished what was drawn
  /// before, so that neither side is timed while the other works.
  void tick() {
    ++ticks_;
    bool busy = false;
    for (const auto& side : sides_) {
      if (side == nullptr || !side->ready()) continue;
      side->timer()->poll();  // fences are dated by when they are looked at
      if (!side->idle()) busy = true;
    }
    if (paused_ || hidden_ || busy) return;
    for (std::size_t tried = 0; tried < sides; ++tried) {
      Side* const next = sides_[turn_].get();
      if (turn_ == 0) ++frame_;
      turn_ = (turn_ + 1) % sides;
      if (next == nullptr || !next->ready()) continue;
      next->draw(frame_);
      return;
    }
  }

  bool draw_now(int index) {
    Side* const which = side(index);
    if (which == nullptr || !which->ready()) return false;
    which->draw(frame_);
    return true;
  }

  void pause(bool on) {
    if (!on) skip_interval();
    paused_ = on;
  }
  void hide(bool on) {
    if (!on) skip_interval();
    hidden_ = on;
  }
  void set_enabled(bool on) {
    for_each([on](Side& side) { side.set_enabled(on); });
    enabled_ = on;
  }
  void set_load(const Load& load) {
    load_ = load;
    for_each([&load](Side& side) { side.set_load(load); });
  }
  const Load& load() const { return load_; }
  void force(Force force) {
    force_ = force;
    for_each([force](Side& side) { side.force(force); });
  }

  std::string report(int index, std::string (*write)(const passmeter::Report&)) {
    Side* const which = side(index);
    if (which == nullptr || which->timer() == nullptr) return "null";
    return write(which->timer()->report());
  }

  std::string comparison() {
    for (const auto& side : sides_) {
      if (side == nullptr || side->timer() == nullptr) return "null";
    }
    return passmeter::to_json(passmeter::compare(sides_[0]->timer()->report(), sides_[1]->timer()->report()));
  }

  std::string samples(int index) {
    std::string out;
    if (Side* const which = side(index)) {
      which->history().take_json(out);
    } else {
      out = "[]";
    }
    return out;
  }

  std::string status_json() {
    std::string out =
        "{\"paused\":" + flag(paused_) + ",\"hidden\":" + flag(hidden_) + ",\"timer\":" + flag(enabled_) +
        ",\"load\":" + std::to_string(load_.factor) + ",\"passes\":" + std::to_string(load_.passes) +
        ",\"force\":" + std::to_string(static_cast<int>(force_)) + ",\"frame\":" + std::to_string(frame_) +
        ",\"ticks\":" + std::to_string(ticks_) + ",\"size\":" + std::to_string(size_) + ",\"pass_names\":[";
    const std::vector<std::string> names = pass_names();
    for (std::size_t i = 0; i < names.size(); ++i) out += (i == 0 ? "\"" : ",\"") + names[i] + '"';
    out += "],\"sides\":[";
    for (std::size_t i = 0; i < sides; ++i) {
      if (i != 0) out += ',';
      append_side(out, sides_[i].get());
    }
    return out + "]}";
  }

 private:
  static std::string flag(bool on) { return on ? "true" : "false"; }

  static std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return out + '"';
  }

  static void append_side(std::string& out, Side* side) {
    if (side == nullptr) {
      out += R"({"ready":false,"lost":false,"why":"This build has no WebGPU.","frames":0,"errors":0})";
      return;
    }
    const passmeter::Choice& choice = side->choice();
    out += "{\"ready\":" + flag(side->ready()) + ",\"lost\":" + flag(side->lost()) +
           ",\"why\":" + quoted(side->why()) + ",\"frames\":" + std::to_string(side->frames_drawn()) +
           ",\"errors\":" + std::to_string(side->errors()) +
           ",\"choice\":" + quoted(passmeter::to_string(choice.source)) +
           ",\"choice_reason\":" + quoted(choice.reason) + '}';
  }

  template <class Visit>
  void for_each(Visit visit) {
    for (const auto& side : sides_) {
      if (side != nullptr) visit(*side);
    }
  }

  /// The pause is no frame.
  void skip_interval() {
    for_each([](Side& side) {
      if (side.timer() != nullptr) side.timer()->skip_interval();
    });
  }

  std::array<std::unique_ptr<Side>, sides> sides_;
  std::size_t turn_ = 0;
  int size_ = 512;
  int frame_ = 0;
  long ticks_ = 0;
  bool paused_ = false;
  bool hidden_ = false;
  bool enabled_ = true;
  Load load_;
  Force force_ = Force::automatic;
};

Page* page = nullptr;

EM_BOOL on_animation_frame(double, void*) {
  page->tick();
  return EM_TRUE;
}

EM_BOOL on_visibility(int, const EmscriptenVisibilityChangeEvent* event, void*) {
  page->hide(event->hidden != 0);
  return EM_FALSE;
}

/// Keeps the string of one function until its next call.
const char* kept(std::string& keeper, std::string text) {
  keeper = std::move(text);
  return keeper.c_str();
}

}  // namespace
}  // namespace web

using web::page;

extern "C" {

EMSCRIPTEN_KEEPALIVE const char* passmeter_page_report(int side) {
  static std::string text;
  return web::kept(text,
                   page->report(side, [](const passmeter::Report& r) { return passmeter::to_json(r); }));
}

EMSCRIPTEN_KEEPALIVE const char* passmeter_page_csv(int side) {
  static std::string text;
  return web::kept(text, page->report(side, [](const passmeter::Report& r) { return passmeter::to_csv(r); }));
}

EMSCRIPTEN_KEEPALIVE const char* passmeter_page_comparison() {
  static std::string text;
  return web::kept(text, page->comparison());
}

EMSCRIPTEN_KEEPALIVE const char* passmeter_page_status() {
  static std::string text;
  return web::kept(text, page->status_json());
}

EMSCRIPTEN_KEEPALIVE const char* passmeter_page_samples(int side) {
  static std::string text;
  return web::kept(text, page->samples(side));
}

EMSCRIPTEN_KEEPALIVE void passmeter_page_pause(int on) { page->pause(on != 0); }
EMSCRIPTEN_KEEPALIVE void passmeter_page_timer(int on) { page->set_enabled(on != 0); }

EMSCRIPTEN_KEEPALIVE void passmeter_page_load(float factor) {
  page->set_load({factor >= 0 && factor <= 64 ? factor : 1.0F, page->load().passes});
}

EMSCRIPTEN_KEEPALIVE void passmeter_page_passes(int count) {
  const int least = scene::pass_count;
  page->set_load({page->load().factor, count < least              ? least
                                       : count > web::most_passes ? web::most_passes
                                                                  : count});
}

EMSCRIPTEN_KEEPALIVE void passmeter_page_force(int clock) {
  if (clock >= 0 && clock <= static_cast<int>(web::Force::none)) page->force(static_cast<web::Force>(clock));
}

EMSCRIPTEN_KEEPALIVE void passmeter_page_lose(int side) {
  if (web::Side* const which = page->side(side)) which->lose();
}

EMSCRIPTEN_KEEPALIVE void passmeter_page_restore(int side) {
  if (web::Side* const which = page->side(side)) which->restore();
}

EMSCRIPTEN_KEEPALIVE int passmeter_page_draw(int side) { return page->draw_now(side) ? 1 : 0; }

}  // extern "C"

int main() {
  page = new web::Page;  // as long as the document
  emscripten_set_visibilitychange_callback(nullptr, false, web::on_visibility);
  emscripten_request_animation_frame_loop(web::on_animation_frame, nullptr);
}
