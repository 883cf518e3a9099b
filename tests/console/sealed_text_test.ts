import assert from "node:assert/strict";
import { SealedTexts } from "../../src/console/frame/sealed_text.ts";

const SECRET = new Uint8Array(32).fill(7);

Deno.test("SealedTexts opens what it has sealed, also after a new start", () => {
  const text = `api_key: sk-live-1\n${"ü".repeat(10_000)}`;
  const sealed = new SealedTexts(SECRET).seal(text, "session provider far");
  assert.match(sealed, /^[\w-]+$/);
  assert.ok(sealed.length < 1_000, "repetition costs nothing of a form's bound");
  assert.equal(new SealedTexts(SECRET).open(sealed, "session provider far"), text);
  assert.notEqual(new SealedTexts(SECRET).seal(text, "session provider far"), sealed);
});

Deno.test("SealedTexts opens nothing about something else, nor what was altered", () => {
  const texts = new SealedTexts(SECRET);
  const sealed = texts.seal("api_key: sk-live-1", "session provider far");
  assert.equal(texts.open(sealed, "other provider far"), undefined);
  assert.equal(
    new SealedTexts(SECRET.map(() => 8)).open(sealed, "session provider far"),
    undefined,
  );
  for (const at of [0, 20, sealed.length - 2]) {
    const other = sealed[at] === "A" ? "B" : "A";
    const altered = sealed.slice(0, at) + other + sealed.slice(at + 1);
    assert.equal(texts.open(altered, "session provider far"), undefined, String(at));
  }
  for (const text of ["", "x", sealed.slice(0, 30), "ü <b>"]) {
    assert.equal(texts.open(text, "session provider far"), undefined);
  }
});
