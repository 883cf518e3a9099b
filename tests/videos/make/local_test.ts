import assert from "node:assert/strict";
import type { FilmOrder } from "@tollgate/render";
import { ImageError } from "@tollgate/render";
import { createRenderPool } from "@tollgate/render";
import { renderedFilm } from "../../support/slow_renderer.ts";
import { FILM_SALE_E8, videoRoute } from "../../support/video_parts.ts";
import { VideoWorld } from "../../support/video_world.ts";

Deno.test("createLocalExecutor() orders the film that was asked for, with the route's faults", async () => {
  await using world = await VideoWorld.create({
    routes: [videoRoute("here", { upstreamModel: "video-2:slow-20" })],
  });
  const orders: FilmOrder[] = [];
  world.onRender = (order) => {
    orders.push(order);
    return Promise.resolve(renderedFilm());
  };
  await world.start();
  const id = `video_${"a".repeat(26)}`;
  await world.files.prepare();
  await world.files.writeReference(id, new Uint8Array([1, 2, 3]));
  const task = await world.create({ id, referenceType: "image/png", size: "1280x720", seconds: 4 });
  assert.equal((await world.untilEnded(task)).status, "completed");
  await world.untilIdle();
  assert.deepEqual(orders, [{
    prompt: task.prompt,
    width: 1280,
    height: 720,
    seconds: 4,
    faults: { frameMs: 20, ending: undefined },
    reference: new Uint8Array([1, 2, 3]),
  }]);
  assert.deepEqual(await world.fileNames(), [`${id}.mp4`, `${id}.webp`]);
});

Deno.test("createLocalExecutor() fails a task at once whose image cannot be used", async () => {
  await using world = await VideoWorld.create();
  world.onRender = () => Promise.reject(new ImageError("corrupt"));
  await world.start();
  const failed = await world.untilEnded(await world.create());
  assert.equal(failed.attempt, 1);
  assert.deepEqual(failed.error, {
    code: "invalid_value",
    message: "Cannot decode the image: it is cut short or damaged",
  });
});

Deno.test("createLocalExecutor() takes a fault that does not exist for the operator's mistake", async () => {
  await using world = await VideoWorld.create({
    routes: [videoRoute("here", { upstreamModel: "video-2:explode" })],
  });
  await world.start();
  const failed = await world.untilEnded(await world.create(), 300_000);
  assert.equal(failed.error!.code, "PROVIDER_TEMPORARILY_UNAVAILABLE");
  assert.equal(failed.error!.message.includes("explode"), false);
  assert.ok(
    world.events.some((event) =>
      event.kind === "attempt_failed" && String(event.error.cause).includes("explode")
    ),
  );
});

Deno.test("createLocalExecutor() makes a film with the renderer itself", async () => {
  const pool = createRenderPool({ workers: 1, onAbandoned: () => {} });
  try {
    await using world = await VideoWorld.create();
    world.onRender = (order, run) => pool.render(order, run);
    await world.start();
    const task = await world.create({ seconds: 4 });
    const shown: number[] = [];
    world.boot.book.subscribe((_before, after) => shown.push(after!.progress));
    // The renderer does not know the fake clock: no time passes by it meanwhile.
    const deadline = Date.now() + 120_000;
    while (world.boot.runner.running > 0 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const done = await world.stored(task);
    assert.equal(done.error, undefined);
    assert.equal(done.status, "completed");
    const film = await Deno.readFile(world.files.contentPath(task.id));
    assert.equal(new TextDecoder().decode(film.subarray(4, 8)), "ftyp");
    assert.equal(done.file!.bytes, film.length);
    assert.deepEqual(shown, shown.toSorted((a, b) => a - b));
    assert.deepEqual(await world.ledgerOf(task), [`settle ${FILM_SALE_E8}`]);
  } finally {
    await pool.close();
  }
});
