/**
 * What is kept counts in the turns of large bodies.
 *
 * @module
 */

import assert from "node:assert/strict";
import { keptInTurns, shareBodies } from "../../src/app/share_bodies.ts";
import type { NoRoom } from "../../src/domain/kept_bytes.ts";
import { FakeClock } from "../support/fake_clock.ts";

const MIB = 1024 ** 2;

/** A room that has what is asked of it, or says why not. */
function start(refusal?: NoRoom) {
  const bodies = shareBodies(
    {
      maxInFlightBytes: 512 * MIB,
      maxJsonBytes: 20 * MIB,
      maxFormBytes: 20 * MIB,
      maxJsonDepth: 9,
    },
    new FakeClock(),
  );
  const spent: number[] = [];
  const room = keptInTurns({
    take: () => refusal,
    promise: () => refusal ?? { left: 7, spend: (bytes) => spent.push(bytes), end() {} },
  }, bodies);
  /** How long a body of the project would wait. */
  const waitMs = (project = "shop") => bodies.of(project).turnInMs!(0);
  return { room, waitMs, spent };
}

Deno.test("keptInTurns() lets the next bodies of a project wait for its large answers", () => {
  const { room, waitMs, spent } = start();
  for (let count = 0; count < 1_000; count++) room.take("shop", 200_000);
  assert.equal(waitMs(), 0, "small ones do not count");
  for (let count = 0; count < 3; count++) room.take("shop", 32 * MIB);
  assert.equal(waitMs(), 2_000);
  assert.equal(waitMs("garden"), 0);
  const promised = room.promise("garden", 80 * MIB);
  assert.ok(typeof promised === "object");
  assert.equal(waitMs("garden"), 0, "a promise is nothing yet");
  assert.equal(promised.left, 7);
  promised.spend(80 * MIB);
  assert.deepEqual(spent, [80 * MIB]);
  assert.equal(waitMs("garden"), 1_000);
});

Deno.test("keptInTurns() counts nothing that has no room", () => {
  const { room, waitMs } = start("quota");
  assert.equal(room.take("shop", 100 * MIB), "quota");
  assert.equal(room.promise("shop", 100 * MIB), "quota");
  assert.equal(waitMs(), 0);
});
