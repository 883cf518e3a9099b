import assert from "node:assert/strict";
import { Turns } from "../../src/domain/turns.ts";

Deno.test("so many work at one time, and those who wait come in their order, whatever becomes of others", async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<number>());
  const taken = gates.map(({ promise }, index) =>
    turns.take(() => {
      begun.push(index);
      return promise;
    })
  );
  const settled = () => new Promise((resolve) => setTimeout(resolve));
  await settled();
  assert.deepEqual(begun, [0, 1]);
  gates[1]!.reject(new Error("it failed"));
  await assert.rejects(taken[1]!, /it failed/);
  await settled();
  assert.deepEqual(begun, [0, 1, 2]);
  gates[0]!.resolve(7);
  assert.equal(await taken[0], 7);
  await settled();
  assert.deepEqual(begun, [0, 1, 2, 3]);
  for (const { resolve } of gates) resolve(0);
  await Promise.all([taken[2], taken[3]]);
  assert.equal(await turns.take(() => Promise.resolve("free again")), "free again");
});
