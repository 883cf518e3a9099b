/**
 * What is said of a change that storage refused: only what is known of it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { accept } from "../../src/admin/base/commit_change.ts";
import type { Refusal } from "../../src/storage/ports/entry.ts";

const said = (refusal: Omit<Refusal, "ok">) => {
  try {
    accept({ ok: false, ...refusal });
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("It was accepted");
};

Deno.test("a change that could not begin was not made, and of one broken off nobody knows", () => {
  const message = "The storage's Worker ended";
  for (const reason of ["unavailable", "failed"] as const) {
    assert.equal(said({ reason, message }), `Nothing was changed: ${message}`);
  }
  const unknown = said({ reason: "unavailable", message, mayBeWritten: true });
  assert.match(unknown, /^Nobody knows whether this was changed/);
  assert.match(unknown, /tollgate audit list/);
  assert.doesNotMatch(unknown, /Nothing was changed/);
});
