/**
 * That the listener's requests can be used as the platform's own.
 *
 * @module
 */
import assert from "node:assert/strict";
import { Hono } from "@hono/hono";
import { listen } from "../../../src/http/listener.ts";
import type { RequestHandler } from "../../../src/http/listener/contract.ts";
import { IncomingRequest } from "../../../src/http/listener/incoming_request.ts";
import { RawSocket } from "../../support/raw_socket.ts";

const HEAD = "POST /a?b=c HTTP/1.1\r\nHost: h:1\r\nX-Two: 1\r\nx-two: 2\r\nCookie: a=1\r\n";

/** Runs `use` inside a handler, on a request with this body. */
async function withRequest(
  body: string,
  use: (request: Request) => unknown,
  type = "text/plain",
): Promise<void> {
  const done = Promise.withResolvers<void>();
  const handler: RequestHandler = async (request) => {
    try {
      await use(request);
      done.resolve();
    } catch (error) {
      done.reject(error);
    }
    return new Response();
  };
  const listener = listen(handler);
  using socket = await RawSocket.connect(listener.address);
  const { length } = new TextEncoder().encode(body);
  await socket.send(
    `${HEAD}Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${body}`,
  );
  await done.promise.finally(() => listener.close());
}

Deno.test("a received request has the face of a Request", async () => {
  await withRequest("{}", (request) => {
    assert.ok(request instanceof Request);
    assert.equal(request.method, "POST");
    assert.equal(request.url, "http://h:1/a?b=c");
    assert.ok(request.headers instanceof Headers);
    assert.equal(IncomingRequest.header(request, "x-two"), "1, 2");
    assert.equal(IncomingRequest.header(request, "cookie"), "a=1");
    assert.equal(IncomingRequest.header(request, "x-three"), null);
    assert.equal(request.headers.get("X-TWO"), "1, 2");
    assert.equal(request.headers, request.headers);
    assert.equal(request.signal, request.signal);
    assert.equal(request.signal.aborted, false);
    assert.equal(request.bodyUsed, false);
  });
});

Deno.test("a received request's body is read once, as bytes, text or JSON", async () => {
  await withRequest('{"a":1}', async (request) => {
    assert.deepEqual(await request.json(), { a: 1 });
    assert.equal(request.bodyUsed, true);
    await assert.rejects(request.text(), TypeError);
    assert.throws(() => request.clone(), TypeError);
  });
  await withRequest("abc", async (request) => {
    assert.deepEqual(await request.bytes(), new Uint8Array([97, 98, 99]));
  });
  await withRequest("", async (request) => {
    assert.equal(await request.text(), "");
  });
});

Deno.test("a received request goes through a Hono app", async () => {
  const app = new Hono()
    .post(
      "/v1/things/:id",
      async (c) => c.json({ id: c.req.param("id"), q: c.req.query("q"), body: await c.req.json() }),
    )
    .get("/text", (c) => c.text(c.req.header("x-a") ?? "none"));
  const listener = listen((request) => app.fetch(request));
  using socket = await RawSocket.connect(listener.address);
  await socket.send(
    "POST /v1/things/7?q=x%20y HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\n[1,2,3]",
  );
  assert.deepEqual(JSON.parse((await socket.readResponse()).body), {
    id: "7",
    q: "x y",
    body: [1, 2, 3],
  });
  await socket.send("GET /text HTTP/1.1\r\nHost: a\r\nX-A: b\r\n\r\n");
  assert.equal((await socket.readResponse()).body, "b");
  await socket.send("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.equal((await socket.readResponse()).status, 404);
  listener.close();
});
