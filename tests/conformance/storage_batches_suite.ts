/**
 * The storage suite's part about uploaded files and batches.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type Batch, type BatchLine, NO_BATCH_USAGE } from "../../src/domain/batch.ts";
import type { UploadedFile } from "../../src/domain/uploaded_file.ts";
import {
  commitEach,
  commitOne,
  fundProject,
  NOON_ISH,
  sampleClosedCall,
  sampleOpenCall,
  words,
} from "./storage_samples.ts";
import type { StorageTest } from "./storage_test_case.ts";

function fileId(letter: string): string {
  return `file-${letter.repeat(26)}`;
}

function sampleFile(changes: Partial<UploadedFile> = {}): UploadedFile {
  return {
    id: fileId("a"),
    projectId: "acme",
    purpose: "batch",
    filename: "zeilen \u{1f600}.jsonl",
    bytes: 100,
    sha256: "0".repeat(64),
    createdAt: NOON_ISH,
    expiresAt: NOON_ISH + 1_000,
    objectKey: undefined,
    ...changes,
  };
}

/** A batch that is being worked on. */
export function sampleBatch(changes: Partial<Batch> = {}): Batch {
  return {
    id: `batch_${"a".repeat(26)}`,
    projectId: "acme",
    keyId: "key_1",
    endpoint: "/v1/chat/completions",
    inputFileId: fileId("a"),
    completionWindow: "24h",
    metadata: { job: "nightly" },
    outputSeconds: undefined,
    outputFileId: fileId("o"),
    errorFileId: fileId("e"),
    createdAt: NOON_ISH,
    expiresAt: NOON_ISH + 86_400_000,
    status: "in_progress",
    model: "small",
    total: 3,
    counts: { completed: 0, failed: 0, usage: NO_BATCH_USAGE },
    outputBytes: 0,
    errorBytes: 0,
    faults: [],
    inProgressAt: NOON_ISH + 1,
    cancellingAt: undefined,
    finalizingAt: undefined,
    endedAt: undefined,
    ...changes,
  };
}

function sampleLine(line: number, changes: Partial<BatchLine> = {}): BatchLine {
  return {
    batchId: sampleBatch().id,
    line,
    isFailed: false,
    text: `{"line":${line}}`,
    usage: { inputTokens: 10, cachedTokens: 4, outputTokens: 5, reasoningTokens: 1 },
    ...changes,
  };
}

/** Registers the tests about uploaded files and batches. */
export function testBatches(
  test: StorageTest,
  { forgottenRows }: { readonly forgottenRows: number },
): void {
  test("files are found, listed by their project and counted until they are deleted", async (storage) => {
    await fundProject(storage, 1_000n);
    const first = sampleFile();
    const second = sampleFile({ id: fileId("b"), purpose: "user_data", expiresAt: undefined });
    const results = await commitEach(storage, [
      { kind: "create_upload", file: first },
      { kind: "create_upload", file: second },
      { kind: "create_upload", file: first },
      { kind: "create_upload", file: sampleFile({ id: fileId("c"), projectId: "none" }) },
    ]);
    assert.deepEqual(words(results), ["ok", "ok", "conflict", "missing"]);
    const page = { projectId: "acme", purpose: undefined, after: undefined, limit: 10 } as const;
    assert.deepEqual(await storage.uploads.find(first.id), first);
    assert.deepEqual(await storage.uploads.list({ ...page, order: "desc" }), [second, first]);
    const ofAll = { ...page, projectId: undefined } as const;
    assert.deepEqual(await storage.uploads.list({ ...ofAll, order: "desc" }), [second, first]);
    assert.deepEqual(
      await storage.uploads.list({ ...ofAll, order: "asc", after: first.id }),
      [second],
    );
    assert.deepEqual(
      await storage.uploads.list({ ...page, order: "asc", after: first.id }),
      [second],
    );
    assert.deepEqual(
      await storage.uploads.list({ ...page, order: "asc", purpose: "batch" }),
      [first],
    );
    assert.deepEqual(
      await storage.uploads.list({ ...page, order: "asc", projectId: "other" }),
      [],
    );
    const elsewhere = sampleFile({ id: fileId("d"), bytes: 0, objectKey: "files/d/1" });
    await commitOne(storage, { kind: "create_upload", file: elsewhere });
    assert.deepEqual(await storage.uploads.find(elsewhere.id), elsewhere);
    assert.deepEqual(
      await storage.uploads.idsWithoutFile([first.id, elsewhere.id, fileId("z")]),
      [elsewhere.id, fileId("z")],
      "what is in a bucket is in no data dir",
    );
    await commitOne(storage, { kind: "delete_upload", fileId: elsewhere.id });
    assert.deepEqual(await storage.uploads.expired(NOON_ISH + 999, 10), []);
    assert.deepEqual(await storage.uploads.expired(NOON_ISH + 1_000, 10), [first]);
    assert.deepEqual(await storage.uploads.keptBytes(), [{ projectId: "acme", bytes: 200 }]);
    const remove = { kind: "delete_upload", fileId: first.id } as const;
    assert.deepEqual(words(await commitEach(storage, [remove, remove])), ["ok", "missing"]);
    assert.equal(await storage.uploads.find(first.id), undefined);
    assert.deepEqual(await storage.uploads.keptBytes(), [{ projectId: "acme", bytes: 100 }]);
  });

  test("batches are found and listed, newest first, and open until they have ended", async (storage) => {
    await fundProject(storage, 1_000n);
    const first = sampleBatch();
    const second = sampleBatch({ id: `batch_${"b".repeat(26)}`, metadata: undefined });
    const created = await commitEach(storage, [
      { kind: "create_batch", batch: first },
      { kind: "create_batch", batch: second },
      { kind: "create_batch", batch: first },
      { kind: "create_batch", batch: { ...first, projectId: "none" } },
    ]);
    assert.deepEqual(words(created), ["ok", "ok", "conflict", "missing"]);
    const list = { projectId: undefined, after: undefined, limit: 10 };
    assert.deepEqual(await storage.batches.list(list), [second, first]);
    assert.deepEqual(await storage.batches.list({ ...list, after: second.id }), [first]);
    assert.deepEqual(await storage.batches.list({ ...list, projectId: "other" }), []);
    assert.deepEqual(await storage.batches.open(), [first, second]);
    const ended = { ...first, status: "cancelled", endedAt: NOON_ISH + 9 } as const;
    const change = { kind: "change_batch", batch: ended } as const;
    assert.deepEqual(words(await commitEach(storage, [change, change])), ["ok", "missing"]);
    assert.deepEqual(await storage.batches.find(first.id), ended);
    assert.deepEqual(await storage.batches.open(), [second]);
  });

  test("a batch that is open is cancelled once, whatever it does then", async (storage) => {
    await fundProject(storage, 1_000n);
    const batch = sampleBatch();
    const cancel = (at: number) => ({ kind: "cancel_batch", batchId: batch.id, at }) as const;
    assert.deepEqual(
      words(
        await commitEach(storage, [
          cancel(NOON_ISH),
          { kind: "create_batch", batch },
          cancel(NOON_ISH + 5),
          cancel(NOON_ISH + 6),
        ]),
      ),
      ["missing", "ok", "ok", "ok"],
    );
    const cancelled = { ...batch, status: "cancelling", cancellingAt: NOON_ISH + 5 } as const;
    assert.deepEqual(await storage.batches.find(batch.id), cancelled);
    const ended = { ...cancelled, status: "cancelled", endedAt: NOON_ISH + 9 } as const;
    assert.deepEqual(
      words(
        await commitEach(storage, [
          { kind: "finish_batch", batch: ended, files: [] },
          cancel(NOON_ISH + 10),
        ]),
      ),
      ["ok", "missing"],
    );
    assert.deepEqual(await storage.batches.find(batch.id), ended);
  });

  test("what becomes of a line is stored once, with the end of its call or alone", async (storage) => {
    await fundProject(storage, 1_000n);
    const batch = sampleBatch();
    const failed = sampleLine(3, { isFailed: true, usage: NO_BATCH_USAGE });
    const results = await commitEach(storage, [
      { kind: "create_batch", batch },
      { kind: "hold", call: sampleOpenCall() },
      { kind: "close", call: sampleClosedCall(), batchLine: sampleLine(1) },
      { kind: "close", call: sampleClosedCall(), batchLine: sampleLine(2) },
      { kind: "put_batch_line", line: failed },
      { kind: "put_batch_line", line: sampleLine(3, { text: "another" }) },
      { kind: "put_batch_line", line: sampleLine(1, { batchId: "batch_none" }) },
    ]);
    assert.deepEqual(words(results).slice(0, 3), ["ok", "ok", "ok"]);
    // A call that is closed already brings nothing.
    assert.notEqual(words(results)[3], "ok");
    assert.deepEqual(words(results).slice(4), ["ok", "conflict", "missing"]);
    assert.deepEqual(await storage.batches.doneLines(batch.id), [1, 3]);
    assert.deepEqual(await storage.batches.counts(batch.id), {
      completed: 1,
      failed: 1,
      usage: sampleLine(1).usage,
    });
  });

  test("lines wait for their files until these have them, and are forgotten at the end", async (storage) => {
    await fundProject(storage, 1_000n);
    const batch = sampleBatch();
    const lines = [1, 2, 3].map((line) => sampleLine(line));
    await commitEach(storage, [
      { kind: "create_batch", batch },
      ...lines.map((line) => ({ kind: "put_batch_line", line }) as const),
    ]);
    const query = { batchId: batch.id, after: 0, limit: 10, mostCharacters: 1_000 };
    assert.deepEqual(await storage.batches.waitingLines(query), lines);
    assert.deepEqual(
      await storage.batches.waitingLines({ ...query, mostCharacters: 1 }),
      lines.slice(0, 1),
    );
    assert.deepEqual(await storage.batches.waitingLines({ ...query, limit: 2 }), lines.slice(0, 2));
    assert.deepEqual(await storage.batches.waitingLines({ ...query, after: 2 }), lines.slice(2));
    const written = { ...batch, outputBytes: 24 };
    await commitOne(storage, { kind: "write_batch_lines", batch: written, lines: [1, 2] });
    assert.deepEqual(await storage.batches.waitingLines(query), lines.slice(2));
    assert.deepEqual(await storage.batches.doneLines(batch.id), [1, 2, 3]);
    assert.equal((await storage.batches.find(batch.id))!.outputBytes, 24);
    const file = sampleFile({ id: batch.outputFileId, purpose: "batch_output" });
    const finish = {
      kind: "finish_batch",
      batch: { ...written, status: "completed", endedAt: NOON_ISH + 9 },
      files: [file],
    } as const;
    assert.deepEqual(words(await commitEach(storage, [finish, finish])), ["ok", "missing"]);
    assert.deepEqual(await storage.uploads.find(file.id), file);
    assert.deepEqual(await storage.batches.doneLines(batch.id), []);
    assert.deepEqual(
      words([await commitOne(storage, { kind: "write_batch_lines", batch, lines: [] })]),
      ["missing"],
    );
  });

  test("lines of a large batch are forgotten in pieces", async (storage) => {
    await fundProject(storage, 1_000n);
    const batch = sampleBatch();
    await commitOne(storage, { kind: "create_batch", batch });
    const count = 2 * forgottenRows + 1;
    const lines = Array.from({ length: count }, (_, at) => sampleLine(at + 1));
    await storage.commitBatch(lines.map((line) => ({ kind: "put_batch_line", line })));
    const left = async () => (await storage.batches.doneLines(batch.id)).length;
    const forget = { kind: "forget", answersExpiredAt: 0, messagesDoneBefore: 0 } as const;
    await commitOne(storage, forget);
    assert.equal(await left(), count, "of one that is open none is forgotten");
    const ended: Batch = { ...batch, status: "failed", endedAt: NOON_ISH + 9 };
    await commitOne(storage, { kind: "finish_batch", batch: ended, files: [] });
    assert.equal(await left(), forgottenRows + 1);
    for (const expected of [1, 0]) {
      const result = await commitOne(storage, forget);
      assert.ok(result.ok && result.hasMore);
      assert.equal(await left(), expected);
    }
    const last = await commitOne(storage, forget);
    assert.ok(last.ok && last.hasMore === false);
  });
}
