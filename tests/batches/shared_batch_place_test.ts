/**
 * Files of batches between a bucket and a folder, and what becomes of them when a batch has ended.
 *
 * @module
 */

import assert from "node:assert/strict";
import { SharedBatchPlace } from "../../src/batches/shared_batch_place.ts";
import { BatchState } from "../../src/batches/batch_state.ts";
import type { UploadedFile } from "../../src/domain/uploaded_file.ts";
import { isDiskFull } from "../../src/files/disk_full.ts";
import { S3Bucket } from "../../src/objects/s3_bucket.ts";
import { UploadBucket } from "../../src/uploads/upload_bucket.ts";
import { UploadFiles } from "../../src/uploads/upload_files.ts";
import { sampleBatch } from "../conformance/storage_batches_suite.ts";
import { FakeS3 } from "../support/fake_s3.ts";

const BATCH = sampleBatch();
const OTHER = sampleBatch({ id: `batch_${"b".repeat(26)}` });
const TEXT = "a line\n";
const WAITING = { signal: new AbortController().signal, hasDiskFor: () => true };

/** A folder, a bucket with an input in it, and rows that a test may change. */
async function scene() {
  const stack = new AsyncDisposableStack();
  const s3 = stack.use(await FakeS3.start());
  const folder = await Deno.makeTempDir({ prefix: "tollgate-place-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const access = {
    endpoint: s3.endpoint,
    region: "us-east-1",
    keys: () => ({ accessKeyId: "AKIAFAKE", secretAccessKey: "secret" }),
  };
  const store = new S3Bucket({ bucket: "films", access });
  const bucket = new UploadBucket({ store, quick: store, prefix: "p/" });
  const files = new UploadFiles(folder);
  const path = `${folder}/sent`;
  await Deno.writeTextFile(path, TEXT);
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(TEXT));
  const facts = { bytes: TEXT.length, sha256: new Uint8Array(hash).toHex() };
  const objectKey = await bucket.put(path, { id: BATCH.inputFileId, ...facts });
  await Deno.remove(path);
  const input: UploadedFile = {
    ...facts,
    ...{ id: BATCH.inputFileId, projectId: "acme", purpose: "batch", filename: "a" },
    ...{ createdAt: 1, expiresAt: undefined, objectKey },
  };
  const rows = new Map([[input.id, input]]);
  const options = { uploads: { find: (id: string) => Promise.resolve(rows.get(id)) }, files };
  return {
    rows,
    input,
    folder,
    place: new SharedBatchPlace({ ...options, bucket, keepsInBucket: true }),
    lone: new SharedBatchPlace({ ...options, bucket: undefined, keepsInBucket: false }),
    names: () => [...Deno.readDirSync(folder)].map(({ name }) => name),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

Deno.test("an input is there as long as any batch reads it, and is fetched once", async () => {
  await using at = await scene();
  const { place, input } = at;
  await Promise.all([place.bring(BATCH, WAITING), place.bring(OTHER, WAITING)]);
  assert.deepEqual(at.names(), [input.id]);
  assert.equal(await Deno.readTextFile(`${at.folder}/${input.id}`), TEXT);
  await place.clear(BATCH);
  assert.deepEqual(at.names(), [input.id]);
  await place.clear(OTHER);
  assert.deepEqual(at.names(), []);
});

Deno.test("an input that was deleted meanwhile goes with the batch that read it", async () => {
  await using at = await scene();
  const { place, rows } = at;
  await place.bring(BATCH, WAITING);
  rows.clear();
  await place.clear(BATCH);
  assert.deepEqual(at.names(), []);
  await assert.rejects(place.bring(BATCH, WAITING), Deno.errors.NotFound);
});

Deno.test("nothing is fetched without room for it, or for nobody", async () => {
  await using at = await scene();
  const { place, input } = at;
  const asked: number[] = [];
  const hasDiskFor = (bytes: number) => {
    asked.push(bytes);
    return false;
  };
  await assert.rejects(place.bring(BATCH, { ...WAITING, hasDiskFor }), isDiskFull);
  assert.deepEqual(asked, [input.bytes]);
  const signal = AbortSignal.abort();
  await assert.rejects(place.bring(BATCH, { ...WAITING, signal }), { name: "AbortError" });
  assert.deepEqual(at.names(), []);
  await place.bring(BATCH, WAITING);
  assert.deepEqual(at.names(), [input.id]);
});

Deno.test("a batch is gone on with where its files are or can be had", async () => {
  await using at = await scene();
  const { place, lone, rows, folder } = at;
  assert.equal(await place.canGoOn(BATCH), true);
  assert.equal(await lone.canGoOn(BATCH), false, "another process has its input");
  const begun = { ...BATCH, outputBytes: 5 };
  assert.equal(await place.canGoOn(begun), false, "another process has what it has written");
  await Deno.writeTextFile(`${folder}/${BATCH.outputFileId}`, "12345");
  assert.equal(await place.canGoOn(begun), true);
  rows.clear();
  assert.equal(await lone.canGoOn(BATCH), true, "nobody has its input: it ends");
});

Deno.test("a batch whose end is written though nobody answered has ended", async () => {
  const ended = { ...BATCH, status: "completed", endedAt: 9 } as const;
  const state = new BatchState(
    BATCH,
    {
      shared: {},
      folder: "/nowhere",
      batches: { find: () => Promise.resolve(ended) },
      commits: {
        commit: () => Promise.resolve({ ok: false, reason: "missing", message: "ended" }),
      },
      onError: (error: unknown) => assert.fail(String(error)),
    } as unknown as ConstructorParameters<typeof BatchState>[1],
  );
  await state.change(() => ({ total: 9 }));
  assert.deepEqual(state.batch, ended);
});
