import assert from "node:assert/strict";
import type { UploadedFile } from "../../src/domain/uploaded_file.ts";
import type { VideoTask } from "../../src/domain/video_task.ts";
import { S3Bucket } from "../../src/objects/s3_bucket.ts";
import { BucketSweep } from "../../src/objects/bucket_sweep.ts";
import { uploadObjects } from "../../src/uploads/upload_objects.ts";
import { filmObjects } from "../../src/videos/keep/film_objects.ts";
import { FakeS3 } from "../support/fake_s3.ts";
import { newVideoTask } from "../support/video_parts.ts";

const DAY_MS = 86_400_000;
const FILE = { bytes: 1, sha256: "0".repeat(64), hasThumbnail: true };

const UPLOAD: Omit<UploadedFile, "id"> = {
  projectId: "shop",
  purpose: "batch",
  filename: "asked.jsonl",
  bytes: 1,
  sha256: FILE.sha256,
  createdAt: 1,
  expiresAt: undefined,
};

function idOf(letter: string): string {
  return `video_${letter.repeat(26)}`;
}

Deno.test("BucketSweep removes what is a day old and nothing names, and nothing else", async () => {
  await using s3 = await FakeS3.start();
  const access = {
    endpoint: s3.endpoint,
    region: "us-east-1",
    keys: () => ({ accessKeyId: "AKIAFAKE", secretAccessKey: "secret" }),
  };
  const store = new S3Bucket({ bucket: "films", access });
  const one = new Uint8Array([1]);
  const source = { bytes: 1, sha256: "1".repeat(64), read: () => Promise.resolve(one) };
  const [done, open, failed, gone, removed] = ["a", "b", "c", "d", "e"].map(idOf);
  const tasks = new Map<string, VideoTask>([
    [done!, {
      ...newVideoTask(1, {}),
      status: "completed",
      attempt: 2,
      file: { ...FILE, key: `${done}/2.mp4` },
    }],
    [open!, { ...newVideoTask(2, {}), status: "in_progress", attempt: 3 }],
    [failed!, { ...newVideoTask(3, {}), status: "failed" }],
    [removed!, {
      ...newVideoTask(4, {}),
      status: "completed",
      file: { ...FILE, key: `${removed}/1.mp4` },
      fileRemovedAt: 5,
    }],
  ]);
  const [kept, lost, elsewhere] = ["a", "b", "c"].map((letter) => `file-${letter.repeat(26)}`);
  const objectOf = (id: string | undefined, letter: string) => `files/${id}/${letter.repeat(8)}`;
  const files = new Map<string, UploadedFile>([
    [kept!, { ...UPLOAD, id: kept!, objectKey: objectOf(kept, "a") }],
    [elsewhere!, { ...UPLOAD, id: elsewhere! }],
  ]);
  const needed = [
    objectOf(kept, "a"),
    `${done}/2.mp4`,
    `${done}/2.webp`,
    `${open}/3.mp4`,
    `${open}/input`,
  ];
  const unneeded = [
    `${done}/1.mp4`,
    `${done}/input`,
    `${open}/2.mp4`,
    `${failed}/input`,
    `${gone}/1.mp4`,
    `${removed}/1.mp4`,
    `${removed}/1.webp`,
    objectOf(kept, "b"),
    objectOf(lost, "a"),
    objectOf(elsewhere, "a"),
  ];
  const foreign = ["tollgate-owner", `${gone}/notes.txt`, "video_short/1.mp4", "files/notes"];
  for (const name of [...needed, ...unneeded, ...foreign]) await store.put(`p/${name}`, source);
  const others = "elsewhere/";
  await store.put(`${others}${gone}/1.mp4`, source);
  s3.uploads.set("old", {
    key: `p/${gone}/9.mp4`,
    sha256: undefined,
    parts: new Map(),
    begunAt: 0,
  });
  s3.uploads.set("theirs", { key: "p/notes", sha256: undefined, parts: new Map(), begunAt: 0 });
  s3.uploads.set("new", {
    key: `p/${open}/3.mp4`,
    sha256: undefined,
    parts: new Map(),
    begunAt: Date.now(),
  });
  let now = Date.now();
  const sweep = new BucketSweep({
    ...{ store, prefix: "p/", clock: { now: () => now } },
    kinds: [
      filmObjects({ find: (id) => Promise.resolve(tasks.get(id)) }),
      uploadObjects({ find: (id) => Promise.resolve(files.get(id)) }),
    ],
    onSwept: () => {},
    onError: (error) => {
      throw error;
    },
  });
  s3.uploads.get("old")!.begunAt = now - DAY_MS - 1_000;
  assert.deepEqual(await sweep.sweep(), { objects: 0, uploads: 1 });
  now += DAY_MS + 60_000;
  s3.uploads.get("new")!.begunAt = now;
  assert.deepEqual(await sweep.sweep(), { objects: unneeded.length, uploads: 0 });
  assert.deepEqual(
    [...s3.objects.keys()].sort(),
    [...[...needed, ...foreign].map((name) => `p/${name}`), `${others}${gone}/1.mp4`].sort(),
  );
  assert.deepEqual([...s3.uploads.keys()], ["theirs", "new"]);
});
