// The smallest test runner that does: checks run one after another, each says in its name what it shows.
import assert from 'node:assert/strict';

export {assert};

const counts = {passed: 0, failed: 0, skipped: 0};
const only = process.argv[2] ? new RegExp(process.argv[2]) : null;

class Skip extends Error {}

// To be called inside a check: says what is missing.
export function skip(what) {
  throw new Skip(what);
}

export async function check(name, body) {
  if (only && !only.test(name)) return;
  const began = Date.now();
  try {
    await body();
    ++counts.passed;
    console.log(`ok      ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    if (error instanceof Skip) {
      ++counts.skipped;
      console.log(`skipped ${name}: ${error.message}`);
      return;
    }
    ++counts.failed;
    console.log(`not ok  ${name}`);
    console.log(String(error.stack ?? error).split('\n').slice(0, 14).map((line) => `        ${line}`).join('\n'));
  }
}

// What a whole group needs could not be had: all of it counts as one failure, not as silence.
export async function group(name, body) {
  try {
    await body();
  } catch (error) {
    ++counts.failed;
    console.log(`not ok  ${name}: the group could not run`);
    console.log(String(error.stack ?? error).split('\n').slice(0, 8).map((line) => `        ${line}`).join('\n'));
  }
}

export function summary() {
  const {passed, failed, skipped} = counts;
  console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  return failed === 0 && passed > 0;
}

// Waits until `probe` answers something true, and answers that. Time passes only for what never comes.
export async function until(what, probe, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > end) assert.fail(`waited ${seconds} s for: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
