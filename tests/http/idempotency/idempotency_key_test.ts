import assert from "node:assert/strict";
import { idempotencyKey } from "../../../src/http/idempotency/repeatable_post.ts";

function request(key?: string): Request {
  return new Request("http://gateway/", {
    headers: key === undefined ? {} : { "idempotency-key": key },
  });
}

for (const key of ["a", "8e03978e-40d5-43dd-bc93-6894a57f9324", "!~", "x".repeat(255)]) {
  Deno.test(`idempotencyKey() takes a key of ${key.length} characters: ${key.slice(0, 40)}`, () => {
    assert.equal(idempotencyKey(request(key)), key);
  });
}

Deno.test("idempotencyKey() is undefined without the header", () => {
  assert.equal(idempotencyKey(request()), undefined);
});

for (
  const [what, key] of [
    ["an empty key", ""],
    ["a key of 256 characters", "x".repeat(256)],
    ["a key with a blank", "a b"],
    ["a key that is not ASCII", "\u00fc"],
    ["a key with a tab", "a\tb"],
  ] as const
) {
  Deno.test(`idempotencyKey() refuses ${what}`, () => {
    assert.throws(() => idempotencyKey(request(key)), {
      error: "invalid_value",
      param: "Idempotency-Key",
    });
  });
}
