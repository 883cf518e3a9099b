/**
 * What is kept of a webhook's tries, and how it is sent again.
 *
 * @module
 */

import assert from "node:assert/strict";
import { until } from "../../support/until.ts";
import { senderScene as scene } from "./sender_scene.ts";

Deno.test("WebhookSender keeps each try, and begins its waits anew for what is sent again", async () => {
  await using at = await scene();
  const { id } = await at.put({ tries: 8, nextAt: at.clock.now() });
  at.receiver.answer = () => new Response("a secret of the receiver's", { status: 503 });
  const sender = at.start();
  await until("the last try", () => at.tries.length === 1);
  assert.equal(at.tries[0]!.outcome, "given_up");
  const begun = at.clock.now();
  await at.timer();
  const answer = at.world.storage.commitBatch([
    { kind: "resend_webhook", messageId: id, at: begun },
  ]);
  assert.deepEqual((await answer).map(({ ok }) => ok), [true]);
  sender.wake();
  await until("the try of the next round", () => at.tries.length === 2);
  const { outcome, message } = at.tries[1]!;
  assert.deepEqual(
    [outcome, message.tries, message.roundFrom, message.nextAt - at.clock.now()],
    ["failed", 10, 9, 5_000],
  );
  await at.timer();
  at.receiver.answer = () => new Response(null, { status: 204 });
  at.advance(5_000);
  await until("its arrival", () => at.tries.length === 3);
  const stored = await at.world.storage.webhooks.find(id);
  const failed = { status: 503, error: "answered 503" };
  assert.deepEqual(
    stored!.lastTries.map(({ milliseconds: _, ...one }) => one),
    [
      { at: begun, ...failed },
      { at: begun, ...failed },
      { at: begun + 5_000, status: 204, error: null },
    ],
  );
  assert.ok(stored!.lastTries.every(({ milliseconds }) => milliseconds >= 0));
  assert.ok(!JSON.stringify(stored).includes("a secret"));
  assert.equal(stored!.state, "delivered");
  await sender.stop();
});

Deno.test("WebhookSender keeps the last twenty tries", async () => {
  await using at = await scene();
  const one = { at: 1, milliseconds: 1, status: 500, error: "answered 500" };
  const lastTries = Array.from({ length: 20 }, (_, index) => ({ ...one, at: index }));
  const { id } = await at.put({ lastTries });
  const sender = at.start();
  await until("the try", () => at.tries.length === 1);
  const kept = (await at.world.storage.webhooks.find(id))!.lastTries;
  assert.deepEqual([kept.length, kept[0]!.at, kept.at(-1)!.status], [20, 1, 204]);
  await sender.stop();
});
