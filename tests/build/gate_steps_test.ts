/**
 * The gate ends early, and always with the plain line of counts.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type GateStep, runSteps } from "../../build/gate_steps.ts";

function passing(name: string, passed: number): GateStep {
  return { name, run: () => Promise.resolve({ passed, failed: 0, skipped: 1 }) };
}

async function gateOf(...steps: readonly GateStep[]) {
  const said: string[] = [];
  const isFine = await runSteps(steps, { say: (line) => said.push(line) });
  return { isFine, said, last: said.at(-1) };
}

Deno.test("runSteps() adds up the tests of all steps", async () => {
  const lint = { name: "lint", run: () => Promise.resolve(true) };
  const { isFine, last } = await gateOf(lint, passing("unit", 3), passing("e2e", 4));
  assert.equal(isFine, true);
  assert.equal(last, "7 passed, 0 failed, 2 skipped");
});

Deno.test("runSteps() runs nothing behind a step that fails, which counts as one", async () => {
  const never = { name: "later", run: () => assert.fail("it ran") };
  const lint = { name: "lint", run: () => Promise.resolve(false) };
  const { isFine, said, last } = await gateOf(passing("unit", 3), lint, never);
  assert.equal(isFine, false);
  assert.ok(said.includes('The step "lint" failed'));
  assert.equal(last, "3 passed, 1 failed, 1 skipped");

  const tests = { name: "e2e", run: () => Promise.resolve({ passed: 5, failed: 2, skipped: 0 }) };
  assert.equal((await gateOf(tests, never)).last, "5 passed, 2 failed");
});

Deno.test("runSteps() says the words of an error, which is a failure", async () => {
  const broken = { name: "build", run: () => Promise.reject(new Error("No runtime")) };
  const { isFine, said, last } = await gateOf(broken);
  assert.equal(isFine, false);
  assert.ok(said.includes("No runtime"));
  assert.equal(last, "0 passed, 1 failed");
});

Deno.test("runSteps() waits for what goes on beside a step that failed before its last line", async () => {
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  const beside = async () => {
    await Promise.resolve();
    say("The build is over");
    throw new Error("It failed too");
  };
  const types = { name: "types", run: () => Promise.resolve(false) };
  assert.equal(await runSteps([types], { say, beside }), false);
  assert.deepEqual(said.slice(-3), [
    'The step "types" failed',
    "The build is over",
    "0 passed, 1 failed",
  ]);
});
