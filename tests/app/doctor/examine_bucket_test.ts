import assert from "node:assert/strict";
import { examineBucket } from "../../../src/app/doctor/examine_bucket.ts";
import { filmBucketOf } from "../../../src/app/films/film_bucket.ts";
import { systemClock } from "../../../src/domain/clock.ts";
import { parseS3Url } from "../../../src/domain/s3_address.ts";
import type { UploadedFile } from "../../../src/domain/uploaded_file.ts";
import type { VideoTask } from "../../../src/domain/video_task.ts";
import { FakeS3 } from "../../support/fake_s3.ts";
import { newVideoTask } from "../../support/video_parts.ts";

const [ONE, OTHER, HERE] = ["a", "b", "c"].map((letter) => `video_${letter.repeat(26)}`);

function completed(id: string, key: string | undefined): VideoTask {
  const file = { bytes: 1, sha256: "0".repeat(64), hasThumbnail: false, key };
  return { ...newVideoTask(1, {}), id, status: "completed", file };
}

Deno.test("doctor tries the bucket out and tells which films it lacks", async () => {
  await using s3 = await FakeS3.start();
  const tasks = [
    completed(ONE!, `${ONE}/1.mp4`),
    completed(OTHER!, `${OTHER}/2.mp4`),
    completed(HERE!, undefined),
  ];
  const FILE = `file-${"a".repeat(26)}`;
  const upload = {
    id: FILE,
    projectId: "shop",
    purpose: "batch",
    filename: "asked.jsonl",
    bytes: 1,
    sha256: "0".repeat(64),
    createdAt: 1,
    expiresAt: undefined,
  } as const;
  const uploads: UploadedFile[] = [];
  const stores = {
    videos: { list: () => Promise.resolve(tasks) },
    uploads: { slice: () => Promise.resolve(uploads) },
  };
  const filmBucket = {
    settings: { ...parseS3Url(s3.url)!, redirects: false },
    access: {
      endpoint: undefined,
      region: "us-east-1",
      keys: () => ({ accessKeyId: "AKIAFAKE", secretAccessKey: "secret" }),
    },
  };
  const { store, prefix } = filmBucketOf(filmBucket);
  const source = {
    bytes: 1,
    sha256: "0".repeat(64),
    read: () => Promise.resolve(new Uint8Array([1])),
  };
  await store.put(`${prefix}${ONE}/1.mp4`, source);
  await store.put(`${prefix}${OTHER}/1.mp4`, source);
  const patient = { filmBucket, clock: systemClock, isOffline: false };
  const [missing] = await examineBucket(patient, stores);
  assert.equal(missing!.status, "warning");
  assert.match(missing!.detail, new RegExp(`^1 missing or cut short in s3://films/.*: ${OTHER}$`));
  await store.put(`${prefix}${OTHER}/2.mp4`, source);
  const [fine] = await examineBucket(patient, stores);
  assert.deepEqual([fine!.status, fine!.detail.slice(-18)], ["ok", "has all of 2 films"]);
  uploads.push(upload, { ...upload, id: `file-${"b".repeat(26)}`, objectKey: `files/${FILE}/1` });
  const [lost] = await examineBucket(patient, stores);
  assert.match(lost!.detail, new RegExp(`^1 missing or cut short in s3://films/.*: ${FILE}$`));
  await store.put(`${prefix}files/${FILE}/1`, source);
  const [both] = await examineBucket(patient, stores);
  assert.deepEqual([both!.status, both!.detail.slice(-30)], [
    "ok",
    "has all of 2 films and 1 files",
  ]);
  uploads.length = 0;
  const asked = s3.asked.length;
  assert.deepEqual(await examineBucket({ ...patient, isOffline: true }, stores), []);
  assert.equal(s3.asked.length, asked);
  s3.fault = () => ({ status: 403, code: "AccessDenied" });
  const [refused] = await examineBucket(patient, stores);
  assert.equal(refused!.status, "problem");
  assert.match(refused!.detail, /AccessDenied/);
  const nowhere = { ...patient, filmBucket: undefined };
  const [unset] = await examineBucket(nowhere, stores);
  assert.deepEqual([unset!.status, unset!.detail], [
    "problem",
    "2 films are in a bucket, and none is set",
  ]);
  assert.deepEqual(await examineBucket({ ...nowhere, server: {} }, stores), []);
  assert.deepEqual(
    await examineBucket(nowhere, {
      ...stores,
      videos: { list: () => Promise.resolve([]) },
    }),
    [],
  );
});
