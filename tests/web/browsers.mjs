// Starts the real browsers in the states a user may have them in.
import {launch} from 'puppeteer-core';

// Chromium on its own software renderer, which offers WebGL2 with a timer extension and WebGPU with timestamps.
const chromium_flags = [
  '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--enable-unsafe-webgpu', '--disable-gpu-watchdog',
];
// Its compositor has to run on Vulkan as well: else it cannot show a WebGPU canvas, and loses the device.
const swiftshader = [
  '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--use-webgpu-adapter=swiftshader',
  '--enable-features=Vulkan', '--use-vulkan=swiftshader',
];

// `flags`: further command line flags.
export function chromium({flags = []} = {}) {
  return launch({
    browser: 'chrome',
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true, dumpio: !!process.env.DUMPIO,
    args: [...chromium_flags, ...swiftshader, ...flags],
    protocolTimeout: 120000,
  });
}

// Firefox needs a window (its headless mode has no WebGL): run under Xvfb. As it comes, it offers no timer at all.
export function firefox({prefs = {}} = {}) {
  return launch({
    browser: 'firefox',
    executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
    headless: false, dumpio: !!process.env.DUMPIO,
    env: {...process.env, LIBGL_ALWAYS_SOFTWARE: '1', MOZ_ENABLE_WAYLAND: '0'},
    extraPrefsFirefox: {'webgl.force-enabled': true, ...prefs},
    protocolTimeout: 120000,
  });
}

// The preferences with which Firefox has WebGPU with timestamps, and the WebGL timer under its older name.
export const firefox_with_timers = {
  'webgl.enable-privileged-extensions': true,
  'dom.webgpu.enabled': true,
  'gfx.webgpu.ignore-blocklist': true,
};
