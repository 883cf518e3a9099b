/**
 * Dates as HTTP writes them, and what is none.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parseHttpDate } from "../../../../src/http/answers/conditions.ts";

Deno.test("parseHttpDate() reads the three forms of HTTP and nothing else", async (t) => {
  const cases: readonly [text: string, expected: string | undefined][] = [
    ["Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.000Z"],
    ["Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37.000Z"],
    ["Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37.000Z"],
    ["Wed Nov 16 08:49:37 1994", "1994-11-16T08:49:37.000Z"],
    ["Tuesday, 06-Jan-26 08:49:37 GMT", "2026-01-06T08:49:37.000Z"],
    ["Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00.000Z"],
    ["", undefined],
    ["0", undefined],
    ["1994", undefined],
    ["1994-11-06T08:49:37Z", undefined],
    ["Sun, 06 Nov 1994 08:49:37", undefined],
    ["Sun, 06 Nov 1994 08:49:37 +0000", undefined],
    ["Sun, 06 Nov 1994 24:49:37 GMT", undefined],
    ["Sun, 06 Nov 1994 08:60:37 GMT", undefined],
    ["Sun, 00 Nov 1994 08:49:37 GMT", undefined],
    ["Sun, 32 Nov 1994 08:49:37 GMT", undefined],
    ["Sun, 06 Foo 1994 08:49:37 GMT", undefined],
    ["Sun, 06 Anf 1994 08:49:37 GMT", undefined],
    ["Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", undefined],
  ];
  for (const [text, expected] of cases) {
    await t.step(`'${text}'`, () => {
      const epochMs = parseHttpDate(text);
      assert.equal(epochMs === undefined ? undefined : new Date(epochMs).toISOString(), expected);
    });
  }
});
