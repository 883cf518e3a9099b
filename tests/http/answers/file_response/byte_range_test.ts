/**
 * Which bytes a `Range` header asks for.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type ByteRange, parseByteRange } from "../../../../src/http/answers/byte_range.ts";

const whole: ByteRange = { kind: "whole" };
const unsatisfiable: ByteRange = { kind: "unsatisfiable" };
const part = (start: number, length: number): ByteRange => ({ kind: "part", start, length });

const CASES: readonly [header: string, bytes: number, expected: ByteRange][] = [
  ["bytes=0-0", 10, part(0, 1)],
  ["bytes=0-", 10, part(0, 10)],
  ["bytes=3-5", 10, part(3, 3)],
  ["bytes=9-9", 10, part(9, 1)],
  ["bytes=9-", 10, part(9, 1)],
  ["bytes=3-99999999999999999999999999", 10, part(3, 7)],
  ["bytes=-1", 10, part(9, 1)],
  ["bytes=-10", 10, part(0, 10)],
  ["bytes=-99999999999999999999999999", 10, part(0, 10)],
  ["BYTES = 3-5 ", 10, part(3, 3)],
  ["bytes=, 3-5,,", 10, part(3, 3)],
  ["bytes=007-0008", 10, part(7, 2)],
  ["bytes=10-", 10, unsatisfiable],
  ["bytes=99999999999999999999999999-", 10, unsatisfiable],
  ["bytes=-0", 10, unsatisfiable],
  ["bytes=0-", 0, unsatisfiable],
  ["bytes=-0", 0, unsatisfiable],
  ["bytes=-5", 0, whole],
  // Several ranges, also where only one can be had.
  ["bytes=0-1,3-4", 10, whole],
  ["bytes=0-1,0-1", 10, whole],
  ["bytes=0-1,99-", 10, whole],
  // Malformed, or not ours.
  ["", 10, whole],
  ["bytes", 10, whole],
  ["bytes=", 10, whole],
  ["bytes=,", 10, whole],
  ["bytes=-", 10, whole],
  ["bytes=--1", 10, whole],
  ["bytes=5-3", 10, whole],
  ["bytes=99-98", 10, whole],
  ["bytes=1 - 2", 10, whole],
  ["bytes=+1-2", 10, whole],
  ["bytes=0x1-2", 10, whole],
  ["bytes=1e0-2", 10, whole],
  ["bytes=1.0-2", 10, whole],
  ["bytes=١-٢", 10, whole],
  ["bytes:0-1", 10, whole],
  ["0-1", 10, whole],
  ["items=0-1", 10, whole],
  ["kbytes=0-1", 10, whole],
];

Deno.test("parseByteRange() finds the bytes that a header asks for", async (t) => {
  for (const [header, bytes, expected] of CASES) {
    await t.step(`'${header}' of ${bytes}`, () => {
      assert.deepEqual(parseByteRange(header, bytes), expected);
    });
  }
});
