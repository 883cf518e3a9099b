/**
 * Requests that a listener passes on to another: client and other listener see what they would see
 * of each other.
 *
 * @module
 */

import assert from "node:assert/strict";
import { listen } from "../../../src/http/listener.ts";
import type { RequestHandler } from "../../../src/http/listener/contract.ts";
import { openPassageTo, passOn } from "../../../src/http/listener/passage.ts";
import { aborted } from "../../support/listener_bench.ts";
import { RawSocket } from "../../support/raw_socket.ts";

interface Passing extends AsyncDisposable {
  connect(): Promise<RawSocket>;
  /** What the other listener was asked, and by whom. */
  readonly passed: string[];
  readonly errors: unknown[];
}

/** A front that answers `/own` itself, reads what `/read` sends, and passes both that and the rest on. */
async function passing(handler: RequestHandler): Promise<Passing> {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/calls.sock`;
  const passed: string[] = [];
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const back = listen((request, info) => {
    passed.push(`${request.method} ${new URL(request.url).pathname} of ${info.remoteAddress}`);
    return handler(request, info);
  }, { unixPath: path, isPassedOn: true, onError });
  const front = listen(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/own") return new Response("own");
    if (pathname === "/read") {
      await request.text();
      return passOn({ closes: true }, new Response("too late"));
    }
    return passOn({ closes: false }, new Response("too late"));
  }, { onError, openPassage: () => openPassageTo(path) });
  const sockets: RawSocket[] = [];
  return {
    passed,
    errors,
    async connect() {
      const socket = await RawSocket.connect(front.address);
      sockets.push(socket);
      return socket;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket[Symbol.dispose]();
      front.close();
      back.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

const echo: RequestHandler = async (request) =>
  new Response(`${request.headers.get("host")} said ${await request.text()}`);

Deno.test("a connection is passed on from a request on, and stays with the other listener", async () => {
  await using bench = await passing(echo);
  const socket = await bench.connect();
  await socket.send("GET /own HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.equal((await socket.readResponse()).body, "own");
  await socket.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\none");
  assert.equal((await socket.readResponse()).body, "a said one");
  await socket.send("POST /own HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  await socket.send("3\r\ntwo\r\n0\r\n\r\n");
  assert.equal((await socket.readResponse()).body, "a said two");
  assert.deepEqual(bench.passed, ["POST /x of 127.0.0.1", "POST /own of 127.0.0.1"]);
  assert.deepEqual(bench.errors, []);
});

Deno.test("a body that was read is sent again, and the connection ends with its answer", async () => {
  await using bench = await passing(echo);
  const socket = await bench.connect();
  const body = "x".repeat(300_000);
  await socket.send(
    `POST /read HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nX-Odd: \u00e4\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  assert.match(await socket.readThrough("\r\n\r\n"), /^HTTP\/1\.1 100 /);
  await socket.send(body);
  const answer = await socket.readResponse();
  assert.equal(answer.body, `a said ${body}`);
  assert.equal(answer.headers.get("connection"), "close");
  assert.deepEqual(await socket.readToEnd(), { text: "", reset: false });
  assert.deepEqual(bench.errors, []);
});

Deno.test("what is no proper HTTP is refused by the other listener", async () => {
  await using bench = await passing(echo);
  for (
    const head of ["GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\nHost: a\n\n", "nonsense\r\n\r\n"]
  ) {
    const socket = await bench.connect();
    await socket.send(head);
    assert.equal((await socket.readResponse()).status, 400, head);
    assert.deepEqual(await socket.readToEnd(), { text: "", reset: false });
  }
  assert.deepEqual(bench.passed, []);
});

Deno.test("the other listener hears that a client has left", async () => {
  const left = Promise.withResolvers<Error>();
  const asked = Promise.withResolvers<void>();
  await using bench = await passing(async (request) => {
    asked.resolve();
    left.resolve(await aborted(request.signal));
    return new Response("nobody hears this");
  });
  const socket = await bench.connect();
  await socket.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
  await asked.promise;
  socket[Symbol.dispose]();
  assert.equal((await left.promise).name, "AbortError");
});

Deno.test("an answer comes in the parts in which the other listener sends it", async () => {
  const more = Promise.withResolvers<void>();
  await using bench = await passing(() =>
    new Response(
      new ReadableStream({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode("first"));
          await more.promise;
          controller.enqueue(new TextEncoder().encode("last"));
          controller.close();
        },
      }),
    )
  );
  const socket = await bench.connect();
  await socket.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
  await socket.readThrough("first");
  more.resolve();
  await socket.readThrough("last");
});

Deno.test("a client is answered by the front where part of its body is gone", async () => {
  await using bench = await passing(echo);
  const socket = await bench.connect();
  await socket.send("POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf");
  await socket.conn.closeWrite();
  await socket.readToEnd();
  assert.deepEqual(bench.passed, []);
});
