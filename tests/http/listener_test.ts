/**
 * What the listener answers, over real sockets.
 *
 * @module
 */
import assert from "node:assert/strict";
import { LeanResponse } from "../../src/http/listener/lean_response.ts";
import { GET, serve } from "../support/listener_bench.ts";

const encoder = new TextEncoder();

/** Says what it was asked, in JSON. */
async function echo(request: Request): Promise<Response> {
  return Response.json({
    method: request.method,
    url: request.url,
    body: await request.text(),
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

Deno.test("listen() passes the peer's address", async () => {
  using bench = serve((_request, info) => new Response(info.remoteAddress));
  const socket = await bench.connect();
  await socket.send(GET);
  assert.equal((await socket.readResponse()).body, "127.0.0.1");
});

Deno.test("listen() does not take an empty text for the end of a stream", async () => {
  const texts = ["", "a", "", "\u00e9", ""];
  using bench = serve(() =>
    LeanResponse.make({
      next: () => Promise.resolve(texts.shift()),
      cancel: () => Promise.reject(new Error("a finished stream is not cancelled")),
    }, { headers: {} })
  );
  const socket = await bench.connect();
  await socket.send(GET);
  assert.equal((await socket.readResponse()).body, "a\xc3\xa9");
  assert.deepEqual(bench.errors, []);
});
