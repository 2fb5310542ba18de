// The page's half in C++: draws the two canvases of the shown tab in turn and answers, as JSON, what a panel
// in any language wants to show. Nothing here knows the DOM beyond the canvases; panel.js is one panel, yours
// may be another.
//
// Exported functions (with Emscripten's leading underscore in JavaScript); strings are valid until the next
// call of the same function. A side is 0 for WebGL2, 1 for WebGPU. Nothing is drawn until a tab is shown.
//
//   passmeter_page_show(tab)      0 the deferred frame, 1 occlusion, 2 particles: draws that one alone from
//                                 now on; what it needs of the GPU is made when it is shown first
//   passmeter_page_pause(on) _timer(on)                 of all tabs
//   passmeter_page_lose(side) _restore(side)            of the shown tab: its context or device
//   passmeter_page_draw(side)     of the shown tab, one frame now, whatever else; 1 if it was drawn
//
// The deferred frame; "null" or "[]" before it is shown:
//   passmeter_page_report(side)   passmeter.report/1, or "null" while there is no timer
//   passmeter_page_csv(side)      the same as CSV
//   passmeter_page_comparison()   passmeter.comparison/1, left WebGL2 and right WebGPU, or "null"
//   passmeter_page_status()       what the page itself knows: tab, paused, hidden, timer, ticks, of the
//                                 shown tab unfinished_ms (see Tab), and of the deferred frame what
//                                 DeferredTab::status() says
//   passmeter_page_samples(side)  the single samples since the last call: [[ms or null, one a pass], ...]
//   passmeter_page_load(factor) _passes(count) _force(clock)
//
// Occlusion, particles; "null" before they are shown:
//   passmeter_page_occlusion()    {culling, moving, camera, objects, sides}, each side:
//                                 {ready, lost, why, frames, errors, on: report, off: report,
//                                 counts: {culling, in_view, drawn, tested, hidden}}
//   passmeter_page_culling(on) _moving(on)
//   passmeter_page_particles()    {capacity, sides}, each side:
//                                 {ready, lost, why, frames, errors, how, counts_alive, overflowed_frames,
//                                 count: {value, frame, age, replay, equal, compared, different}, report}
//   passmeter_page_room(capacity)
#include <emscripten/emscripten.h>
#include <emscripten/html5.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "deferred_tab.h"
#include "json.h"
#include "occlusion_tab.h"
#include "particles_tab.h"
#include "passmeter/writers.h"

namespace web {
namespace {

enum TabNumber : std::size_t { deferred, occlusion, particle, tab_count };

class Page {
 public:
  void show(std::size_t number) {
    if (number >= tab_count) return;
    make(number);
    shown_ = number;
    tabs_[number]->skip_interval();
  }

  void tick() {
    ++ticks_;
    if (Tab* const tab = shown()) tab->tick(!paused_ && !hidden_);
  }

  Tab* shown() { return shown_ < tab_count ? tabs_[shown_].get() : nullptr; }
  Side* shown_side(int index) {
    Tab* const tab = shown();
    const bool exists = index >= 0 && static_cast<std::size_t>(index) < Tab::sides;
    return tab != nullptr && exists ? tab->side(static_cast<std::size_t>(index)) : nullptr;
  }
  bool draw_now(int index) {
    Tab* const tab = shown();
    return tab != nullptr && index >= 0 && tab->draw_now(static_cast<std::size_t>(index));
  }

  DeferredTab* deferred_tab() { return static_cast<DeferredTab*>(tabs_[deferred].get()); }
  OcclusionTab* occlusion_tab() { return static_cast<OcclusionTab*>(tabs_[occlusion].get()); }
  ParticlesTab* particles_tab() { return static_cast<ParticlesTab*>(tabs_[particle].get()); }

  void pause(bool on) {
    if (!on) skip_interval();
    paused_ = on;
  }
  void hide(bool on) {
    if (!on) skip_interval();
    hidden_ = on;
  }
  void set_enabled(bool on) {
    enabled_ = on;
    for (const auto& tab : tabs_) {
      if (tab != nullptr) tab->set_enabled(on);
    }
  }

  std::string status_json() {
    std::string out =
        "{\"tab\":" + (shown() != nullptr ? std::to_string(shown_) : "null") +
        ",\"paused\":" + flag(paused_) + ",\"hidden\":" + flag(hidden_) + ",\"timer\":" + flag(enabled_) +
        ",\"ticks\":" + std::to_string(ticks_) +
        ",\"unfinished_ms\":" + std::to_string(shown() != nullptr ? shown()->unfinished_ms() : 0);
    if (DeferredTab* const tab = deferred_tab()) out += ',' + tab->status();
    return out + '}';
  }

 private:
  void make(std::size_t number) {
    std::unique_ptr<Tab>& tab = tabs_[number];
    if (tab != nullptr) return;
    if (number == deferred) tab = std::make_unique<DeferredTab>();
    if (number == occlusion) tab = std::make_unique<OcclusionTab>();
    if (number == particle) tab = std::make_unique<ParticlesTab>();
    tab->set_enabled(enabled_);
  }

  void skip_interval() {
    if (Tab* const tab = shown()) tab->skip_interval();
  }

  std::array<std::unique_ptr<Tab>, tab_count> tabs_;
  std::size_t shown_ = tab_count;
  long ticks_ = 0;
  bool paused_ = false;
  bool hidden_ = false;
  bool enabled_ = true;
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

EMSCRIPTEN_KEEPALIVE void passmeter_page_show(int tab) {
  if (tab >= 0) page->show(static_cast<std::size_t>(tab));
}
EMSCRIPTEN_KEEPALIVE void passmeter_page_pause(int on) { page->pause(on != 0); }
EMSCRIPTEN_KEEPALIVE void passmeter_page_timer(int on) { page->set_enabled(on != 0); }

EMSCRIPTEN_KEEPALIVE void passmeter_page_lose(int side) {
  if (web::Side* const which = page->shown_side(side)) which->lose();
}
EMSCRIPTEN_KEEPALIVE void passmeter_page_restore(int side) {
  if (web::Side* const which = page->shown_side(side)) which->restore();
}
EMSCRIPTEN_KEEPALIVE int passmeter_page_draw(int side) { return page->draw_now(side) ? 1 : 0; }

EMSCRIPTEN_KEEPALIVE const char* passmeter_page_status() {
  static std::string text;
  return web::kept(text, page->status_json());
}

// --- The deferred frame

EMSCRIPTEN_KEEPALIVE const char* passmeter_page_report(int side) {
  static std::string text;
  web::DeferredTab* const tab = page->deferred_tab();
  return web::kept(text, tab == nullptr ? "null" : tab->report(side, [](const passmeter::Report& r) {
    return passmeter::to_json(r);
  }));
}

EMSCRIPTEN_KEEPALIVE const char* passmeter_page_csv(int side) {
  static std::string text;
  web::DeferredTab* const tab = page->deferred_tab();
  return web::kept(text, tab == nullptr ? "null" : tab->report(side, [](const passmeter::Report& r) {
    return passmeter::to_csv(r);
  }));
}

EMSCRIPTEN_KEEPALIVE const char* passmeter_page_comparison() {
  static std::string text;
  web::DeferredTab* const tab = page->deferred_tab();
  return web::kept(text, tab == nullptr ? "null" : tab->comparison());
}

EMSCRIPTEN_KEEPALIVE const char* passmeter_page_samples(int side) {
  static std::string text;
  web::DeferredTab* const tab = page->deferred_tab();
  return web::kept(text, tab == nullptr ? "[]" : tab->samples(side));
}

EMSCRIPTEN_KEEPALIVE void passmeter_page_load(float factor) {
  web::DeferredTab* const tab = page->deferred_tab();
  if (tab != nullptr) tab->set_load({factor >= 0 && factor <= 64 ? factor : 1.0F, tab->load().passes});
}

EMSCRIPTEN_KEEPALIVE void passmeter_page_passes(int count) {
  web::DeferredTab* const tab = page->deferred_tab();
  if (tab == nullptr) return;
  const int least = scene::pass_count;
  tab->set_load({tab->load().factor, std::clamp(count, least, web::most_passes)});
}

EMSCRIPTEN_KEEPALIVE void passmeter_page_force(int clock) {
  web::DeferredTab* const tab = page->deferred_tab();
  if (tab == nullptr || clock < 0 || clock > static_cast<int>(web::Force::none)) return;
  tab->force(static_cast<web::Force>(clock));
}

// --- Occlusion

EMSCRIPTEN_KEEPALIVE const char* passmeter_page_occlusion() {
  static std::string text;
  web::OcclusionTab* const tab = page->occlusion_tab();
  return web::kept(text, tab == nullptr ? "null" : tab->json());
}
EMSCRIPTEN_KEEPALIVE void passmeter_page_culling(int on) {
  if (web::OcclusionTab* const tab = page->occlusion_tab()) tab->set_culling(on != 0);
}
EMSCRIPTEN_KEEPALIVE void passmeter_page_moving(int on) {
  if (web::OcclusionTab* const tab = page->occlusion_tab()) tab->set_moving(on != 0);
}

// --- Particles

EMSCRIPTEN_KEEPALIVE const char* passmeter_page_particles() {
  static std::string text;
  web::ParticlesTab* const tab = page->particles_tab();
  return web::kept(text, tab == nullptr ? "null" : tab->json());
}
EMSCRIPTEN_KEEPALIVE void passmeter_page_room(int capacity) {
  web::ParticlesTab* const tab = page->particles_tab();
  if (tab != nullptr && capacity > 0) tab->set_room(static_cast<std::uint32_t>(capacity));
}

}  // extern "C"

int main() {
  page = new web::Page;  // as long as the document
  emscripten_set_visibilitychange_callback(nullptr, false, web::on_visibility);
  emscripten_request_animation_frame_loop(web::on_animation_frame, nullptr);
}
