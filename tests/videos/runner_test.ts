import assert from "node:assert/strict";
import { FILM_COST_E8, FILM_SALE_E8, VideoWorld } from "../support/video_world.ts";

Deno.test("createRunner() takes a task from queued to a film that is kept, charged and told of", async () => {
  await using world = await VideoWorld.create();
  await world.start();
  const task = await world.create({ callbackUrl: "https://example.test/hook" });
  const done = await world.untilEnded(task);
  assert.equal(done.status, "completed");
  assert.equal(done.progress, 100);
  assert.equal(done.attempt, 1);
  assert.equal(done.lease, undefined);
  assert.equal(done.costE8, FILM_COST_E8);
  assert.equal(done.saleE8, FILM_SALE_E8);
  assert.equal(done.expiresAt, done.completedAt! + 1_000);
  assert.deepEqual(await world.ledgerOf(task), [`settle ${FILM_SALE_E8}`]);
  assert.deepEqual(await world.fileNames(), [`${task.id}.mp4`, `${task.id}.webp`]);
  const film = await Deno.readFile(world.files.filmPath(task.id));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", film)).toHex();
  assert.deepEqual(done.file, { bytes: 1_000, sha256: digest, hasThumbnail: true });
  const [message] = await world.storage.webhooks.due(world.timeline.clock.now(), 10);
  assert.match(message!.id, /^evt_[a-z2-7]{26}$/);
  assert.equal(message!.event, "video.completed");
  assert.equal(message!.videoId, task.id);
  assert.deepEqual(world.eventKinds(), ["claimed", "completed"]);
  assert.equal(world.boot.ledger.balanceOf("p").held, 0n);
});
