/**
 * What is known of sealed thoughts, taken over from an earlier run.
 *
 * @module
 */

import assert from "node:assert/strict";
import { SealedRoutes } from "../../src/gateway/sealed_routes.ts";

const NOTHING_WRAPPED = { routeOf: () => undefined };

function book(): SealedRoutes {
  return new SealedRoutes(NOTHING_WRAPPED);
}

Deno.test("a seal is known to the project that got it, and to no other", () => {
  const seals = book();
  seals.note("a", "sealed-1", "up/m");
  assert.equal(seals.routeOf("a", "sealed-1"), "up/m");
  assert.equal(seals.routeOf("b", "sealed-1"), undefined);
  assert.equal(seals.routeOf("a", "sealed-2"), undefined);
  assert.equal(seals.routeOf("a", undefined), undefined);
});

Deno.test("what one run has known the next one takes over, and writes only what is new", () => {
  const before = book();
  assert.equal(before.changes(), undefined);
  before.note("a", "sealed-1", "up/m");
  const text = before.changes()!;
  assert.equal(before.changes(), undefined);
  const after = book();
  after.load(text);
  assert.equal(after.changes(), undefined);
  assert.equal(after.routeOf("a", "sealed-1"), "up/m");
  for (
    const spoilt of ["null", "{}", '[["a"]]', '[["a", [["x"]]]]', '[[1, [["s", "r"]]]]', "[3]"]
  ) {
    const other = book();
    other.load(spoilt);
    assert.equal(other.routeOf("1", "s"), undefined, spoilt);
  }
  assert.throws(() => book().load("{"), SyntaxError);
});
