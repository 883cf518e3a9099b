/**
 * The listening side over real sockets: what is answered, what is refused, and what is cut off.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Listener,
  type ListenerLimits,
  type RequestHandler,
} from "../../src/http/listener.ts";
import { defaultMaxConnections, listen } from "../../src/http/listener.ts";
import { RawSocket } from "../support/raw_socket.ts";

const encoder = new TextEncoder();
const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

interface Bench extends Disposable {
  readonly listener: Listener;
  readonly errors: unknown[];
  connect(): Promise<RawSocket>;
}

/** A listener on a free port that is closed, with its clients, at the end of the test. */
function serve(handler: RequestHandler, limits: Partial<ListenerLimits> = {}): Bench {
  const errors: unknown[] = [];
  const sockets: RawSocket[] = [];
  const listener = listen(handler, { limits, onError: (error) => errors.push(error) });
  return {
    listener,
    errors,
    async connect() {
      const socket = await RawSocket.connect(listener.address);
      sockets.push(socket);
      return socket;
    },
    [Symbol.dispose]() {
      listener.close();
      for (const socket of sockets) socket[Symbol.dispose]();
    },
  };
}

/** Says what it was asked, in JSON. */
async function echo(request: Request): Promise<Response> {
  return Response.json({
    method: request.method,
    url: request.url,
    body: await request.text(),
  });
}

/** Counts what reaches it. */
function counting(): { handler: RequestHandler; paths: string[] } {
  const paths: string[] = [];
  return {
    paths,
    async handler(request) {
      paths.push(new URL(request.url).pathname);
      await request.text();
      return new Response("ok");
    },
  };
}

/** An aborted signal's reason, waited for. */
function aborted(signal: AbortSignal): Promise<Error> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    else signal.addEventListener("abort", () => resolve(signal.reason), { once: true });
  });
}

Deno.test("listen() answers requests one after another on one connection", async () => {
  using bench = serve(echo);
  const socket = await bench.connect();
  await socket.send(GET);
  const first = await socket.readResponse();
  assert.equal(first.status, 200);
  assert.deepEqual(JSON.parse(first.body), { method: "GET", url: "http://a/", body: "" });
  assert.equal(first.headers.get("content-type"), "application/json");
  assert.match(first.headers.get("date") ?? "", /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
  assert.equal(first.headers.has("connection"), false);
  assert.equal(first.headers.has("vary"), false);

  await socket.send(
    "POST /a%2Fb/../c?d=1 HTTP/1.1\r\nHost: b:81\r\nContent-Length: 5\r\n\r\nhello",
  );
  assert.deepEqual(JSON.parse((await socket.readResponse()).body), {
    method: "POST",
    url: "http://b:81/a%2Fb/../c?d=1",
    body: "hello",
  });
  assert.equal(bench.listener.openConnections, 1);
  assert.deepEqual(bench.errors, []);
});

Deno.test("listen() answers pipelined requests in order", async () => {
  using bench = serve(echo);
  const socket = await bench.connect();
  await socket.send(
    "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx" +
      "POST /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nyz\r\n0\r\n\r\n" +
      "\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
  );
  for (const [url, body] of [["http://a/1", "x"], ["http://a/2", "yz"], ["http://a/3", ""]]) {
    const answer = JSON.parse((await socket.readResponse()).body);
    assert.deepEqual([answer.url, answer.body], [url, body]);
  }
});

Deno.test("listen() reads heads and bodies that come byte by byte", async () => {
  using bench = serve(echo);
  const socket = await bench.connect();
  const request = "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
    "3;ext=1\r\nabc\r\n1\r\nd\r\n0\r\nTrailer: x\r\n\r\n";
  for (const character of request) await socket.send(character);
  assert.equal(JSON.parse((await socket.readResponse()).body).body, "abcd");
});

Deno.test("listen() hands on header bytes above 127, both ways", async () => {
  using bench = serve((request) =>
    new Response("", { headers: { "x-back": request.headers.get("x-name")! } })
  );
  const socket = await bench.connect();
  await socket.send(
    Uint8Array.from("GET / HTTP/1.1\r\nHost: a\r\nX-Name: caf\xe9\r\n\r\n", (c) => c.charCodeAt(0)),
  );
  assert.equal((await socket.readResponse()).headers.get("x-back"), "caf\xe9");
});

Deno.test("listen() sends no body for HEAD, 204 and 304, and still its headers", async () => {
  const cancelled: string[] = [];
  using bench = serve((request) => {
    const { pathname } = new URL(request.url);
    const body = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(encoder.encode("x")),
        cancel: () => void cancelled.push(pathname),
      }, { highWaterMark: 0 });
    if (pathname === "/sized") return new Response(body(), { headers: { "content-length": "9" } });
    if (pathname === "/plain") return new Response("abc");
    return new Response(null, { status: Number(pathname.slice(1)) });
  });
  const socket = await bench.connect();
  const ask = async (method: string, path: string) => {
    await socket.send(`${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    return await socket.readResponse({ bodyless: method === "HEAD" });
  };
  assert.equal((await ask("HEAD", "/sized")).headers.get("content-length"), "9");
  assert.deepEqual(cancelled, ["/sized"]);
  assert.equal((await ask("HEAD", "/plain")).status, 200);
  assert.equal((await ask("GET", "/204")).headers.has("content-length"), false);
  assert.equal((await ask("GET", "/304")).status, 304);
  assert.equal((await ask("GET", "/200")).headers.get("content-length"), "0");
  assert.equal((await ask("GET", "/plain")).body, "abc");
});

Deno.test("listen() sends each part of a stream before the next is made", async () => {
  const asked: PromiseWithResolvers<void>[] = [];
  let next = Promise.withResolvers<void>();
  using bench = serve(() =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await next.promise;
          next = Promise.withResolvers();
          asked.push(next);
          controller.enqueue(encoder.encode(`data: ${asked.length}\n\n`));
          if (asked.length === 3) controller.close();
        },
      }, { highWaterMark: 0 }),
      { headers: { "content-type": "text/event-stream", "transfer-encoding": "bogus" } },
    )
  );
  const socket = await bench.connect();
  await socket.send(GET);
  // The head is there before any part is.
  assert.match(await socket.readThrough("\r\n\r\n"), /transfer-encoding: chunked\r\n/);
  for (let part = 1; part <= 3; part++) {
    next.resolve();
    assert.equal(await socket.readThrough("\n\n\r\n"), `9\r\ndata: ${part}\n\n\r\n`);
    assert.equal(asked.length, part);
  }
  assert.equal(await socket.readThrough("0\r\n\r\n"), "0\r\n\r\n");
  await socket.send(GET); // the connection goes on
  next.resolve();
  await socket.readThrough("\r\n\r\n");
});

Deno.test("listen() frames a stream with a declared length by that length", async () => {
  let turn = 0;
  using bench = serve(() =>
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(encoder.encode("abc"));
          if (++turn === 2) controller.close();
        },
      }, { highWaterMark: 0 }),
      { headers: { "content-length": "6" } },
    )
  );
  const socket = await bench.connect();
  await socket.send(GET);
  const response = await socket.readResponse();
  assert.equal(response.headers.has("transfer-encoding"), false);
  assert.equal(response.body, "abcabc");
});

Deno.test("listen() sends large bodies whole", async () => {
  const body = "0123456789".repeat(300_000);
  using bench = serve((request) =>
    request.url.endsWith("stream")
      ? new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(encoder.encode(body));
            controller.enqueue(encoder.encode("end"));
            controller.close();
          },
        }),
      )
      : new Response(body)
  );
  const socket = await bench.connect();
  await socket.send(GET);
  assert.equal((await socket.readResponse()).body, body);
  await socket.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.equal((await socket.readResponse()).body, body + "end");
});

Deno.test("listen() answers HTTP/1.0 without chunks and closes", async () => {
  let asked = 0;
  using bench = serve(() =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await Promise.resolve();
          controller.enqueue(encoder.encode("ab"));
          if (++asked === 2) controller.close();
        },
      }),
    )
  );
  const socket = await bench.connect();
  await socket.send("GET / HTTP/1.0\r\n\r\n");
  const { text } = await socket.readToEnd();
  assert.match(text, /\r\n\r\nabab$/);
  assert.doesNotMatch(text, /transfer-encoding/);
  assert.match(text, /connection: close\r\n/);
});

Deno.test("listen() closes after an answer when the client or the handler asks for it", async () => {
  using bench = serve((request) =>
    new Response("x", request.url.endsWith("close") ? { headers: { connection: "close" } } : {})
  );
  for (
    const request of [
      "GET /close HTTP/1.1\r\nHost: a\r\n\r\n",
      GET.replace("Host", "Connection: x, Close\r\nHost"),
    ]
  ) {
    const socket = await bench.connect();
    await socket.send(request);
    const { text, reset } = await socket.readToEnd();
    assert.match(text, /connection: close\r\n/);
    assert.match(text, /\r\n\r\nx$/);
    assert.equal(reset, false);
  }
});

Deno.test("listen() asks for the body only when it is read, where the client expects that", async () => {
  using bench = serve(async (request) =>
    request.url.endsWith("read")
      ? new Response(await request.text())
      : new Response("no", { status: 413 })
  );
  const reading = await bench.connect();
  const head = "HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";
  await reading.send(`POST /read ${head}`);
  assert.equal(await reading.readThrough("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  await reading.send("hi");
  assert.equal((await reading.readResponse()).body, "hi");

  const refused = await bench.connect();
  await refused.send(`POST /refuse ${head}`);
  const response = await refused.readResponse();
  assert.equal(response.status, 413);
  assert.equal(response.headers.get("connection"), "close");
  refused.conn.close();
});

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

Deno.test("listen() passes the peer's address", async () => {
  using bench = serve((_request, info) => new Response(info.remoteAddress));
  const socket = await bench.connect();
  await socket.send(GET);
  assert.equal((await socket.readResponse()).body, "127.0.0.1");
});

Deno.test("listen() refuses what two parsers could read in two ways", async (t) => {
  const smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
  const head = (lines: string, rest: string) =>
    `POST / HTTP/1.1\r\nHost: a\r\n${lines}\r\n\r\n${rest}`;
  const chunked = "Transfer-Encoding: chunked";
  const cases: readonly [name: string, bytes: string][] = [
    [
      "Content-Length before Transfer-Encoding",
      head(`Content-Length: 5\r\n${chunked}`, `0\r\n\r\n${smuggled}`),
    ],
    [
      "Transfer-Encoding before Content-Length",
      head(`${chunked}\r\nContent-Length: 50`, `0\r\n\r\n${smuggled}`),
    ],
    [
      "two Transfer-Encodings",
      head(`${chunked}\r\nTransfer-Encoding: identity`, `0\r\n\r\n${smuggled}`),
    ],
    ["an unknown coding", head("Transfer-Encoding: xchunked", `0\r\n\r\n${smuggled}`)],
    ["a list of codings", head("Transfer-Encoding: gzip, chunked", `0\r\n\r\n${smuggled}`)],
    [
      "a coding with a vertical tab",
      head("Transfer-Encoding: \x0bchunked", `0\r\n\r\n${smuggled}`),
    ],
    [
      "a space before the colon",
      head("Transfer-Encoding : chunked\r\nContent-Length: 5", `0\r\n\r\n${smuggled}`),
    ],
    ["a folded header", head("X: y\r\n Transfer-Encoding: chunked", `0\r\n\r\n${smuggled}`)],
    ["Transfer-Encoding on HTTP/1.0", `POST / HTTP/1.0\r\n${chunked}\r\n\r\n0\r\n\r\n${smuggled}`],
    ["two different lengths", head("Content-Length: 0\r\nContent-Length: 36", smuggled)],
    ["the same length twice", head("Content-Length: 0\r\nContent-Length: 0", smuggled)],
    ["a list of lengths", head("Content-Length: 0, 0", smuggled)],
    ["a signed length", head("Content-Length: +0", smuggled)],
    ["a hexadecimal length", head("Content-Length: 0x0", smuggled)],
    ["a length beyond all bounds", head("Content-Length: 99999999999999999999", smuggled)],
    ["an empty length", head("Content-Length:", smuggled)],
    ["bare line feeds", `GET / HTTP/1.1\nHost: a\n\n${smuggled}`],
    ["one bare line feed", head("X: y\nContent-Length: 36", smuggled)],
    ["a blank line of bare line feeds", `GET / HTTP/1.1\r\nHost: a\r\n\n\n${smuggled}`],
    ["a bare carriage return", head("X: y\rContent-Length: 36", smuggled)],
    ["a null byte", head("X: y\0z", smuggled)],
    ["a header without a colon", head("X", smuggled)],
    ["a header without a name", head(": x", smuggled)],
    ["no Host", `GET / HTTP/1.1\r\n\r\n${smuggled}`],
    ["two Hosts", `GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n${smuggled}`],
    ["an empty Host", `GET / HTTP/1.1\r\nHost:\r\n\r\n${smuggled}`],
    ["a Host with a path", `GET / HTTP/1.1\r\nHost: a/b\r\n\r\n${smuggled}`],
    ["a Host with a user", `GET / HTTP/1.1\r\nHost: a@b\r\n\r\n${smuggled}`],
    ["a Host that is no host", `GET / HTTP/1.1\r\nHost: 1.2.3.4.5:99999\r\n\r\n${smuggled}`],
    ["a target without a slash", `GET x HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`],
    ["a target with a backslash", `GET /\\b HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`],
    ["a target with a space", `GET /a b HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`],
    ["a tunnel", `CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`],
    ["no target", `GET HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`],
    ["a TLS hello", "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\n"],
  ];
  for (const [name, bytes] of cases) {
    await t.step(name, async () => {
      const { handler, paths } = counting();
      using bench = serve(handler);
      const socket = await bench.connect();
      await socket.send(bytes);
      socket.conn.closeWrite();
      const { text, reset } = await socket.readToEnd();
      assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/);
      assert.match(text, /connection: close\r\n/);
      assert.deepEqual(Object.keys(JSON.parse(text.split("\r\n\r\n")[1]!).error), [
        "message",
        "type",
        "param",
        "code",
      ]);
      assert.equal(text.split("HTTP/1.1 ").length, 2, "one answer and no second");
      assert.equal(reset, false);
      assert.deepEqual(paths, []);
      assert.deepEqual(bench.errors, []);
    });
  }
});

Deno.test("listen() never serves what follows a broken chunked body", async (t) => {
  const smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
  const cases: readonly [name: string, body: string][] = [
    ["bare line feeds", "1\na\n0\n\n"],
    ["a line feed in an extension", "1;x\n\r\na\r\n0\r\n\r\n"],
    ["a chunk longer than its size", "1\r\nab\r\n0\r\n\r\n"],
    ["no size", "\r\na\r\n0\r\n\r\n"],
    ["a signed size", "+1\r\na\r\n0\r\n\r\n"],
    ["a prefixed size", "0x1\r\na\r\n0\r\n\r\n"],
    ["a size beyond all bounds", "fffffffffffffffff\r\na\r\n0\r\n\r\n"],
    ["a space before the size", " 1\r\na\r\n0\r\n\r\n"],
    ["a line without end", `1;${"x".repeat(100_000)}`],
    ["endless extensions", `1;${"x".repeat(900)}\r\na\r\n`.repeat(100)],
    ["an endless trailer", `0\r\n${`a: ${"x".repeat(900)}\r\n`.repeat(100)}`],
  ];
  for (const [name, body] of cases) {
    await t.step(name, async () => {
      const paths: string[] = [];
      using bench = serve(async (request) => {
        paths.push(new URL(request.url).pathname);
        try {
          await request.text();
        } catch (error) {
          return new Response((error as Error).name, { status: 400 });
        }
        return new Response("read");
      });
      const socket = await bench.connect();
      await socket.send(
        `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body}${smuggled}`,
      );
      const { text, reset } = await socket.readToEnd();
      assert.match(text, /^HTTP\/1\.1 400 [^]*\r\n\r\nBodyMalformedError$/);
      assert.equal(reset, false);
      assert.deepEqual(paths, ["/"]);
    });
  }
});

Deno.test("listen() takes a body for a body, whatever the method", async () => {
  const { handler, paths } = counting();
  using bench = serve(handler);
  const inner = "GET /inner HTTP/1.1\r\nHost: a\r\n\r\n";
  const socket = await bench.connect();
  await socket.send(
    `GET /outer HTTP/1.1\r\nHost: a\r\nContent-Length: ${inner.length}\r\n\r\n${inner}${GET}`,
  );
  await socket.readResponse();
  await socket.readResponse();
  assert.deepEqual(paths, ["/outer", "/"]);
});

Deno.test("listen() drops a small unread body and goes on", async () => {
  const paths: string[] = [];
  using bench = serve((request) => {
    paths.push(new URL(request.url).pathname);
    return new Response("no", { status: 401 });
  });
  const socket = await bench.connect();
  const inner = "GET /inner HTTP/1.1\r\nHost: a\r\n\r\n";
  await socket.send(
    `POST /outer HTTP/1.1\r\nHost: a\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
  );
  assert.equal((await socket.readResponse()).headers.has("connection"), false);
  await socket.send(GET);
  await socket.readResponse();
  assert.deepEqual(paths, ["/outer", "/"]);
});

Deno.test("listen() speaks no HTTP/2 and takes no endless heads", async (t) => {
  const cases: readonly [name: string, bytes: string, status: number][] = [
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505],
    ["HTTP/1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505],
    ["a long head", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(70_000)}\r\n\r\n`, 431],
    ["a head without end", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(300_000)}`, 431],
    ["many headers", `GET / HTTP/1.1\r\nHost: a\r\n${"X: y\r\n".repeat(128)}\r\n`, 431],
  ];
  for (const [name, bytes, status] of cases) {
    await t.step(name, async () => {
      const { handler, paths } = counting();
      using bench = serve(handler);
      const socket = await bench.connect();
      await socket.send(bytes);
      const { text, reset } = await socket.readToEnd();
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.equal(reset, false);
      assert.deepEqual(paths, []);
    });
  }
  await t.step("60 KB of head are fine", async () => {
    using bench = serve((request) => new Response(String(request.headers.get("x")?.length)));
    const socket = await bench.connect();
    await socket.send(`GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(60_000)}\r\n\r\n`);
    assert.equal((await socket.readResponse()).body, "60000");
    await socket.send(GET);
    assert.equal((await socket.readResponse()).body, "undefined");
  });
});

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
      }, { bodyGraceMs: 50, bodyMinBytesPerSecond: 1024 });
      const socket = await bench.connect();
      await socket.send(`POST / HTTP/1.1\r\nHost: a\r\n${head}`);
      assert.equal((await socket.readToEnd()).text, "");
      assert.equal((await failure.promise).name, "BodyTooSlowError");
      assert.deepEqual(bench.errors, []);
    });
  }
  await t.step("but not one that the handler is slow to read", async () => {
    const release = Promise.withResolvers<void>();
    using bench = serve(async (request) => {
      await release.promise;
      return new Response(await request.text());
    }, { bodyGraceMs: 20, bodyMinBytesPerSecond: 1024, keepAliveMs: 60_000 });
    const socket = await bench.connect();
    await socket.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab");
    // Another connection that is cut shows that the limit has had its time.
    const other = serve((request) => request.text().then(() => new Response()), {
      bodyGraceMs: 40,
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

Deno.test("listen() answers a plain 500 when the handler fails", async (t) => {
  const handlers: readonly [name: string, handler: RequestHandler][] = [
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
    });
  }
  await t.step("longer than declared", async () => {
    using bench = serve(() => new Response("abcdef", { headers: { "content-length": "5" } }));
    const socket = await bench.connect();
    await socket.send(GET);
    assert.equal((await socket.readResponse()).status, 500);
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

Deno.test("listen() closes connections beyond the limit at once, and recovers", async () => {
  using bench = serve(() => new Response("x"), { maxConnections: 2 });
  const sockets = [await bench.connect(), await bench.connect()];
  for (const socket of sockets) {
    await socket.send(GET);
    await socket.readResponse();
  }
  const third = await bench.connect();
  assert.equal((await third.readToEnd()).text, "");
  assert.equal(bench.listener.openConnections, 2);
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

Deno.test("defaultMaxConnections() leaves some descriptors for the rest", {
  ignore: Deno.build.os !== "linux",
}, () => {
  const soft = /Max open files\s+(\d+)/.exec(Deno.readTextFileSync("/proc/self/limits"))![1];
  assert.equal(defaultMaxConnections(), Number(soft) - 64);
});

for (const maxConnections of ["default", "unlimited"]) {
  Deno.test(`a process out of descriptors goes on, with connections ${maxConnections}`, {
    ignore: Deno.build.os === "windows",
  }, async () => {
    const program = new URL("./listener_child.ts", import.meta.url).pathname;
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
      for (let count = 0; count < 400; count++) sockets.push(await RawSocket.connect(address));
      for (const socket of sockets) socket.conn.close();
      using socket = await RawSocket.connect(address);
      await socket.send(GET);
      assert.equal((await socket.readResponse()).body, "alive");
    } finally {
      await child.stdin.close(); // tells it to end
      assert.equal((await child.status).code, 0);
      await output.cancel();
    }
  });
}
