/**
 * When a day ends in another place.
 *
 * @module
 */

import assert from "node:assert/strict";
import { secondsToMidnight } from "../../src/domain/midnight.ts";

const CASES: readonly (readonly [string, number])[] = [
  ["2026-11-23T00:00:00Z", 8 * 3_600],
  ["2026-11-23T07:59:59.500Z", 1],
  ["2026-11-23T08:00:00Z", 24 * 3_600],
  ["2026-07-01T00:00:00Z", 7 * 3_600],
  // Days of 25 and of 23 hours.
  ["2026-11-01T07:00:00Z", 25 * 3_600],
  ["2026-11-01T12:30:00Z", 19.5 * 3_600],
  ["2027-03-14T08:00:00Z", 23 * 3_600],
];
for (const [at, seconds] of CASES) {
  Deno.test(`at ${at} it is ${seconds} s to midnight in California`, () => {
    assert.equal(secondsToMidnight(Date.parse(at), "America/Los_Angeles"), seconds);
  });
}
