/**
 * Times as operators write them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type MomentOptions, readMoment } from "../../src/admin/base/moments.ts";

const OPTIONS: MomentOptions = {
  nowMs: Date.UTC(2026, 0, 1),
  duration: "ahead",
  param: "expires",
};

function iso(text: string, options: Partial<MomentOptions> = {}): string {
  return new Date(readMoment(text, { ...OPTIONS, ...options })).toISOString();
}

Deno.test("readMoment() reads dates, times and durations", () => {
  assert.equal(iso("2026-12-31"), "2026-12-31T00:00:00.000Z");
  assert.equal(iso("2026-12-31", { date: "end" }), "2027-01-01T00:00:00.000Z");
  assert.equal(iso("2026-12-31T18:00Z"), "2026-12-31T18:00:00.000Z");
  assert.equal(iso("2026-12-31T18:00:30.5+02:00"), "2026-12-31T16:00:30.500Z");
  assert.equal(iso("90m"), "2026-01-01T01:30:00.000Z");
  assert.equal(iso("2w"), "2026-01-15T00:00:00.000Z");
  const ago = { duration: "ago", nowMs: Date.UTC(2026, 0, 3, 15) } as const;
  assert.equal(iso("12h", ago), "2026-01-03T03:00:00.000Z");
  assert.equal(iso("-7d", ago), "2025-12-27T15:00:00.000Z");
  assert.equal(iso("today", ago), "2026-01-03T00:00:00.000Z");
  assert.equal(iso("yesterday", ago), "2026-01-02T00:00:00.000Z");
  assert.equal(iso("yesterday", { ...ago, date: "end" }), "2026-01-03T00:00:00.000Z");
});

Deno.test("readMoment() refuses what it could misread", () => {
  for (
    const text of [
      "",
      "tomorrow",
      "today",
      "constructor",
      "2026-02-30",
      "2026-13-01",
      "2026-01-01T10:00",
      "30",
      "30y",
      "-1d",
    ]
  ) {
    assert.throws(() => readMoment(text, OPTIONS), { error: "invalid_value", param: "expires" });
  }
});
