/**
 * The count of bytes in flight.
 *
 * @module
 */
import assert from "node:assert/strict";
import { createBodyBudget, createSharedBudget } from "../../../src/http/bodies/body_budget.ts";

Deno.test("createBodyBudget() reserves up to its limit and takes back what was reserved", () => {
  const budget = createBodyBudget(10);
  budget.reserve(4);
  budget.reserve(6);
  assert.throws(() => budget.reserve(1), { name: "GatewayError" });
  assert.equal(budget.usedBytes, 10);
  budget.release(3);
  budget.reserve(3);
  budget.release(10);
  assert.equal(budget.usedBytes, 0);
  assert.throws(() => budget.release(1), RangeError);
});

Deno.test("createSharedBudget() leaves every newcomer as much as the one before may have", () => {
  const budget = createSharedBudget({ maxBytes: 800, leastShareBytes: 10 });
  const [first, second, third] = ["a", "b", "c"].map((owner) => budget.of(owner));
  first!.reserve(400);
  assert.equal(first!.tryReserve(1), false);
  second!.reserve(200);
  third!.reserve(100);
  assert.equal(second!.tryReserve(1), false);
  assert.equal(budget.usedBytes, 700);
  // What is given back is shared by what the others have now.
  first!.release(400);
  assert.throws(() => first!.reserve(251), { name: "GatewayError" });
  first!.reserve(250);
  assert.throws(() => second!.release(201), RangeError);
  first!.release(250);
  second!.release(200);
  third!.release(100);
  assert.equal(budget.usedBytes, 0);
  budget.of("a").reserve(400);
});

Deno.test("createSharedBudget() takes the largest body of one owner while there is room for it", () => {
  const budget = createSharedBudget({ maxBytes: 100, leastShareBytes: 90 });
  const [first, second] = [budget.of("a"), budget.of("b")];
  first.reserve(90);
  assert.equal(second.tryReserve(90), false);
  assert.equal(first.tryReserve(1), false);
  second.reserve(10);
  first.release(90);
  assert.equal(first.tryReserve(91), false);
  first.reserve(90);
});
