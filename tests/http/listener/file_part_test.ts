/**
 * Downloads through the listener: what becomes of the file, whatever becomes of the client.
 *
 * @module
 */
import assert from "node:assert/strict";
import { FilePart } from "../../../src/http/listener/file_part.ts";
import { LeanResponse } from "../../../src/http/listener/lean_response.ts";
import type { RequestHandler } from "../../../src/http/listener/contract.ts";
import { aborted, GET, serve } from "../../support/listener_bench.ts";
import {
  answering,
  countDescriptors,
  type FileOnDisk,
  storeFile,
  untilClosed,
} from "../../support/stored_file.ts";

const ASK = "GET /film HTTP/1.1\r\nHost: a\r\n\r\n";
/** Several times what the sockets of both sides hold, so that a client that pauses is felt. */
const LARGE = 48 * 1024 * 1024 + 7;
/** Some pieces of the sender's buffer and a rest. */
const MIDDLING = 3 * 1024 * 1024 + 7;
const linuxOnly = { ignore: Deno.build.os !== "linux" };

function urlOf(address: Deno.NetAddr | Deno.UnixAddr): string {
  return `http://127.0.0.1:${(address as Deno.NetAddr).port}/film`;
}

async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

Deno.test("listen() sends one file to 50 clients at a time, byte for byte", linuxOnly, async () => {
  await using stored = await storeFile(MIDDLING);
  const { file, content } = stored;
  using bench = serve(answering(file));
  const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  try {
    await Promise.all(Array.from({ length: 50 }, async (_, index) => {
      const start = index % 5 === 0 ? index : 0;
      const headers: HeadersInit = start > 0 ? { range: `bytes=${start}-` } : {};
      const response = await fetch(urlOf(bench.listener.address), { client, headers });
      assert.equal(await digest(await response.bytes()), await digest(content.slice(start)));
    }));
  } finally {
    client.close();
  }
  await untilClosed(file.path);
  assert.deepEqual(bench.errors, []);
});

Deno.test("listen() closes the file when the download ends early", linuxOnly, async (t) => {
  await using stored = await storeFile(LARGE);
  const { file } = stored;
  const handler = answering(file);

  await t.step("because the client leaves", async () => {
    const signals: AbortSignal[] = [];
    using bench = serve((request, info) => {
      signals.push(request.signal);
      return handler(request, info);
    });
    const socket = await bench.connect();
    await socket.send(ASK);
    await socket.readExactly(100_000);
    assert.ok(await countDescriptors(file.path) > 0); // two while a read is under way
    socket.conn.close();
    assert.equal((await aborted(signals[0]!)).name, "AbortError");
    await untilClosed(file.path);
    await bench.listener.drain();
    assert.deepEqual(bench.errors, []);
  });

  await t.step("because the client reads no more", async () => {
    using bench = serve(handler, { stalledReaderMs: 60 });
    const socket = await bench.connect();
    await socket.send(ASK);
    await socket.readThrough("\r\n\r\n");
    await untilClosed(file.path);
    await bench.listener.drain();
    assert.deepEqual(bench.errors, []);
  });

  await t.step("because the server closes", async () => {
    using bench = serve(handler);
    const socket = await bench.connect();
    await socket.send(ASK);
    await socket.readThrough("\r\n\r\n");
    bench.listener.close();
    await untilClosed(file.path);
    assert.deepEqual(bench.errors, []);
  });

  await t.step("because the client is gone before the answer is there", async () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const answered = Promise.withResolvers<void>();
    using bench = serve(async (request, info) => {
      asked.resolve(request.signal);
      await aborted(request.signal);
      const response = await handler(request, info);
      assert.ok(await countDescriptors(file.path) > 0); // two while a read is under way
      answered.resolve();
      return response;
    });
    const socket = await bench.connect();
    await socket.send(ASK);
    await asked.promise;
    socket.conn.close();
    await answered.promise;
    await untilClosed(file.path);
    assert.deepEqual(bench.errors, []);
  });
});

Deno.test(
  "listen() closes the file of an answer whose head cannot be written",
  linuxOnly,
  async () => {
    await using stored = await storeFile(10);
    using bench = serve(() => partOf(stored, { "x-a": "b\r\nx-c: d" }));
    const socket = await bench.connect();
    await socket.send(GET);
    assert.equal((await socket.readResponse()).status, 500);
    assert.equal(bench.errors.length, 1);
    await untilClosed(stored.file.path);
  },
);

Deno.test("listen() sends the length of a file and no byte of it to HEAD", linuxOnly, async () => {
  await using stored = await storeFile(10);
  using bench = serve(() => partOf(stored, {}));
  const socket = await bench.connect();
  await socket.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  const head = await socket.readResponse({ bodyless: true });
  assert.equal(head.headers.get("content-length"), "10");
  await socket.send(GET);
  assert.equal((await socket.readResponse()).headers.get("content-length"), "10");
  await untilClosed(stored.file.path);
});

function partOf({ file }: FileOnDisk, headers: Record<string, string>): Response {
  const part = new FilePart(Deno.openSync(file.path), { start: 0, length: file.bytes });
  return LeanResponse.make(part, { headers });
}

Deno.test("listen() finishes a download whose file is removed meanwhile", linuxOnly, async () => {
  await using stored = await storeFile(LARGE);
  const { file, content } = stored;
  using bench = serve(answering(file));
  const response = await fetch(urlOf(bench.listener.address));
  await Deno.remove(file.path);
  assert.equal(await digest(await response.bytes()), await digest(content));
  const later = await fetch(urlOf(bench.listener.address));
  assert.equal(later.status, 404);
  await later.body?.cancel();
  await untilClosed(file.path);
});

Deno.test("listen() breaks the connection when a file turns out too short", linuxOnly, async () => {
  await using stored = await storeFile(LARGE);
  const { file } = stored;
  using bench = serve(answering(file));
  const socket = await bench.connect();
  await socket.send(ASK);
  assert.match(await socket.readThrough("\r\n\r\n"), new RegExp(`content-length: ${LARGE}\r\n`));
  const left = LARGE - 16 * 1024 * 1024;
  await Deno.truncate(file.path, left);
  const { text } = await socket.readToEnd();
  assert.equal(text.length, left, "what is left, and nothing that could pass for an end");
  assert.equal(bench.errors.length, 1);
  assert.match(
    (bench.errors[0] as Error).message,
    new RegExp(`file ended early: ${left} of ${LARGE} bytes`),
  );
  await untilClosed(file.path);
});

Deno.test("listen() lets a client go on where its download was cut", linuxOnly, async (t) => {
  await using stored = await storeFile(MIDDLING);
  const { file, content } = stored;
  const ranges: (string | null)[] = [];
  const handler: RequestHandler = (request, info) => {
    ranges.push(request.headers.get("range"));
    return answering(file)(request, info);
  };
  await t.step("by its validator", async () => {
    using bench = serve(handler);
    const socket = await bench.connect();
    await socket.send(ASK);
    const head = await socket.readThrough("\r\n\r\n");
    const first = await socket.readExactly(1_000_000);
    socket.conn.close();
    const rest = await fetch(urlOf(bench.listener.address), {
      headers: { range: "bytes=1000000-", "if-range": /etag: (.*)\r\n/.exec(head)![1]! },
    });
    assert.equal(rest.status, 206);
    const bytes = new Uint8Array(MIDDLING);
    bytes.set(Uint8Array.from(first, (character) => character.charCodeAt(0)));
    bytes.set(await rest.bytes(), 1_000_000);
    assert.equal(await digest(bytes), await digest(content));
  });
  await t.step({
    name: "with curl",
    ignore: !await hasCurl() && Deno.env.get("CI") !== "true",
    async fn() {
      using bench = serve(handler);
      const copy = `${file.path}.copy`;
      await Deno.writeFile(copy, content.subarray(0, 123_457));
      const { success } = await new Deno.Command("curl", {
        args: ["--silent", "--show-error", "--continue-at", "-", "--output", copy].concat(
          urlOf(bench.listener.address),
        ),
      }).output();
      assert.equal(success, true);
      assert.equal(ranges.at(-1), "bytes=123457-");
      assert.equal(await digest(await Deno.readFile(copy)), await digest(content));
    },
  });
  await untilClosed(file.path);
});

async function hasCurl(): Promise<boolean> {
  try {
    return (await new Deno.Command("curl", { args: ["--version"] }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

Deno.test("drain() waits for a download and ends its connection", linuxOnly, async () => {
  await using stored = await storeFile(LARGE);
  using bench = serve(answering(stored.file));
  const socket = await bench.connect();
  await socket.send(ASK);
  await socket.readThrough("\r\n\r\n");
  let drained = false;
  const draining = bench.listener.drain().then(() => void (drained = true));
  await socket.readExactly(1_000_000);
  assert.equal(drained, false);
  const { text } = await socket.readToEnd();
  assert.equal(text.length, LARGE - 1_000_000);
  await draining;
  await untilClosed(stored.file.path);
});

Deno.test("downloaded() waits for files, not for streams", linuxOnly, async () => {
  await using stored = await storeFile(LARGE);
  const ended = Promise.withResolvers<void>();
  const stream = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("data: 1\n\n"));
        void ended.promise.then(() => controller.close());
      },
    });
  using bench = serve((request, info) =>
    request.url.endsWith("/film") ? answering(stored.file)(request, info) : new Response(stream())
  );
  const reader = await bench.connect();
  await reader.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  await reader.readThrough("data: 1");
  const socket = await bench.connect();
  await socket.send(ASK);
  await socket.readThrough("\r\n\r\n");

  let drained = false;
  let downloaded = false;
  const draining = bench.listener.drain().then(() => void (drained = true));
  const downloading = bench.listener.downloaded().then(() => void (downloaded = true));
  await socket.readExactly(1_000_000);
  assert.deepEqual({ downloaded, drained }, { downloaded: false, drained: false });
  await socket.readToEnd();
  await downloading;
  assert.equal(drained, false);
  ended.resolve();
  await draining;
  await reader.readToEnd();
});

Deno.test("downloaded() waits for an answer that has not begun", async () => {
  const asked = Promise.withResolvers<void>();
  const found = Promise.withResolvers<void>();
  using bench = serve(async () => {
    asked.resolve();
    await found.promise;
    return new Response("found");
  });
  const socket = await bench.connect();
  await socket.send(ASK);
  await asked.promise;
  const order: string[] = [];
  const draining = bench.listener.drain();
  const downloading = bench.listener.downloaded().then(() => void order.push("downloaded"));
  await new Promise((resolve) => setTimeout(resolve));
  order.push("found");
  found.resolve();
  assert.match((await socket.readToEnd()).text, /found$/);
  await Promise.all([downloading, draining]);
  assert.deepEqual(order, ["found", "downloaded"]);
});

Deno.test("listen() sends a file to HTTP/1.0 and closes", linuxOnly, async () => {
  await using stored = await storeFile(10);
  using bench = serve(answering(stored.file));
  const socket = await bench.connect();
  await socket.send("GET /film HTTP/1.0\r\n\r\n");
  const { text } = await socket.readToEnd();
  assert.match(text, /content-length: 10\r\n/);
  assert.equal(text.split("\r\n\r\n")[1]!.length, 10);
});
