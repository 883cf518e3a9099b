import assert from "node:assert/strict";
import { RenderError } from "@tollgate/render";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";
import { videoRoute } from "../../support/video_parts.ts";
import { VideoWorld } from "../../support/video_world.ts";

const AT_ACME = { provider: "acme", route: "acme/film" };

function operatorsFault(status: number): UpstreamError {
  return new UpstreamError("operator", `The upstream answered ${status}`, { status });
}

Deno.test("concludeAttempt() fails a task at once that its only engine has no path or model for", async () => {
  await using world = await VideoWorld.create({ routes: [videoRoute("acme")] });
  world.acme.onStart = () => {
    throw operatorsFault(404);
  };
  await world.start();
  const failed = await world.untilEnded(await world.create(AT_ACME), 10_000);
  assert.equal(world.acme.orders.length, 1);
  assert.deepEqual(failed.error, {
    code: "PROVIDER_TEMPORARILY_UNAVAILABLE",
    message: "No engine could make this video in 1 attempt: " +
      `ask the operator to look at \`tollgate videos show ${failed.id}\``,
  });
  assert.equal(world.boot.ledger.balanceOf("p").held, 0n);
});

Deno.test("concludeAttempt() tries another engine where there is one, and a refused key again", async () => {
  await using world = await VideoWorld.create({ routes: [videoRoute("acme"), videoRoute("zeta")] });
  world.acme.onStart = () => {
    throw operatorsFault(404);
  };
  let refusals = 0;
  world.zeta.onStart = () => {
    if (++refusals < 3) throw operatorsFault(401);
  };
  await world.start();
  const done = await world.untilEnded(await world.create(AT_ACME), 600_000);
  assert.deepEqual([done.status, done.error?.message], [
    "failed",
    "No engine could make this video in 3 attempts: " +
    `ask the operator to look at \`tollgate videos show ${done.id}\``,
  ]);
  assert.equal(world.acme.orders.length, 1);
  assert.equal(world.zeta.orders.length, 2);
});

Deno.test("concludeAttempt() fails a task with the progress that its film had", async () => {
  await using world = await VideoWorld.create({ routes: [videoRoute("here")] });
  const { promise: half, reject: fail } = Promise.withResolvers<never>();
  world.onRender = (_order, run) => {
    run?.onProgress?.(0.5);
    return half;
  };
  const { book } = await world.start();
  const task = await world.create();
  await world.timeline.until(async () => (await world.stored(task)).status === "in_progress");
  const shown: number[] = [];
  book.subscribe((_before, after) => void shown.push(after!.progress));
  fail(new RenderError("failed", "It failed"));
  const failed = await world.untilEnded(task);
  assert.deepEqual([failed.status, failed.progress], ["failed", 50]);
  assert.deepEqual(shown, [50]);
});
