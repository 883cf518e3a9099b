/**
 * What the listener refuses, so that nobody can slip a second request past a proxy.
 *
 * @module
 */
import assert from "node:assert/strict";
import { counting, GET, serve } from "../../support/listener_bench.ts";

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

Deno.test("listen() sends no body with the refusal of a HEAD", async (t) => {
  const cases: readonly [name: string, bytes: string, status: number][] = [
    ["bare line feeds", "HEAD / HTTP/1.1\nHost: a\n\n", 400],
    ["no Host", "HEAD / HTTP/1.1\r\n\r\n", 400],
    ["too large", `HEAD /${"x".repeat(70_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ];
  for (const [name, bytes, status] of cases) {
    await t.step(name, async () => {
      using bench = serve(counting().handler);
      const socket = await bench.connect();
      await socket.send(bytes);
      socket.conn.closeWrite();
      const { text } = await socket.readToEnd();
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\n\r\n$`));
      assert.equal(text.split("\r\n\r\n")[1], "");
    });
  }
});

Deno.test("listen() never serves what follows a broken chunked body", async (t) => {
  const smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
  const cases: readonly [name: string, body: string][] = [
    ["bare line feeds", "1\na\n0\n\n"],
    ["a line feed in an extension", "1;x\n\r\na\r\n0\r\n\r\n"],
    ["a chunk longer than its size", "1\r\nab\r\n0\r\n\r\n"],
    ["a bare line feed after an extension", "1;x\na\r\n0\r\n\r\n"],
    ["no size", "\r\na\r\n0\r\n\r\n"],
    ["a signed size", "+1\r\na\r\n0\r\n\r\n"],
    ["a prefixed size", "0x1\r\na\r\n0\r\n\r\n"],
    ["a size beyond all bounds", "fffffffffffffffff\r\na\r\n0\r\n\r\n"],
    ["a space before the size", " 1\r\na\r\n0\r\n\r\n"],
    ["a line without end", `1;${"x".repeat(100_000)}`],
    ["endless extensions", `1;${"x".repeat(900)}\r\na\r\n`.repeat(100) + "0\r\n\r\n"],
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
