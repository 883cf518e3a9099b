/**
 * Objects in a bucket of a real server: whole or not there, in parts where they are long.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { ObjectSource } from "../../src/objects/object_store.ts";
import { NEEDS_S3, startS3Server } from "../support/s3_server.ts";

const MIB = 1024 ** 2;

function source(bytes: Uint8Array<ArrayBuffer>): ObjectSource {
  return {
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    read: (offset, length) => Promise.resolve(bytes.slice(offset, offset + length)),
  };
}

Deno.test("objects short and long are put, read, listed and deleted", NEEDS_S3, async () => {
  await using server = await startS3Server();
  const { bucket } = server;
  const objects = new Map([
    ["a/empty", new Uint8Array()],
    ["a/short", new Uint8Array(randomBytes(1_000))],
    ["a/long", new Uint8Array(randomBytes(11 * MIB + 7))],
    ["b/with space & <mark> + é", new Uint8Array([1])],
  ]);
  const seen: string[] = [];
  for (const [key, bytes] of objects) {
    const onUpload = (id: string) => Promise.resolve(void seen.push(id));
    await bucket.put(key, source(bytes), { onUpload });
    const { body, sha256 } = (await bucket.get(key))!;
    const read = new Uint8Array(await new Response(body).arrayBuffer());
    assert.deepEqual([read.length, sha256], [bytes.length, source(bytes).sha256]);
    assert.equal(createHash("sha256").update(read).digest("hex"), sha256);
    assert.deepEqual(await bucket.head(key), { bytes: bytes.length, sha256 });
  }
  assert.equal(seen.length, 1, "only the long one goes in parts");
  assert.deepEqual(await server.uploads(), []);
  assert.deepEqual(await server.keys(), [...objects.keys()].sort());
  assert.deepEqual((await Array.fromAsync(bucket.list("a/"))).length, 3);
  assert.deepEqual(await Array.fromAsync(bucket.folders("")), ["a/", "b/"]);
  assert.deepEqual(await Array.fromAsync(bucket.folders("b")), ["b/"]);
  assert.deepEqual(await Array.fromAsync(bucket.folders("a/")), []);
  await bucket.delete("a/long");
  await bucket.delete("a/long");
  assert.equal(await bucket.head("a/long"), undefined);
  assert.equal(await bucket.get("a/long"), undefined);
});

Deno.test("a list goes on behind its first page", NEEDS_S3, async () => {
  await using server = await startS3Server();
  const { bucket } = server;
  const keys = Array.from({ length: 1_005 }, (_, at) => `many/${String(at).padStart(5, "0")}`);
  const one = source(new Uint8Array([7]));
  const waiting = [...keys];
  await Promise.all(Array.from({ length: 20 }, async () => {
    for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
      await bucket.put(key, one);
    }
  }));
  assert.deepEqual(await server.keys(), keys);
});

Deno.test("an upload that breaks off leaves no object and no parts", NEEDS_S3, async () => {
  await using server = await startS3Server();
  const { bucket } = server;
  const whole = source(new Uint8Array(randomBytes(11 * MIB)));
  let reads = 0;
  const broken: ObjectSource = {
    ...whole,
    read(offset, length) {
      if (++reads === 3) return Promise.reject(new Error("the disk is gone"));
      return whole.read(offset, length);
    },
  };
  await assert.rejects(bucket.put("film", broken), /the disk is gone/);
  assert.deepEqual([await server.keys(), await server.uploads()], [[], []]);

  // Whoever ends leaves the parts for the next start, which knows their name.
  const stop = new AbortController();
  let uploadId = "";
  await assert.rejects(
    bucket.put("film", {
      ...whole,
      read: (at, length) => (at > 0 && stop.abort(), whole.read(at, length)),
    }, {
      signal: stop.signal,
      onUpload: (id) => Promise.resolve(void (uploadId = id)),
    }),
    { name: "AbortError" },
  );
  assert.equal(await bucket.head("film"), undefined);
  assert.deepEqual(await server.uploads(), [uploadId]);
  await bucket.abandon("film", uploadId);
  assert.deepEqual(await server.uploads(), []);
  await bucket.abandon("film", uploadId);
});
