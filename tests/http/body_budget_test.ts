/**
 * The count of bytes in flight.
 *
 * @module
 */
import assert from "node:assert/strict";
import { createBodyBudget } from "../../src/http/body_budget.ts";

Deno.test("createBodyBudget() reserves up to its limit and takes back what was reserved", () => {
  const budget = createBodyBudget(10);
  budget.reserve(4);
  budget.reserve(6);
  assert.throws(() => budget.reserve(1), { name: "BodyBudgetError" });
  assert.equal(budget.usedBytes, 10);
  budget.release(3);
  budget.reserve(3);
  budget.release(10);
  assert.equal(budget.usedBytes, 0);
  assert.throws(() => budget.release(1), RangeError);
});
