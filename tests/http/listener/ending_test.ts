/**
 * How answers that fail and listeners that stop come to their end.
 *
 * @module
 */
import assert from "node:assert/strict";
import { listen } from "../../../src/http/listener.ts";
import type { RequestHandler } from "../../../src/http/listener/contract.ts";
import { LeanResponse } from "../../../src/http/listener/lean_response.ts";
import { GET, serve } from "../../support/listener_bench.ts";
import { RawSocket } from "../../support/raw_socket.ts";

const encoder = new TextEncoder();

Deno.test("listen() answers a plain 500 when the handler fails", async (t) => {
  const handlers: readonly [name: string, handler: RequestHandler][] = [
    [
      "by a header that would make a second one",
      () => LeanResponse.make("x", { headers: { "x-a": "b\r\nx-c: d" } }),
    ],
    ["by throwing", () => {
      throw new Error("secret");
    }],
    ["by rejecting", () => Promise.reject(new Error("secret"))],
    ["by returning nothing", () => undefined as unknown as Response],
    [
      "by a body that fails at once",
      () => new Response(new ReadableStream({ pull: () => Promise.reject(new Error("secret")) })),
    ],
    [
      "by a body of strings",
      () =>
        new Response(
          new ReadableStream({ start: (c) => c.enqueue("text" as unknown as Uint8Array) }),
        ),
    ],
    ["by a body that is read already", () => {
      const response = new Response("x");
      response.body!.getReader();
      return response;
    }],
  ];
  for (const [name, handler] of handlers) {
    await t.step(name, async () => {
      using bench = serve(handler);
      const socket = await bench.connect();
      for (let turn = 1; turn <= 2; turn++) {
        await socket.send(GET);
        const { status, headers, body } = await socket.readResponse();
        assert.equal(status, 500);
        assert.equal(headers.get("content-type"), "application/json");
        assert.deepEqual(JSON.parse(body), {
          error: {
            message: "Internal error",
            type: "server_error",
            param: null,
            code: "internal_error",
          },
        });
        assert.equal(bench.errors.length, turn);
      }
    });
  }
});

Deno.test("listen() does not finish an answer whose body fails on the way", async (t) => {
  const failing = () =>
    new ReadableStream({
      start: (controller) => controller.enqueue(encoder.encode("abc")),
      async pull() {
        await Promise.resolve();
        throw new Error("upstream died");
      },
    }, { highWaterMark: 1 });
  const bodies: readonly [name: string, respond: () => Response][] = [
    [
      "chunked",
      () => new Response(failing(), { headers: { "content-type": "text/event-stream" } }),
    ],
    ["shorter than declared", () => new Response("abc", { headers: { "content-length": "5" } })],
  ];
  for (const [name, respond] of bodies) {
    await t.step(name, async () => {
      using bench = serve(respond);
      const socket = await bench.connect();
      await socket.send(GET);
      const { text } = await socket.readToEnd();
      assert.match(text, /abc/);
      assert.doesNotMatch(text, /0\r\n\r\n$/);
      assert.equal(bench.errors.length, 1);
      assert.match((bench.errors[0] as Error).message, /upstream died|ended early: 3 of 5 bytes/);
    });
  }
  await t.step("longer than declared", async () => {
    using bench = serve(() => new Response("abcdef", { headers: { "content-length": "5" } }));
    const socket = await bench.connect();
    await socket.send(GET);
    assert.equal((await socket.readResponse()).status, 500);
  });
});

Deno.test("drain() closes idle connections, lets answers finish and accepts no more", async () => {
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  using bench = serve(async (request) => {
    if (!request.url.endsWith("slow")) return new Response("x");
    started.resolve();
    await release.promise;
    assert.equal(request.signal.aborted, false);
    return new Response("slow");
  });
  const silent = await bench.connect();
  const idle = await bench.connect();
  await idle.send(GET);
  await idle.readResponse();
  const slow = await bench.connect();
  await slow.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  await started.promise;

  let drained = false;
  const draining = bench.listener.drain().then(() => void (drained = true));
  assert.equal((await idle.readToEnd()).text, "");
  assert.equal((await silent.readToEnd()).text, "");
  await assert.rejects(RawSocket.connect(bench.listener.address), Deno.errors.ConnectionRefused);
  assert.equal(drained, false);
  release.resolve();
  const { text } = await slow.readToEnd();
  assert.match(text, /connection: close\r\n/);
  assert.match(text, /\r\n\r\nslow$/);
  await draining;
  assert.equal(bench.listener.openConnections, 0);
});

Deno.test("drain() ends a connection whose stream was under way when it began", async () => {
  let finish!: () => void;
  using bench = serve(() =>
    new Response(
      new ReadableStream({
        start(controller) {
          finish = () => controller.close();
        },
      }),
    )
  );
  const socket = await bench.connect();
  await socket.send(GET);
  await socket.readThrough("\r\n\r\n");
  const draining = bench.listener.drain();
  finish();
  assert.equal((await socket.readToEnd()).text, "0\r\n\r\n");
  await draining;
});

Deno.test("close() ends everything at once", async () => {
  const seen = Promise.withResolvers<AbortSignal>();
  using bench = serve((request) => {
    seen.resolve(request.signal);
    return new Promise((resolve) =>
      request.signal.addEventListener("abort", () => resolve(new Response()))
    );
  });
  const socket = await bench.connect();
  await socket.send(GET);
  const signal = await seen.promise;
  bench.listener.close();
  assert.equal((await socket.readToEnd()).text, "");
  assert.equal(signal.aborted, true);
  await bench.listener.drain();
});

Deno.test("listen() serves a unix socket that only its owner can reach", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/control.sock`;
    const mask = Deno.umask();
    const listener = listen((_request, info) => new Response(info.remoteAddress), {
      unixPath: path,
    });
    assert.equal(Deno.umask(), mask);
    assert.deepEqual(listener.address, { transport: "unix", path });
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    using socket = await RawSocket.connect(listener.address);
    await socket.send(GET);
    assert.equal((await socket.readResponse()).body, "unix");
    assert.throws(() => listen(() => new Response(), { unixPath: path }), Deno.errors.AddrInUse);
    await listener.drain();
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("listen() leaves what other threads make meanwhile to its owner", async () => {
  const folder = await Deno.makeTempDir();
  const masks: number[] = [];
  const real = Deno.umask;
  Deno.umask = (mask) => {
    if (mask !== undefined) masks.push(mask);
    return real(mask);
  };
  try {
    const listener = listen(() => new Response(), { unixPath: `${folder}/control.sock` });
    await listener.drain();
    assert.equal(masks.length, 2);
    for (const mask of masks) assert.equal(mask & 0o700, 0);
  } finally {
    Deno.umask = real;
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("drain() does not wait for what clients still send after their answer", async () => {
  using bench = serve(() => new Response("no", { status: 413 }));
  const socket = await bench.connect();
  await socket.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n");
  assert.match(await socket.readThrough("\r\n\r\nno"), /413/);
  await bench.listener.drain();
  await socket.readToEnd();
});
