/**
 * Films in a bucket over HTTP, through the faults that buckets have.
 *
 * @module
 */

import assert from "node:assert/strict";
import { GatewayError } from "../../../src/errors.ts";
import { S3Bucket } from "../../../src/objects/s3_bucket.ts";
import { BucketFilms } from "../../../src/videos/files/bucket_films.ts";
import { ContentFiles } from "../../../src/videos/files/content_files.ts";
import type { StoredObject } from "../../../src/objects/read_back.ts";
import type { KeepOptions } from "../../../src/videos/files/film_store.ts";
import { type AskedS3, FakeS3, type S3Fault } from "../../support/fake_s3.ts";
import { newVideoTask } from "../../support/video_parts.ts";

const ID = `video_${"a".repeat(26)}`;
const TASK = { ...newVideoTask(1, {}), id: ID, attempt: 2 };
const PART_BYTES = 1_000;
const FILM = Uint8Array.from({ length: 2_500 }, (_, at) => at);
const PATIENT: KeepOptions = {
  signal: new AbortController().signal,
  hardSignal: new AbortController().signal,
  onSign: () => {},
};

async function scene({ redirects = false } = {}) {
  const s3 = await FakeS3.start();
  const folder = await Deno.makeTempDir({ prefix: "tollgate_bucket_" });
  const scratch = new ContentFiles(`${folder}/videos`);
  await scratch.prepare();
  const access = {
    endpoint: s3.endpoint,
    region: "us-east-1",
    keys: () => ({ accessKeyId: "AKIAFAKE", secretAccessKey: "secret" }),
  };
  const store = new S3Bucket({
    ...{ bucket: "films", access, partBytes: PART_BYTES },
    wait: () => Promise.resolve(),
  });
  const troubles: string[] = [];
  let waits = 0;
  const films = new BucketFilms({
    ...{ store, quick: store, prefix: "of/tests/", scratch, redirects },
    delay: () => Promise.resolve(void waits++),
    onTrouble: (error) => troubles.push(String(error)),
  });
  /** Keeps a film as an attempt does. */
  async function keep(options = PATIENT) {
    const part = await scratch.openPart(ID);
    await part.write(FILM);
    await scratch.writeThumbnail(ID, new Uint8Array([7]));
    return await films.keep(TASK, { part, hasThumbnail: true }, options);
  }
  return {
    ...{ s3, scratch, films, keep, troubles, store },
    waits: () => waits,
    names: () => [...Deno.readDirSync(scratch.folder)].map(({ name }) => name),
    async [Symbol.asyncDispose]() {
      await s3[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** The fault of the first so many requests that it fits. */
function times(
  count: number,
  fits: (asked: AskedS3) => boolean,
  fault: S3Fault,
): (asked: AskedS3) => S3Fault | undefined {
  return (asked) => fits(asked) && count-- > 0 ? fault : undefined;
}

const isPart = ({ query }: AskedS3) => query.has("partNumber");
const isComplete = ({ method, query }: AskedS3) => method === "POST" && query.has("uploadId");

async function bytesOf(object: StoredObject, span?: { start: number; length: number }) {
  return await new Response(await object.open(span)).bytes();
}

Deno.test("a film is kept under its attempt's key, with its thumbnail, and nothing stays on the disk", async () => {
  await using at = await scene();
  const file = await at.keep();
  assert.deepEqual([file.key, file.bytes, file.hasThumbnail], [`${ID}/2.mp4`, 2_500, true]);
  assert.deepEqual(at.s3.films(), [`${ID}/2.mp4`, `${ID}/2.webp`]);
  assert.deepEqual(at.names(), []);
  assert.equal(at.s3.asked.filter((one) => one.includes("partNumber")).length, 3);
  const task = { ...TASK, file };
  const film = at.films.contentOf(task, "video") as StoredObject;
  assert.equal(await film.bytes(), 2_500);
  assert.deepEqual(await bytesOf(film), FILM);
  assert.deepEqual(await bytesOf(film, { start: 1_999, length: 3 }), FILM.slice(1_999, 2_002));
  const thumbnail = at.films.contentOf(task, "thumbnail") as StoredObject;
  assert.deepEqual(await bytesOf(thumbnail), new Uint8Array([7]));
  assert.equal(at.films.placeOf(task), `s3://films/of/tests/${ID}/2.mp4`);
  await at.films.removeContent(task);
  assert.deepEqual(at.s3.films(), []);
  assert.equal(await film.open(), undefined);
});

Deno.test("whatever goes wrong on the way, what is kept in the end is the film", async () => {
  const faults: readonly (readonly [string, FakeS3["fault"]])[] = [
    ["500", times(2, isPart, { status: 500, code: "InternalError" })],
    ["503 SlowDown", times(2, isPart, { status: 503, code: "SlowDown" })],
    ["a part is cut off", times(2, isPart, "reset")],
    ["the answer of a part is lost", times(2, isPart, "lost")],
    ["the answer to the end is lost", times(1, isComplete, "lost")],
    ["all answers to the end are lost", times(9, isComplete, "lost")],
    ["the end is answered by half", times(1, isComplete, "cut")],
    ["a wrong length", times(1, ({ method }) => method === "HEAD", "short")],
    ["away for long", times(40, () => true, "reset")],
    ["no rights for a while", times(3, isPart, { status: 403, code: "AccessDenied" })],
  ];
  for (const [name, fault] of faults) {
    await using at = await scene();
    at.s3.fault = fault;
    const file = await at.keep();
    const film = at.films.contentOf({ ...TASK, file }, "video") as StoredObject;
    assert.deepEqual(await bytesOf(film), FILM, name);
    assert.deepEqual(at.s3.films(), [`${ID}/2.mp4`, `${ID}/2.webp`], name);
    assert.deepEqual([at.names(), at.films.waiting, [...at.s3.uploads]], [[], 0, []], name);
    assert.equal(at.troubles.length, at.waits() > 0 ? 1 : 0, name);
  }
});

Deno.test("an end whose answer was lost is looked up, and nothing is sent again", async () => {
  await using at = await scene();
  at.s3.fault = times(9, isComplete, "lost");
  await at.keep();
  assert.equal(at.waits(), 0);
  assert.equal(at.s3.asked.filter((one) => one.includes("partNumber")).length, 3);
});

Deno.test("an attempt that is to end does not wait for the bucket, and a part that is gone is not sent", async () => {
  await using at = await scene();
  at.s3.fault = () => "reset";
  const stop = new AbortController();
  const kept = at.keep({ ...PATIENT, signal: stop.signal });
  while (at.troubles.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.match(at.troubles[0]!, /Cannot keep the film of video_a+ yet: Cannot write s3:\/\/films/);
  stop.abort();
  await assert.rejects(kept, { name: "AbortError" });
  assert.equal(at.films.waiting, 0);

  at.s3.fault = times(1, ({ method }) => method === "PUT", { status: 403, code: "AccessDenied" });
  const part = await at.scratch.openPart(ID);
  await part.write(FILM);
  const sent = at.films.keep(TASK, { part, hasThumbnail: false }, PATIENT);
  await at.scratch.removePart(ID);
  await assert.rejects(sent, Deno.errors.NotFound);
});

Deno.test("a reference image is in the bucket, and whoever needs it while that is away is told to wait", async () => {
  await using at = await scene();
  const image = new Uint8Array([1, 2, 3]);
  await at.films.writeReference(ID, image);
  assert.deepEqual(at.s3.films(), [`${ID}/input`]);
  assert.deepEqual(await at.films.readReference(ID), image);
  await at.films.removeReference(ID);
  await assert.rejects(at.films.readReference(ID), Deno.errors.NotFound);
  // As it was when the task was created, before there was a bucket.
  await at.scratch.writeReference(ID, image);
  assert.deepEqual(await at.films.readReference(ID), image);
  await at.films.removeAll(ID);
  at.s3.fault = () => ({ status: 503, code: "SlowDown" });
  for (const ask of [() => at.films.writeReference(ID, image), () => at.films.readReference(ID)]) {
    await assert.rejects(
      ask,
      (error) => error instanceof GatewayError && error.error === "films_away",
    );
  }
});

Deno.test("everything of a task goes, and what does not answer is not asked again at once", async () => {
  await using at = await scene();
  await at.keep();
  await at.films.writeReference(ID, new Uint8Array([1]));
  await at.films.removeAll(ID);
  assert.deepEqual(at.s3.films(), []);
  at.s3.fault = () => "reset";
  await assert.rejects(at.films.removeAll(ID), /Cannot list/);
  const asked = at.s3.asked.length;
  await assert.rejects(at.films.removeAll(ID), /did not answer a moment ago/);
  assert.equal(at.s3.asked.length, asked);
});

Deno.test("another object under a film's key is not sent for it", async () => {
  await using at = await scene();
  const file = await at.keep();
  const film = at.films.contentOf({ ...TASK, file: { ...file, sha256: "0".repeat(64) } }, "video");
  await assert.rejects((film as StoredObject).open(), /is not what was put there/);
});

Deno.test("an address in the bucket works without a key, with the headers that are asked for", async () => {
  await using at = await scene({ redirects: true });
  const file = await at.keep();
  const film = at.films.contentOf({ ...TASK, file }, "video") as StoredObject;
  const link = new URL(await film.linkTo!({ "content-type": "video/mp4" }));
  assert.equal(link.searchParams.get("X-Amz-Expires"), "300");
  assert.equal(link.searchParams.get("response-content-type"), "video/mp4");
  assert.deepEqual(await (await fetch(link)).bytes(), FILM);
});
