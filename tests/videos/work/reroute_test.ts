import assert from "node:assert/strict";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";
import { UNDER_WAY } from "../../support/fake_video_upstream.ts";
import { NO_WISHES } from "../../support/no_wishes.ts";
import { CREDIT_E8, videoRoute } from "../../support/video_parts.ts";
import { VideoWorld } from "../../support/video_world.ts";

const AT_ACME = { provider: "acme", route: "acme/film" };

function refuseAll(world: VideoWorld, failure: "broken" | "operator" | "busy" = "broken"): void {
  world.acme.onStart = () => {
    throw new UpstreamError(failure, "no", { status: 500 });
  };
}

for (const failure of ["broken", "operator", "busy"] as const) {
  Deno.test(`Rerouter.move() moves a task and its hold when a start is ${failure}`, async () => {
    await using world = await VideoWorld.create({
      routes: [videoRoute("acme"), videoRoute("zeta", { sale: "5" })],
    });
    const { book, ledger } = await world.start();
    refuseAll(world, failure);
    world.zeta.onStatus = () => UNDER_WAY;
    const task = await world.create(AT_ACME);
    await world.timeline.until(() => world.zeta.polled.length > 0);
    const moved = await world.stored(task);
    assert.equal(moved.route, "zeta/film");
    assert.equal(moved.provider, "zeta");
    assert.equal(moved.failures, failure === "busy" ? 0 : 1);
    assert.equal(ledger.balanceOf("p").held, 2_000_000_000n);
    const call = book.callOf(task.id)!;
    assert.equal(call.callId, task.callId);
    assert.equal(call.heldE8, 2_000_000_000n);
    assert.equal(call.priceVersion, world.holder.current.route("zeta/film")!.prices.version);
    world.zeta.onStatus = () => ({ status: "completed", progress: 100, error: undefined });
    const done = await world.untilEnded(task);
    assert.equal(done.saleE8, 2_000_000_000n);
    assert.deepEqual(await world.ledgerOf(task), ["settle 2000000000"]);
    assert.equal(world.acme.orders.length, 1);
  });
}

Deno.test("Rerouter.move() takes along what the new route's price depends on", async () => {
  const parts = { video: { sizes: ["640x360"], seconds: [4], passFields: ["quality"] } };
  const zeta = videoRoute("zeta", parts);
  const when = [{ condition: { quality: "best" }, rates: { second: 500_000_000n } }];
  const dear = { kind: "rates", rates: { second: 100_000_000n, when } } as const;
  await using world = await VideoWorld.create({
    routes: [videoRoute("acme", parts), { ...zeta, prices: { ...zeta.prices, sale: dear } }],
  });
  await world.start();
  refuseAll(world);
  const task = await world.create({ ...AT_ACME, fields: { quality: "best" } });
  const done = await world.untilEnded(task, 600_000);
  assert.deepEqual([done.status, done.route, done.saleE8], [
    "completed",
    "zeta/film",
    2_000_000_000n,
  ]);
  assert.deepEqual(await world.ledgerOf(task), ["settle 2000000000"]);
  const [call] = await world.storage.calls.slice(0, 1);
  assert.deepEqual(call!.terms, { quality: "best" });
});

for (
  const [says, wishes, fits] of [
    ["an exact route", { ...NO_WISHES, route: "acme/film" }, false],
    ["a provider", { ...NO_WISHES, provider: "acme" }, false],
    ["risk levels", { ...NO_WISHES, excludeRiskLevels: ["high"] }, false],
    ["nothing", NO_WISHES, true],
  ] as const
) {
  Deno.test(`Rerouter.move() keeps to a caller's wish for ${says}`, async () => {
    await using world = await VideoWorld.create({
      routes: [videoRoute("acme"), videoRoute("zeta", { riskLevel: "high" })],
    });
    await world.start();
    refuseAll(world);
    const task = await world.create({ ...AT_ACME, wishes });
    const ended = await world.untilEnded(task, 600_000);
    assert.equal(ended.status, fits ? "completed" : "failed");
    assert.equal(world.zeta.orders.length, fits ? 1 : 0);
    if (fits) return;
    assert.equal(ended.error!.code, "PROVIDER_TEMPORARILY_UNAVAILABLE");
    assert.equal(world.acme.orders.length, 3);
    assert.equal(ended.failures, 2);
  });
}

Deno.test("Rerouter.move() passes over routes that the balance does not cover", async () => {
  await using world = await VideoWorld.create({
    routes: [videoRoute("acme"), videoRoute("zeta", { sale: "99000" })],
  });
  await world.start();
  refuseAll(world);
  const task = await world.create(AT_ACME);
  const ended = await world.untilEnded(task, 600_000);
  assert.equal(ended.status, "failed");
  assert.equal(ended.route, "acme/film");
  assert.equal(world.zeta.orders.length, 0);
  assert.equal(world.boot.ledger.balanceOf("p").held, 0n);
  assert.equal(world.boot.ledger.balanceOf("p").avail, CREDIT_E8);
});

Deno.test("Rerouter.move() does not move a task back to where it failed", async () => {
  await using world = await VideoWorld.create({
    routes: [videoRoute("acme"), videoRoute("zeta"), videoRoute("here")],
  });
  await world.start();
  refuseAll(world);
  world.zeta.onStart = () => {
    throw new UpstreamError("broken", "no", { status: 500 });
  };
  const task = await world.create(AT_ACME);
  const done = await world.untilEnded(task, 600_000);
  assert.equal(done.status, "completed");
  assert.equal(done.route, "here/film");
  assert.ok(world.acme.orders.length === 1 && world.zeta.orders.length <= 1);
});

for (
  const [says, parts] of [
    ["disabled", { enabled: false }],
    ["in maintenance", { maintenance: true }],
    ["gone", undefined],
  ] as const
) {
  Deno.test(`moveDisplacedTasks() finds another route for tasks whose own is ${says}`, async () => {
    await using world = await VideoWorld.create({
      routes: [videoRoute("acme", { limits: { concurrent: 1 } }), videoRoute("zeta")],
    });
    world.acme.onStatus = () => UNDER_WAY;
    await world.start();
    const working = await world.create(AT_ACME);
    await world.timeline.until(() => world.acme.polled.length > 0);
    const [waiting, exact] = [
      await world.create(AT_ACME),
      await world.create({ ...AT_ACME, wishes: { ...NO_WISHES, route: "acme/film" } }),
    ];
    world.holder.swap(
      await world.writeCatalogue([
        ...(parts === undefined ? [] : [videoRoute("acme", parts)]),
        videoRoute("zeta"),
      ]),
    );
    assert.equal((await world.untilEnded(waiting, 5_000)).route, "zeta/film");
    assert.equal((await world.stored(exact)).status, "queued");
    world.acme.onStatus = () => ({ status: "completed", progress: 100, error: undefined });
    const done = await world.untilEnded(working);
    assert.equal(done.status, "completed");
    assert.equal(done.route, "acme/film");
    assert.equal(world.acme.orders.length, 1);
  });
}

Deno.test("moveDisplacedTasks() empties the queue of a route that is out of order", async () => {
  await using world = await VideoWorld.create({
    routes: [videoRoute("acme", { limits: { concurrent: 1 } }), videoRoute("zeta")],
  });
  await world.start();
  refuseAll(world, "operator");
  const tasks = [];
  for (let index = 0; index < 20; index++) tasks.push(await world.create(AT_ACME));
  for (const task of tasks) {
    const done = await world.untilEnded(task, 60_000);
    assert.deepEqual([done.status, done.route], ["completed", "zeta/film"]);
  }
  assert.equal(world.acme.orders.length, 1);
});
