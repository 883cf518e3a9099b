/**
 * @module
 */

import assert from "node:assert/strict";
import { findCode } from "./find_code.ts";

const SOURCE = `// take(one, two)
call(
  one, // the first
  two,
);
const sql = \`PRAGMA a = 1;
  PRAGMA b = 2;\`;
take("one", 'it is "two"') /* take("one") */;
`;

function found(code: string): string[] {
  return findCode(SOURCE, code).map(({ from, to }) => SOURCE.slice(from, to));
}

Deno.test("findCode() finds code however it is laid out, and not in comments", () => {
  assert.deepEqual(found("call(one, two)"), ["call(\n  one, // the first\n  two,\n)"]);
  assert.deepEqual(found("call( one,two , );"), ["call(\n  one, // the first\n  two,\n);"]);
  assert.deepEqual(found("take(one, two)"), []);
  assert.deepEqual(found(`take("one"`), [`take("one"`]);
});

Deno.test("findCode() finds code within quoted text", () => {
  assert.deepEqual(found("PRAGMA a = 1; PRAGMA b"), ["PRAGMA a = 1;\n  PRAGMA b"]);
  assert.deepEqual(found(`is "two"`), [`is "two"`]);
});

Deno.test("findCode() takes whole words, finds every place, and nothing for no code", () => {
  assert.equal(found("PRAGMA").length, 2);
  assert.deepEqual(found("PRAG"), []);
  assert.deepEqual(found("  "), []);
});
