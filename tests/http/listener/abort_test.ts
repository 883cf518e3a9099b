/**
 * When a request's signal fires, and when it does not.
 *
 * @module
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { aborted, GET, serve } from "../../support/listener_bench.ts";
import type { ResetOrder } from "../../support/reset_connections_worker.ts";

const encoder = new TextEncoder();

Deno.test("request.signal fires when the client leaves while the answer is pending", async () => {
  const seen = Promise.withResolvers<AbortSignal>();
  const release = Promise.withResolvers<void>();
  let bodyCancelled = false;
  using bench = serve(async (request) => {
    await request.text();
    seen.resolve(request.signal);
    await release.promise;
    return new Response(new ReadableStream({ cancel: () => void (bodyCancelled = true) }));
  });
  const socket = await bench.connect();
  await socket.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi");
  const signal = await seen.promise;
  assert.equal(signal.aborted, false);
  socket.conn.close();
  assert.match((await aborted(signal)).message, /client closed/);
  release.resolve();
  await bench.listener.drain();
  assert.equal(bodyCancelled, true, "the body of an answer that comes too late is let go");
  assert.deepEqual(bench.errors, []);
});

Deno.test("request.signal fires and the source is cancelled when the client leaves a stream", async () => {
  const cancelled = Promise.withResolvers<unknown>();
  const signals: AbortSignal[] = [];
  using bench = serve((request) => {
    signals.push(request.signal);
    return new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(encoder.encode("data: 1\n\n")),
        cancel: (reason) => cancelled.resolve(reason),
      }),
      { headers: { "content-type": "text/event-stream" } },
    );
  });
  const socket = await bench.connect();
  await socket.send(GET);
  await socket.readThrough("data: 1\n\n");
  socket.conn.close();
  assert.equal((await cancelled.promise as Error).name, "AbortError");
  assert.equal(signals[0]!.aborted, true);
  await bench.listener.drain();
  assert.deepEqual(bench.errors, []);
});

Deno.test("request.signal does not fire for answers that were sent", async () => {
  const signals: AbortSignal[] = [];
  let ended = 0;
  using bench = serve(async (request) => {
    signals.push(request.signal);
    await request.text();
    if (request.url.endsWith("plain")) return new Response("x");
    return new Response(
      new ReadableStream({
        async pull(controller) {
          await Promise.resolve();
          controller.enqueue(encoder.encode("abc"));
          controller.close();
          ended++;
        },
        cancel: () => assert.fail("a finished stream is not cancelled"),
      }, { highWaterMark: 0 }),
      { headers: request.url.endsWith("sized") ? { "content-length": "3" } : {} },
    );
  });
  for (const path of ["/plain", "/sized", "/chunked"]) {
    const socket = await bench.connect();
    await socket.send(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await socket.readResponse();
    socket.conn.close();
  }
  await bench.listener.drain();
  assert.equal(ended, 2);
  assert.deepEqual(signals.map((signal) => signal.aborted), [false, false, false]);
});

Deno.test("request.signal does not fire when the client leaves with all the bytes it was promised", async () => {
  const signals: AbortSignal[] = [];
  const pulled = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let ended = false;
  using bench = serve((request) => {
    signals.push(request.signal);
    let parts = 0;
    return new Response(
      new ReadableStream({
        async pull(controller) {
          if (parts++ === 0) return controller.enqueue(encoder.encode("abc"));
          pulled.resolve();
          await release.promise;
          ended = true;
          controller.close();
        },
        cancel: () => assert.fail("its source is to end by itself"),
      }, { highWaterMark: 0 }),
      { headers: { "content-length": "3" } },
    );
  });
  const socket = await bench.connect();
  await socket.send(GET);
  assert.equal((await socket.readResponse()).body, "abc");
  await pulled.promise;
  socket.conn.close();
  // A connection made later than that one was closed has been served: so its end has been seen.
  const other = await bench.connect();
  await other.send("BAD\r\n\r\n");
  await other.readToEnd();
  other.conn.close();
  release.resolve();
  await bench.listener.drain();
  assert.equal(ended, true);
  assert.deepEqual(signals.map((signal) => signal.aborted), [false]);
  assert.deepEqual(bench.errors, []);
});

Deno.test("listen() passes over connections that were reset before it accepted them", async () => {
  using bench = serve(() => new Response("ok"));
  const worker = new Worker(new URL("../../support/reset_connections_worker.ts", import.meta.url));
  await once(worker, "message");
  const done = new Int32Array(new SharedArrayBuffer(4));
  const { port } = bench.listener.address as Deno.NetAddr;
  worker.postMessage({ port, connections: 20, done } satisfies ResetOrder);
  // This thread accepts nothing as long as it waits here.
  assert.equal(Atomics.wait(done, 0, 0), "ok");
  await worker.terminate();

  const socket = await bench.connect();
  await socket.send(GET);
  assert.equal((await socket.readResponse()).status, 200);
  assert.deepEqual(bench.errors, [], "what failed was theirs alone: nobody waits for it");
});
