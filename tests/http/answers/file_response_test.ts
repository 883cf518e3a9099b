/**
 * Stored files over the real listener: which answer which conditions and ranges get.
 *
 * @module
 */

import assert from "node:assert/strict";
import { FileMissingError, fileResponse } from "../../../src/http/answers/file_response.ts";
import { serve } from "../../support/listener_bench.ts";
import type { RawResponse, RawSocket } from "../../support/raw_socket.ts";
import { answering, storeFile, untilClosed } from "../../support/stored_file.ts";

const BYTES = 1000;
const ETAG = '"abc-1"';
const SAME = "Fri, 02 Jan 2026 03:04:05 GMT";
const BEFORE = "Fri, 02 Jan 2026 03:04:04 GMT";
const AFTER = "Fri, 02 Jan 2026 03:04:06 GMT";

async function ask(
  socket: RawSocket,
  headers: readonly string[],
  method = "GET",
): Promise<RawResponse> {
  const lines = headers.map((line) => `${line}\r\n`).join("");
  await socket.send(`${method} /film HTTP/1.1\r\nHost: a\r\n${lines}\r\n`);
  return await socket.readResponse({ bodyless: method === "HEAD" || method === "304" });
}

/** A request's headers, and the status and bytes (first, how many) that it must get. */
type Case = readonly [
  headers: readonly string[],
  status: 200 | 206 | 304 | 412 | 416,
  part?: readonly [start: number, length: number],
];

const CASES: readonly Case[] = [
  [[], 200],
  [["Range: bytes=0-0"], 206, [0, 1]],
  [["Range: bytes=10-19"], 206, [10, 10]],
  [["Range: bytes=990-"], 206, [990, 10]],
  [["Range: bytes=0-"], 206, [0, 1000]],
  [["Range: bytes=990-5000"], 206, [990, 10]],
  [["Range: bytes=-7"], 206, [993, 7]],
  [["Range: bytes=-5000"], 206, [0, 1000]],
  [["Range: bytes=1000-"], 416],
  [["Range: bytes=-0"], 416],
  [["Range: bytes=5-3"], 200],
  [["Range: bytes=0-1,5-6"], 200],
  [["Range: bytes=0-1", "Range: bytes=5-6"], 200],
  [["Range: pages=0-1"], 200],

  [[`If-Range: ${ETAG}`], 200],
  [["Range: bytes=1-2", `If-Range: ${ETAG}`], 206, [1, 2]],
  [["Range: bytes=1-2", 'If-Range: "other"'], 200],
  [["Range: bytes=1-2", `If-Range: W/${ETAG}`], 200],
  [["Range: bytes=1-2", "If-Range: abc-1"], 200],
  [["Range: bytes=1-2", `If-Range: ${SAME}`], 206, [1, 2]],
  [["Range: bytes=1-2", `If-Range: ${BEFORE}`], 200],
  [["Range: bytes=1-2", `If-Range: ${AFTER}`], 200],
  [["Range: bytes=1000-", 'If-Range: "other"'], 200],
  [["Range: bytes=1000-", `If-Range: ${ETAG}`], 416],

  [[`If-None-Match: ${ETAG}`], 304],
  [[`If-None-Match: W/${ETAG}`], 304],
  [['If-None-Match: "x", W/"y,z" ,"abc-1"'], 304],
  [['If-None-Match: "x"', `If-None-Match: ${ETAG}`], 304],
  [["If-None-Match: *"], 304],
  [['If-None-Match: "abc"'], 200],
  [['If-None-Match: "abc-1 "'], 200],
  [["If-None-Match: abc-1"], 200],
  [["Range: bytes=1-2", `If-None-Match: ${ETAG}`], 304],
  [["Range: bytes=1000-", `If-None-Match: ${ETAG}`], 304],

  [[`If-Modified-Since: ${SAME}`], 304],
  [[`If-Modified-Since: ${AFTER}`], 304],
  [[`If-Modified-Since: ${BEFORE}`], 200],
  [["If-Modified-Since: 2099-01-01"], 200],
  [[`If-Modified-Since: ${AFTER}`, 'If-None-Match: "x"'], 200],
  [[`If-Modified-Since: ${BEFORE}`, `If-None-Match: ${ETAG}`], 304],

  [[`If-Match: ${ETAG}`], 200],
  [[`If-Match: "x", ${ETAG}`], 200],
  [["If-Match: *"], 200],
  [['If-Match: "x"'], 412],
  [[`If-Match: W/${ETAG}`], 412],
  [["Range: bytes=1-2", `If-Match: ${ETAG}`], 206, [1, 2]],
  [["Range: bytes=1000-", 'If-Match: "x"'], 412],
  [['If-Match: "x"', `If-None-Match: ${ETAG}`], 412],
  [[`If-Match: ${ETAG}`, `If-None-Match: ${ETAG}`], 304],

  [[`If-Unmodified-Since: ${SAME}`], 200],
  [[`If-Unmodified-Since: ${AFTER}`], 200],
  [[`If-Unmodified-Since: ${BEFORE}`], 412],
  [["If-Unmodified-Since: yesterday"], 200],
  [[`If-Unmodified-Since: ${BEFORE}`, `If-Match: ${ETAG}`], 200],
  [[`If-Unmodified-Since: ${BEFORE}`, `If-None-Match: ${ETAG}`], 412],
];

Deno.test("fileResponse() weighs conditions and ranges as RFC 9110 says", async (t) => {
  await using stored = await storeFile(BYTES);
  using bench = serve(answering(stored.file));
  const socket = await bench.connect(); // one for all: each answer must end where it says
  for (const [headers, status, part] of CASES) {
    await t.step(`${headers.join(", ") || "no condition"} → ${status}`, async () => {
      const response = await ask(socket, headers);
      assert.equal(response.status, status);
      assert.equal(response.headers.get("x-request-id"), "req_1");
      if (status === 200 || status === 206) checkSent(response, stored.content, part);
      else if (status === 304) checkNotModified(response);
      else checkRefusal(response, status);
    });
  }
  await untilClosed(stored.file.path);
  assert.deepEqual(bench.errors, []);
});

function checkSent(
  { headers, body }: RawResponse,
  content: Uint8Array,
  part: readonly [number, number] | undefined,
): void {
  const [start, length] = part ?? [0, BYTES];
  // As RawSocket reads: one character for each byte.
  assert.ok(
    body === String.fromCharCode(...content.subarray(start, start + length)),
    "other bytes",
  );
  assert.equal(headers.get("content-length"), String(length));
  assert.equal(
    headers.get("content-range"),
    part === undefined ? undefined : `bytes ${start}-${start + length - 1}/${BYTES}`,
  );
  assert.equal(headers.get("content-type"), "video/mp4");
  assert.equal(headers.get("accept-ranges"), "bytes");
  assert.equal(headers.get("etag"), ETAG);
  assert.equal(headers.get("last-modified"), SAME);
  assert.equal(headers.get("cache-control"), "private, no-cache");
  assert.equal(headers.has("transfer-encoding"), false);
}

function checkNotModified({ headers, body }: RawResponse): void {
  assert.equal(body, "");
  assert.equal(headers.get("etag"), ETAG);
  assert.equal(headers.get("last-modified"), SAME);
  assert.equal(headers.get("cache-control"), "private, no-cache");
  for (const name of ["content-length", "content-type", "content-range", "transfer-encoding"]) {
    assert.equal(headers.has(name), false, name);
  }
}

function checkRefusal({ headers, body }: RawResponse, status: 412 | 416): void {
  const { error } = JSON.parse(body);
  assert.equal(error.code, status === 416 ? "range_not_satisfiable" : "precondition_failed");
  assert.equal(error.type, "invalid_request_error");
  assert.equal(error.param, null);
  assert.equal(headers.get("content-type"), "application/json");
  assert.equal(
    headers.get("content-range"),
    status === 416 ? `bytes */${BYTES}` : undefined,
  );
  assert.equal(headers.has("etag"), false);
}

Deno.test("fileResponse() answers HEAD with the head that GET has", async (t) => {
  await using stored = await storeFile(BYTES);
  const { file } = stored;
  const handlers = { "through Hono": answering(file), "directly": plain };
  function plain(request: Request): Promise<Response> {
    return fileResponse(request, file, "req_1");
  }
  for (const [name, handler] of Object.entries(handlers)) {
    await t.step(name, async () => {
      using bench = serve(handler);
      const socket = await bench.connect();
      const head = await ask(socket, [], "HEAD");
      const whole = await ask(socket, []); // on the same connection: no byte of a body was sent
      assert.equal(head.status, 200);
      assert.equal(head.headers.get("content-length"), String(BYTES));
      assert.deepEqual(withoutDate(head), withoutDate(whole));

      const ranged = await ask(socket, ["Range: bytes=1-2"], "HEAD");
      assert.equal(ranged.status, 200, "a range is of GET alone");
      assert.equal(ranged.headers.get("content-length"), String(BYTES));
      assert.equal(ranged.headers.has("content-range"), false);

      const same = await ask(socket, [`If-None-Match: ${ETAG}`], "HEAD");
      assert.equal(same.status, 304);
      assert.equal(same.headers.has("content-length"), false);
      assert.equal((await ask(socket, ["Range: bytes=-1"])).body.length, 1);
      assert.deepEqual(bench.errors, []);
    });
  }
  await t.step("of a refusal without a false length", async () => {
    using bench = serve(answering(file));
    const socket = await bench.connect();
    const refused = await ask(socket, ['If-Match: "x"'], "HEAD");
    assert.equal(refused.status, 412);
    assert.notEqual(refused.headers.get("content-length"), "0");
    assert.equal((await ask(socket, [])).status, 200);
  });
  await untilClosed(file.path);
});

function withoutDate({ headers }: RawResponse): [string, string][] {
  return [...headers].filter(([name]) => name !== "date").sort();
}

Deno.test("fileResponse() sends an empty file", async () => {
  await using stored = await storeFile(0);
  using bench = serve(answering(stored.file));
  const socket = await bench.connect();
  for (const headers of [[], ["Range: bytes=-5"]]) {
    const { status, headers: got, body } = await ask(socket, headers);
    assert.deepEqual([status, got.get("content-length"), body], [200, "0", ""]);
  }
  const { status, headers } = await ask(socket, ["Range: bytes=0-"]);
  assert.deepEqual([status, headers.get("content-range")], [416, "bytes */0"]);
  await untilClosed(stored.file.path);
});

Deno.test("fileResponse() rejects before the head when the file is not what was stored", async (t) => {
  await using stored = await storeFile(BYTES);
  const { file } = stored;
  const request = new Request("http://a/film", { headers: { "if-none-match": "*" } });
  await t.step("gone: so that the route answers 404, whatever the conditions", async () => {
    const gone = { ...file, path: `${file.path}.gone` };
    await assert.rejects(fileResponse(request, gone, "req_1"), FileMissingError);
    using bench = serve(answering(gone));
    const socket = await bench.connect();
    assert.equal((await ask(socket, ["If-None-Match: *"])).status, 404);
    assert.equal((await ask(socket, ["Range: bytes=5000-"], "HEAD")).status, 404);
  });
  const otherSizes = { shorter: BYTES + 1, longer: BYTES - 1 };
  for (const [name, bytes] of Object.entries(otherSizes)) {
    await t.step(name, async () => {
      const changed = { ...file, bytes };
      await assert.rejects(fileResponse(request, changed, "req_1"), /changed since it was stored/);
      using bench = serve(answering(changed));
      const response = await ask(await bench.connect(), []);
      assert.equal(response.status, 500);
      assert.doesNotMatch(response.body, /film\.mp4/);
    });
  }
  await t.step("a folder", async () => {
    const folder = { ...file, path: file.path.replace(/\/[^/]*$/, "") };
    await assert.rejects(fileResponse(request, folder, "req_1"), /no file of 1000 bytes/);
  });
  await untilClosed(file.path);
});
