import assert from "node:assert/strict";
import { fingerprint } from "../../src/idempotency/fingerprint.ts";

Deno.test("fingerprint() is the same for equal requests however they are written", () => {
  const one = fingerprint({
    prompt: "a",
    size: "1x1",
    wishes: { route: "r", provider: undefined },
  });
  const other = fingerprint({ wishes: { route: "r" }, size: "1x1", prompt: "a" });
  assert.equal(one, other);
  assert.match(one, /^[0-9a-f]{64}$/);
});

Deno.test("fingerprint() differs when any value, type, order of a list or byte differs", () => {
  const values: readonly unknown[] = [
    { a: 1 },
    { a: "1" },
    { a: null },
    { b: 1 },
    { a: [1, 2] },
    { a: [2, 1] },
    { a: [[1], 2] },
    { a: { b: 1 } },
    { a: new Uint8Array([1]) },
    { a: new Uint8Array([2]) },
    { a: "a,b" },
    { a: ["a", "b"] },
    { a: ["a,b"] },
    [],
    {},
  ];
  assert.equal(new Set(values.map(fingerprint)).size, values.length);
});
