/**
 * Whom the listener cuts off, and that it outlives the loss of all descriptors.
 *
 * @module
 */
import assert from "node:assert/strict";
import { aborted, GET, serve } from "../../support/listener_bench.ts";
import { RawSocket } from "../../support/raw_socket.ts";

const encoder = new TextEncoder();

Deno.test("listen() closes connections that do not send a whole head in time", async (t) => {
  const limits = { headerTimeoutMs: 60, keepAliveMs: 60_000 };
  for (
    const [name, sent] of [["nothing", ""], ["half a head", "GET / HTTP/1.1\r\nHo"], [
      "empty lines",
      "\r\n\r\n",
    ]]
  ) {
    await t.step(name!, async () => {
      using bench = serve(() => assert.fail("there is no request"), limits);
      const socket = await bench.connect();
      await socket.send(sent!);
      assert.deepEqual(await socket.readToEnd(), { text: "", reset: false });
      await bench.listener.drain();
      assert.equal(bench.listener.openConnections, 0);
    });
  }
  await t.step("half a second head", async () => {
    using bench = serve(() => new Response("x"), limits);
    const socket = await bench.connect();
    await socket.send(GET);
    await socket.readResponse();
    await socket.send("GET / HTTP/1.1\r\nHo");
    assert.equal((await socket.readToEnd()).text, "");
  });
});

Deno.test("listen() closes connections that stay idle, and only those", async () => {
  const release = Promise.withResolvers<void>();
  using bench = serve(async (request) => {
    if (request.url.endsWith("slow")) await release.promise;
    return new Response("x");
  }, { keepAliveMs: 60, headerTimeoutMs: 60_000 });
  const slow = await bench.connect();
  await slow.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  const idle = await bench.connect();
  await idle.send(GET);
  await idle.readResponse();
  assert.deepEqual(await idle.readToEnd(), { text: "", reset: false });
  release.resolve();
  assert.equal((await slow.readResponse()).body, "x");
});

Deno.test("listen() cuts bodies that come too slowly", async (t) => {
  for (
    const [name, head] of [
      ["of known length", "Content-Length: 100000\r\n\r\nabc"],
      ["in chunks", "Transfer-Encoding: chunked\r\n\r\n400\r\nabc"],
      ["in chunks, between two", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"],
    ]
  ) {
    await t.step(name!, async () => {
      const failure = Promise.withResolvers<Error>();
      using bench = serve(async (request) => {
        try {
          await request.text();
        } catch (error) {
          failure.resolve(error as Error);
          assert.equal(request.signal.aborted, true);
        }
        return new Response("late");
      }, { bodySilenceMs: 50, bodyMinBytesPerSecond: 1024 });
      const socket = await bench.connect();
      await socket.send(`POST / HTTP/1.1\r\nHost: a\r\n${head}`);
      assert.equal((await socket.readToEnd()).text, "");
      assert.equal((await failure.promise).name, "BodyTooSlowError");
      assert.deepEqual(bench.errors, []);
    });
  }
  for (const [name, later] of [["is silent", ""], ["trickles", "x"]]) {
    await t.step(`also one that came fast at first and then ${name}`, async () => {
      const failure = Promise.withResolvers<Error>();
      using bench = serve(async (request) => {
        await request.text().catch(failure.resolve);
        return new Response("late");
      }, { bodySilenceMs: 50, bodyMinBytesPerSecond: 1024 });
      const socket = await bench.connect();
      await socket.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n");
      // By the mean of all its time this pays for an hour.
      await socket.send(new Uint8Array(4_000_000));
      const ended = socket.readToEnd();
      let isCut = false;
      failure.promise.then(() => isCut = true);
      while (later !== "" && !isCut) {
        await socket.send(later!).catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      assert.equal((await failure.promise).name, "BodyTooSlowError");
      assert.equal((await ended).text, "");
    });
  }
  await t.step("but not one that the handler is slow to read", async () => {
    const release = Promise.withResolvers<void>();
    using bench = serve(async (request) => {
      await release.promise;
      return new Response(await request.text());
    }, { bodySilenceMs: 400, bodyMinBytesPerSecond: 1024, keepAliveMs: 60_000 });
    const socket = await bench.connect();
    await socket.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab");
    // Another connection that is cut shows that the limit has had its time.
    const other = serve((request) => request.text().then(() => new Response()), {
      bodySilenceMs: 600,
    });
    const slow = await other.connect();
    await slow.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab");
    await slow.readToEnd();
    other[Symbol.dispose]();
    release.resolve();
    await socket.send("cd");
    assert.equal((await socket.readResponse()).body, "abcd");
  });
});

Deno.test("listen() cuts clients that stop reading", async (t) => {
  await t.step("a large body", async () => {
    const signal = Promise.withResolvers<AbortSignal>();
    using bench = serve((request) => {
      signal.resolve(request.signal);
      return new Response(new Uint8Array(20_000_000));
    }, { stalledReaderMs: 60 });
    const socket = await bench.connect();
    await socket.send(GET);
    assert.equal((await aborted(await signal.promise)).name, "TimeoutError");
    assert.deepEqual(bench.errors, []);
  });
  await t.step("a stream: its source is cancelled, and was not drained before", async () => {
    let parts = 0;
    const cancelled = Promise.withResolvers<Error>();
    using bench = serve((request) =>
      new Response(
        new ReadableStream({
          pull(controller) {
            parts++;
            controller.enqueue(new Uint8Array(64 * 1024));
          },
          cancel: (reason) => {
            assert.equal(request.signal.aborted, true);
            cancelled.resolve(reason);
          },
        }, { highWaterMark: 0 }),
      ), { stalledReaderMs: 60 });
    const socket = await bench.connect();
    await socket.send(GET);
    assert.equal((await cancelled.promise).name, "TimeoutError");
    // What fits into the two sockets' own buffers (4 to 6 MB each at most), and no more.
    assert.ok(parts < 250, `${parts} parts were taken`);
    assert.deepEqual(bench.errors, []);
  });
  await t.step("not a stream that has nothing to say", async () => {
    let push!: (text: string) => void;
    using bench = serve(() =>
      new Response(
        new ReadableStream({
          start(controller) {
            push = (text) => controller.enqueue(encoder.encode(text));
          },
        }),
        { headers: { "content-type": "text/event-stream" } },
      ), { stalledReaderMs: 20 });
    const quiet = await bench.connect();
    await quiet.send(GET);
    await quiet.readThrough("\r\n\r\n");
    using other = serve(() => new Response(new Uint8Array(20_000_000)), { stalledReaderMs: 60 });
    const stalled = await other.connect();
    await stalled.send(GET);
    await stalled.readThrough("\r\n\r\n");
    await other.listener.drain(); // ends when the stalled one is cut
    push("still here");
    await quiet.readThrough("still here");
  });
});

Deno.test("listen() answers early, without a reset, while the client still sends", async () => {
  using bench = serve(() => new Response("too large", { status: 413 }));
  const socket = await bench.connect();
  await socket.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 67108864\r\n\r\n");
  const part = new Uint8Array(1024 * 1024);
  for (let sent = 0; sent < 64; sent++) await socket.send(part);
  const { text, reset } = await socket.readToEnd();
  assert.match(text, /^HTTP\/1\.1 413 [^]*connection: close\r\n[^]*\r\n\r\ntoo large$/);
  assert.equal(reset, false);
  assert.deepEqual(bench.errors, []);
});

for (const bound of ["maxConnections", "maxPerAddress"]) {
  Deno.test(`listen() lets whoever waits longest make way for a newcomer (${bound})`, async () => {
    using bench = serve(() => new Response("x"), { [bound]: 3, headerTimeoutMs: 3_600_000 });
    const ask = async (socket: RawSocket) => {
      await socket.send(GET);
      await socket.readResponse();
    };
    const silent = await bench.connect();
    const half = await bench.connect();
    await half.send("GET / HTTP/1.1\r\nHo");
    const idle = await bench.connect();
    await ask(idle);
    const first = await bench.connect();
    await ask(first);
    assert.deepEqual(await silent.readToEnd(), { text: "", reset: false });
    await ask(await bench.connect());
    assert.deepEqual(await half.readToEnd(), { text: "", reset: false });
    for (const stayed of [idle, first]) await ask(stayed);
    assert.equal(bench.listener.openConnections, 3);
  });
}

for (const bound of ["maxConnections", "maxPerAddress"]) {
  Deno.test(`listen() closes no connection in use for a flood of new ones (${bound})`, async () => {
    using bench = serve(() => new Response("x"), { [bound]: 8, headerTimeoutMs: 3_600_000 });
    const ask = async (socket: RawSocket) => {
      await socket.send(GET);
      await socket.readResponse();
    };
    const pooled = [await bench.connect(), await bench.connect(), await bench.connect()];
    for (const socket of pooled) await ask(socket);
    const flood: RawSocket[] = [];
    for (let i = 0; i < 24; i++) flood.push(await bench.connect());
    for (const socket of flood.slice(0, 19)) assert.equal((await socket.readToEnd()).text, "");
    for (const socket of pooled) await ask(socket);
    await ask(await bench.connect());
    assert.equal(bench.listener.openConnections, 8);
  });
}

Deno.test("listen() lets a newcomer ask where all others have been served", async () => {
  using bench = serve(() => new Response("x"), { maxConnections: 8 });
  const ask = async (socket: RawSocket) => {
    await socket.send(GET);
    await socket.readResponse();
  };
  for (let i = 0; i < 8; i++) await ask(await bench.connect());
  // Two at the same time: the second one does not take the first one's place.
  const newcomers = [await bench.connect(), await bench.connect()];
  for (const socket of newcomers) await ask(socket);
  assert.equal(bench.listener.openConnections, 8);
});

Deno.test("listen() closes a newcomer where all connections are being served, and recovers", async () => {
  const release = Promise.withResolvers<void>();
  const bothServed = Promise.withResolvers<void>();
  let served = 0;
  using bench = serve(async () => {
    if (++served === 2) bothServed.resolve();
    await release.promise;
    return new Response("x");
  }, { maxConnections: 2 });
  const sockets = [await bench.connect(), await bench.connect()];
  for (const socket of sockets) await socket.send(GET);
  await bothServed.promise;
  const third = await bench.connect();
  assert.equal((await third.readToEnd()).text, "");
  assert.equal(bench.listener.openConnections, 2);
  release.resolve();
  for (const socket of sockets) await socket.readResponse();
  sockets[0]!.conn.close();
  for (;;) {
    const socket = await bench.connect();
    try {
      await socket.send(GET);
      await socket.readResponse();
      break;
    } catch {
      // The listener has not seen yet that one has left.
    }
  }
  await sockets[1]!.send(GET);
  assert.equal((await sockets[1]!.readResponse()).body, "x");
});

for (const bound of ["maxConnections", "maxPerAddress"]) {
  Deno.test(`listen() lets nobody make way for callers that have left, though their requests go on (${bound})`, async () => {
    const release = Promise.withResolvers<void>();
    let left = 0;
    let allLeft = () => {};
    using bench = serve(async (request) => {
      if (new URL(request.url).pathname === "/quick") return new Response("x");
      request.signal.addEventListener("abort", () => ++left === 2 && allLeft());
      await release.promise;
      return new Response("late");
    }, { [bound]: 3, keepAliveMs: 3_600_000 });
    const ask = async (socket: RawSocket) => {
      await socket.send("GET /quick HTTP/1.1\r\nHost: a\r\n\r\n");
      await socket.readResponse();
    };
    const idle = await bench.connect();
    await ask(idle);
    const whenLeft = new Promise<void>((resolve) => allLeft = resolve);
    for (let leaver = 0; leaver < 2; leaver++) {
      const socket = await bench.connect();
      await socket.send(GET);
      socket.conn.close();
    }
    await whenLeft;
    await ask(await bench.connect());
    await ask(await bench.connect());
    await ask(idle);
    release.resolve();
  });
}

for (const maxConnections of ["unlimited", "100"]) {
  Deno.test(`a process out of descriptors goes on working, with connections ${maxConnections}`, {
    ignore: Deno.build.os === "windows",
  }, async () => {
    const program = new URL("../../support/listener_child.ts", import.meta.url).pathname;
    const child = new Deno.Command("bash", {
      args: [
        "-c",
        'ulimit -n 256 && exec "$0" run --no-config --allow-net --allow-read "$1" "$2"',
        Deno.execPath(),
        program,
        maxConnections,
      ],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const address: Deno.NetAddr = {
      transport: "tcp",
      hostname: "127.0.0.1",
      port: Number((await output.read()).value),
    };
    const sockets: RawSocket[] = [];
    try {
      using busy = await RawSocket.connect(address);
      const head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n";
      await busy.send(`${head}Expect: 100-continue\r\n\r\n`);
      await busy.readThrough("\r\n\r\n"); // its handler runs
      for (let count = 0; count < 400; count++) sockets.push(await RawSocket.connect(address));
      if (maxConnections === "unlimited") {
        assert.equal((await output.read()).value, "EMFILE\n");
      }
      await busy.send("x");
      // Opens 50 files: the connections do not have all the descriptors.
      assert.equal((await busy.readResponse()).body, "50 files");

      for (const socket of sockets) socket.conn.close();
      let answer: string | undefined;
      while (answer !== "50 files") {
        using socket = await RawSocket.connect(address);
        await socket.send(`${head}Connection: close\r\n\r\nx`);
        // Until the closed ones are noticed there may be no place for this one.
        answer = await socket.readResponse().then(({ body }) => body, () => undefined);
      }
    } finally {
      await child.stdin.close(); // tells it to end
      assert.equal((await child.status).code, 0);
      await output.cancel();
    }
  });
}
