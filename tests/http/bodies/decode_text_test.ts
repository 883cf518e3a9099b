/**
 * The text of a request's bytes.
 *
 * @module
 */

import assert from "node:assert/strict";
import { decodeText } from "../../../src/http/bodies/read_json.ts";

const encoder = new TextEncoder();

Deno.test("decodeText() gives the text, short or long, ASCII or not", () => {
  for (const text of ["", "a", "grün 漢字 🦊", "x".repeat(5_000), `${"x".repeat(5_000)}🦊`]) {
    assert.equal(decodeText(encoder.encode(text)), text);
  }
  const within = encoder.encode(`${"-".repeat(10)}${"y".repeat(5_000)}`).subarray(10);
  assert.equal(decodeText(within), "y".repeat(5_000));
});

Deno.test("decodeText() throws at what is not UTF-8, however far in", () => {
  for (const length of [0, 10, 5_000]) {
    const bytes = new Uint8Array(length + 1).fill(0x78);
    bytes[length] = 0xff;
    assert.throws(() => decodeText(bytes), TypeError);
  }
});
