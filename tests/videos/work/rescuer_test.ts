import assert from "node:assert/strict";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";
import { COMPLETED, UNDER_WAY } from "../../support/fake_video_upstream.ts";
import { FILM_SALE_E8, videoRoute } from "../../support/video_parts.ts";
import { VideoWorld } from "../../support/video_world.ts";

const AT_ACME = { provider: "acme", route: "acme/film" };

Deno.test("Runner fails a task that is not finished within a day, and cancels its job", async () => {
  await using world = await VideoWorld.create();
  world.acme.onStatus = () => UNDER_WAY;
  const { runner } = await world.start();
  const task = await world.create(AT_ACME);
  await world.timeline.until(() => world.acme.polled.length > 3);
  await world.timeline.advance(86_400_000);
  const failed = await world.untilEnded(task);
  assert.match(failed.error!.message, /24 hours/);
  assert.deepEqual(world.acme.cancelled, ["job_1"]);
  assert.deepEqual(await world.ledgerOf(task), ["release 0", `loss ${FILM_SALE_E8}`]);
  await world.timeline.until(() => runner.running === 0);
});

Deno.test("Runner fails no task for the time that it has waited for others", async () => {
  await using world = await VideoWorld.create({
    routes: [videoRoute("acme", { limits: { concurrent: 1 } })],
  });
  world.acme.onStatus = (job) => job === "job_1" ? UNDER_WAY : COMPLETED;
  await world.start();
  const [first, second] = [await world.create(AT_ACME), await world.create(AT_ACME)];
  await world.timeline.advance(86_400_000);
  assert.equal((await world.untilEnded(first)).status, "failed");
  assert.equal((await world.untilEnded(second)).status, "completed");
});

Deno.test("Runner gives up a task whose route is gone for a day", async () => {
  await using world = await VideoWorld.create({
    routes: [videoRoute("acme", { maintenance: true })],
  });
  await world.start();
  const task = await world.create(AT_ACME);
  world.holder.swap(await world.writeCatalogue([videoRoute("zeta", { enabled: false })]));
  await world.timeline.advance(11_000);
  await world.timeline.advance(86_380_000);
  assert.equal((await world.stored(task)).status, "queued");
  await world.timeline.advance(20_000);
  const failed = await world.untilEnded(task, 20_000);
  assert.match(failed.error!.message, /no engine for this video for 24 hours/);
  assert.deepEqual(await world.ledgerOf(task), ["release 0"]);
});

Deno.test("Runner fails no task for the time that its route is switched off, begun or not", async () => {
  await using world = await VideoWorld.create({ routes: [videoRoute("acme")] });
  let failures = 1;
  world.acme.onStart = () => {
    if (failures-- > 0) throw new UpstreamError("broken", "The upstream answered 500");
  };
  const off = await world.writeCatalogue([videoRoute("acme", { enabled: false })]);
  await world.start();
  const begun = await world.create(AT_ACME);
  await world.timeline.until(() => world.eventKinds().includes("attempt_failed"));
  await world.untilIdle();
  assert.equal((await world.stored(begun)).failures, 1);
  world.holder.swap(off);
  const queued = await world.create(AT_ACME);
  await world.timeline.advance(11_000);
  await world.timeline.advance(3 * 86_400_000);
  world.crash();
  await world.start();
  await world.timeline.advance(86_400_000);
  for (const [task, status] of [[begun, "in_progress"], [queued, "queued"]] as const) {
    assert.equal((await world.stored(task)).status, status);
    assert.deepEqual(await world.ledgerOf(task), []);
  }
  world.holder.swap(await world.writeCatalogue([videoRoute("acme")]));
  for (const task of [begun, queued]) {
    assert.equal((await world.untilEnded(task)).status, "completed");
  }
});

Deno.test("Runner waits with tasks whose route is switched off, and goes on when it is back", async () => {
  await using world = await VideoWorld.create({ routes: [videoRoute("acme")] });
  await world.start();
  const off = await world.writeCatalogue([videoRoute("acme", { maintenance: true })]);
  world.holder.swap(off);
  const task = await world.create(AT_ACME);
  await world.timeline.advance(60_000);
  const waiting = await world.stored(task);
  assert.equal(waiting.status, "queued");
  assert.equal(waiting.revision, 1);
  world.holder.swap(await world.writeCatalogue([videoRoute("acme")]));
  assert.equal((await world.untilEnded(task, 1_000)).status, "completed");
});
