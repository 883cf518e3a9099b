/**
 * Messages that two nodes find due, in a real database and to a real receiver.
 *
 * @module
 */

import assert from "node:assert/strict";
import { systemClock } from "../../../src/domain/clock.ts";
import { createTransport } from "../../../src/providers/transport/transport.ts";
import type { CommitQueue } from "../../../src/storage/ports/commit_queue.ts";
import {
  openPostgresStorage,
  type PostgresStorage,
} from "../../../src/storage/postgres/postgres_storage.ts";
import { WebhookSender } from "../../../src/videos/tell/webhook_sender.ts";
import { commitEach, fundProject, words } from "../../conformance/storage_samples.ts";
import {
  claimedTask,
  createEntry,
  sampleMessage,
  sampleTask,
} from "../../conformance/storage_video_samples.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { until } from "../../support/until.ts";
import { SECRET } from "../../videos/tell/sender_scene.ts";

const server = postgresOfFile();

/** Two sessions that live, with a message in the outbox. */
async function scene(database: string, url: string) {
  await server.create(database);
  const open = async () => {
    const storage = await openPostgresStorage({ url: server.url(database) });
    await storage.beginSession();
    return storage;
  };
  const [first, second] = [await open(), await open()];
  // Whoever begins one without a name ends the others: here both live.
  await server.ask(database, "UPDATE node_sessions SET state = 'live'");
  await fundProject(first, 0n);
  const task = sampleTask({ callId: 1 });
  const message = sampleMessage({ url, nextAt: 0 });
  const results = await commitEach(first, [
    createEntry(task, { heldE8: 0n }),
    { kind: "put_webhook_secret", secret: { ...SECRET, projectId: message.projectId } },
    { kind: "change_video", task: claimedTask(task), webhook: message },
  ]);
  assert.deepEqual(words(results), ["ok", "ok", "ok"]);
  return {
    first,
    second,
    message,
    async [Symbol.asyncDispose]() {
      await first.close();
      await second.close();
    },
  };
}

const DUE = { most: 10, perProject: 10 };

Deno.test(
  "a message that a living session sends is nobody else's, until its try is noted",
  NEEDS_POSTGRES,
  async () => {
    const database = "messages";
    await using at = await scene(database, "http://127.0.0.1:9/hook");
    const { first, second, message } = at;
    const due = async (storage: PostgresStorage) =>
      (await storage.webhooks.due(Date.now(), DUE)).map(({ id }) => id);
    assert.deepEqual([await due(first), await due(second)], [[message.id], [message.id]]);
    assert.equal(await first.sharedMessages.claim(message), true);
    assert.equal(await first.sharedMessages.claim(message), true);
    assert.equal(await second.sharedMessages.claim(message), false);
    assert.deepEqual([await due(first), await due(second)], [[message.id], []]);

    const whose = "WHERE session_id = (SELECT sender FROM webhook_messages)";
    await server.ask(database, `UPDATE node_sessions SET state = 'dead' ${whose}`);
    assert.deepEqual(await due(second), [message.id], "its sender has ended");
    assert.equal(await second.sharedMessages.claim(message), true);
    await server.ask(database, "UPDATE node_sessions SET state = 'live'");
    assert.equal(await first.sharedMessages.claim(message), false);
    const tried = { ...message, tries: message.tries + 1 };

    assert.deepEqual(
      words(await commitEach(second, [{ kind: "change_webhook", message: tried }])),
      [
        "ok",
      ],
    );
    assert.deepEqual([await due(first), await due(second)], [[message.id], [message.id]]);
    assert.equal(await first.sharedMessages.claim(message), false, "that try has been made");
    assert.equal(await first.sharedMessages.claim(tried), true);
  },
);

Deno.test("of two nodes that find a message due one sends it", NEEDS_POSTGRES, async () => {
  let received = 0;
  const asked = Promise.withResolvers<void>();
  const answers = Promise.withResolvers<void>();
  await using receiver = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async () => {
    received++;
    asked.resolve();
    await answers.promise;
    return new Response(null, { status: 204 });
  });
  await using at = await scene("senders", `http://127.0.0.1:${receiver.addr.port}/hook`);
  const { first, second, message } = at;
  const transport = createTransport({ clock: systemClock });
  const errors: unknown[] = [];
  let claims = 0;
  const senderOf = (storage: PostgresStorage) => {
    const commits: Pick<CommitQueue, "commit"> = {
      commit: async (entry) => (await storage.commitBatch([entry]))[0]!,
    };
    return new WebhookSender({
      webhooks: storage.webhooks,
      commits: commits as CommitQueue,
      shared: {
        async claim(message) {
          // Both have found it due before either claims it.
          if (++claims === 2) both.resolve();
          await both.promise;
          return await storage.sharedMessages.claim(message);
        },
      },
      transport,
      clock: systemClock,
      allowsPrivate: true,
      later: () => () => {},
      onEvent: () => {},
      onError: (error) => errors.push(error),
    });
  };
  const both = Promise.withResolvers<void>();
  const senders = [senderOf(first), senderOf(second)];
  for (const sender of senders) sender.wake();
  await asked.promise;
  for (const sender of senders) sender.wake();
  answers.resolve();
  await until(
    "it to be delivered",
    async () => (await first.webhooks.find(message.id))?.state === "delivered",
  );
  await Promise.all(senders.map((sender) => sender.stop()));
  transport.close();
  assert.deepEqual([received, errors], [1, []]);
});
