/**
 * Whose work batches are, in a real database: of sessions that live, have ended, or were never noted.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Batch } from "../../../src/domain/batch.ts";
import {
  openPostgresStorage,
  type PostgresStorage,
} from "../../../src/storage/postgres/postgres_storage.ts";
import { sampleBatch } from "../../conformance/storage_batches_suite.ts";
import { commitOne, fundProject, NOON_ISH } from "../../conformance/storage_samples.ts";
import {
  NEEDS_POSTGRES,
  type PostgresServer,
  startPostgres,
} from "../../support/postgres_server.ts";

const DATABASE = "batches";
let server: PostgresServer;
let first: PostgresStorage;
let second: PostgresStorage;

Deno.test.beforeAll(async () => {
  if (NEEDS_POSTGRES.ignore) return;
  server = await startPostgres();
  await server.create(DATABASE);
  const url = server.url(DATABASE);
  first = await openPostgresStorage({ url });
  second = await openPostgresStorage({ url });
  await first.beginSession();
  await second.beginSession();
  // Whoever begins one without a name ends the others: here both live.
  await server.ask(DATABASE, "UPDATE node_sessions SET state = 'live'");
  await fundProject(first, 1_000n);
});

Deno.test.afterAll(async () => {
  await first?.close();
  await second?.close();
  await server?.[Symbol.asyncDispose]();
});

/** A batch of the first node. */
async function made(letter: string, changes: Partial<Batch> = {}): Promise<Batch> {
  const batch = sampleBatch({ id: `batch_${letter.repeat(26)}`, ...changes });
  await commitOne(first, { kind: "create_batch", batch });
  return batch;
}

/** Has every batch end, so that the next test begins with none. */
async function endAll(): Promise<void> {
  for (const batch of await first.batches.open()) {
    const ended = { ...batch, status: "failed", endedAt: NOON_ISH + 99 } as const;
    await commitOne(second, { kind: "finish_batch", batch: ended, files: [] });
  }
}

const ids = (batches: readonly (string | { readonly id: string })[]) =>
  batches.map((one) => typeof one === "string" ? one : one.id);

Deno.test(
  "a batch is the work of who made it, until its session has ended",
  NEEDS_POSTGRES,
  async () => {
    const { id } = await made("a");
    assert.deepEqual(ids(await first.sharedBatches.own()), [id]);
    assert.deepEqual(ids(await second.sharedBatches.own()), []);
    assert.deepEqual(ids(await second.sharedBatches.left()), []);
    await second.sharedBatches.adopt([id]);
    assert.deepEqual(ids(await second.sharedBatches.own()), [], "nobody takes a living one's");

    const whose = `WHERE session_id = (SELECT session_id FROM batches WHERE id = '${id}')`;
    await server.ask(DATABASE, `UPDATE node_sessions SET state = 'dead' ${whose}`);
    assert.deepEqual(ids(await second.sharedBatches.left()), [id]);
    await second.sharedBatches.adopt([id]);
    assert.deepEqual(ids(await second.sharedBatches.own()), [id]);
    assert.deepEqual(ids(await second.sharedBatches.left()), []);
    await server.ask(DATABASE, "UPDATE node_sessions SET state = 'live'");
    await endAll();
    assert.deepEqual(ids(await second.sharedBatches.own()), []);
  },
);

Deno.test(
  "a batch without a session is left once nobody is there who notes none",
  NEEDS_POSTGRES,
  async () => {
    const { id } = await made("b");
    await server.ask(DATABASE, `UPDATE batches SET session_id = NULL WHERE id = '${id}'`);
    const known = await server.ask(DATABASE, "SELECT max(schema_version) FROM node_beats");
    await server.ask(DATABASE, "UPDATE node_beats SET schema_version = 14");
    assert.deepEqual(ids(await second.sharedBatches.left()), []);
    await server.ask(DATABASE, `UPDATE node_beats SET schema_version = ${known}`);
    assert.deepEqual(ids(await second.sharedBatches.left()), [id]);
    await endAll();
  },
);

Deno.test(
  "what one node cancels stays cancelled, whatever the one that works on it writes",
  NEEDS_POSTGRES,
  async () => {
    const batch = await made("c");
    await commitOne(second, { kind: "cancel_batch", batchId: batch.id, at: NOON_ISH + 7 });
    assert.deepEqual(await first.sharedBatches.cancelled(), [batch.id]);
    assert.deepEqual(await second.sharedBatches.cancelled(), []);
    await commitOne(first, { kind: "change_batch", batch: { ...batch, total: 3 } });
    const stored = await second.batches.find(batch.id);
    assert.deepEqual(stored, {
      ...batch,
      total: 3,
      status: "cancelling",
      cancellingAt: NOON_ISH + 7,
    });
    const ended = { ...batch, status: "completed", endedAt: NOON_ISH + 9 } as const;
    await commitOne(first, { kind: "finish_batch", batch: ended, files: [] });
    assert.deepEqual(await second.batches.find(batch.id), ended, "it had ended before it heard");
    assert.deepEqual(await first.sharedBatches.cancelled(), []);
  },
);

Deno.test("open batches and bytes are counted over all nodes", NEEDS_POSTGRES, async () => {
  await made("d");
  await made("e");
  assert.equal(await second.sharedBatches.openCount("acme"), 2);
  assert.equal(await second.sharedBatches.openCount("none"), 0);
  const usage = { inputTokens: 10, cachedTokens: 4, outputTokens: 5, reasoningTokens: 1 };
  const [one, other] = (await first.batches.open()).map(({ id }) => id);
  for (const line of [1, 2]) {
    const done = { batchId: one!, line, isFailed: line === 2, text: "{}", usage };
    await commitOne(first, { kind: "put_batch_line", line: done });
  }
  const counts = await second.sharedBatches.counts([one!, other!]);
  assert.deepEqual([...counts], [[one, {
    completed: 1,
    failed: 1,
    usage: { inputTokens: 20, cachedTokens: 8, outputTokens: 10, reasoningTokens: 2 },
  }]]);
  await commitOne(first, {
    kind: "create_upload",
    file: {
      id: `file-${"a".repeat(26)}`,
      projectId: "acme",
      purpose: "batch",
      filename: "a",
      bytes: 40,
      sha256: "0".repeat(64),
      createdAt: NOON_ISH,
      expiresAt: undefined,
    },
  });
  assert.equal(await second.sharedBatches.fileBytes("acme", 1_000), 40);
  assert.equal(await second.sharedBatches.fileBytes("none", 1_000), 0);
});
