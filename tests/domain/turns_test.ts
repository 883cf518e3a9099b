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

Deno.test("who waits may leave, and takes nobody's turn", async () => {
  const turns = new Turns(1);
  const gate = Promise.withResolvers<number>();
  const first = turns.take(() => gate.promise);
  assert.equal(turns.areTaken, true);
  const leaving = new AbortController();
  const never = () => Promise.reject(new Error("it was begun"));
  const left = turns.take(never, leaving.signal);
  const behind = turns.take(() => Promise.resolve(2), new AbortController().signal);
  leaving.abort(new Error("no longer"));
  await assert.rejects(left, /no longer/);
  await assert.rejects(turns.take(never, leaving.signal), /no longer/);
  gate.resolve(1);
  assert.deepEqual(await Promise.all([first, behind]), [1, 2]);
  assert.equal(turns.areTaken, false);
});
