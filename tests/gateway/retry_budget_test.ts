import assert from "node:assert/strict";
import { RetryBudget } from "../../src/gateway/retry_budget.ts";

function takeAll(budget: RetryBudget): number {
  let taken = 0;
  while (budget.take()) taken++;
  return taken;
}

Deno.test("RetryBudget allows ten retries at first, then one for every five calls", () => {
  const budget = new RetryBudget();
  assert.equal(takeAll(budget), 10);
  for (let call = 0; call < 24; call++) budget.earn();
  assert.equal(takeAll(budget), 4);
});

Deno.test("RetryBudget saves up no more than its reserve", () => {
  const budget = new RetryBudget();
  for (let call = 0; call < 1_000; call++) budget.earn();
  assert.equal(takeAll(budget), 10);
});
