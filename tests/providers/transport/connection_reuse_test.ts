/**
 * When a connection serves again, and when a request is sent again.
 *
 * @module
 */

import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { systemClock } from "../../../src/domain/clock.ts";
import { Connection } from "../../../src/providers/transport/connection.ts";
import { createHttp1Transport } from "../../../src/providers/transport/http1_transport.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { jsonReply, type Reply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { call, http1Test, post } from "../../support/http1_calls.ts";
import { failureOf, never } from "../../support/provider_parts.ts";

http1Test("uses one connection for calls in turn, of any status and framing", async (transport) => {
  await using upstream = await startFakeUpstream([
    jsonReply({}),
    { steps: ["ab", "cd"] },
    jsonReply({}, { status: 400 }),
    { status: 204, steps: [], framing: "raw", before: ["HTTP/1.1 204 No Content\r\n\r\n"] },
    { steps: [], framing: "length" },
    jsonReply({}),
  ]);
  for (let turn = 0; turn < 6; turn++) await call(transport, upstream.url);
  assert.equal(upstream.connections, 1);
});

http1Test(
  "keeps a connection whose stream was released when its end was there",
  async (transport) => {
    await using upstream = await startFakeUpstream([
      {
        framing: "raw",
        steps: ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"],
      },
      jsonReply({}),
    ]);
    const response = await transport.request(post(upstream.url), never());
    await response.read(5_000);
    response.release();
    await call(transport, upstream.url);
    assert.equal(upstream.connections, 1);
  },
);

http1Test(
  "does not use a connection again after bytes that nobody asked for",
  async (transport) => {
    const extra = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil";
    await using upstream = await startFakeUpstream([
      { framing: "raw", steps: [`HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}${extra}`] },
      jsonReply({ mine: true }),
    ]);
    await call(transport, upstream.url);
    assert.equal(await call(transport, upstream.url), '{"mine":true}');
    assert.equal(upstream.connections, 2);
  },
);

http1Test("drops an idle connection on which something unasked arrives", async (transport) => {
  const gate = Promise.withResolvers<void>();
  await using upstream = await startFakeUpstream([
    {
      framing: "raw",
      steps: [
        "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}",
        gate.promise,
        "HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
      ],
    },
    jsonReply({ mine: true }),
  ]);
  await call(transport, upstream.url);
  gate.resolve();
  await upstream.requests[0]!.closed;
  assert.equal(await call(transport, upstream.url), '{"mine":true}');
});

function cutsSecondRequest(): (request: { connection: number }) => Reply {
  let served = 0;
  return ({ connection }) =>
    connection === 1 && served++ > 0
      ? { framing: "raw", steps: ["cut!"] }
      : jsonReply({ connection });
}

for (const method of ["POST", "DELETE"] as const) {
  http1Test(
    `does not send a ${method} again that an upstream took and never answered`,
    async (transport) => {
      await using upstream = await startFakeUpstream(cutsSecondRequest());
      const request = post(upstream.url, { method });
      await (await transport.request(request, never())).text(100);
      const error = await failureOf(transport.request(request, never()));
      assert.equal(error.failure, "broken");
      assert.match(error.message, /closed before an answer/);
      assert.equal(upstream.requests.length, 2);
    },
  );
}

http1Test(
  "reads again on a new connection when the idle one fails before any byte",
  async (transport) => {
    await using upstream = await startFakeUpstream(cutsSecondRequest());
    const request = post(upstream.url, { method: "GET", body: undefined });
    await (await transport.request(request, never())).text(100);
    const answer = await transport.request(request, never());
    assert.equal(await answer.text(100), '{"connection":2}');
    assert.equal(upstream.requests.length, 3);
  },
);

/** A connection with some of its methods replaced. */
function changed(conn: Deno.TcpConn, methods: Partial<Deno.TcpConn>): Deno.TcpConn {
  return new Proxy(conn, {
    get(target, name) {
      const own = Reflect.get(methods, name);
      if (own !== undefined) return own;
      const member = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

for (const isSecure of [false, true]) {
  const does = isSecure ? "does not send" : "sends";
  const kind = isSecure ? "TLS connection" : "connection";
  Deno.test(`http1: ${does} a POST again whose first byte an idle ${kind} refused`, async () => {
    await using upstream = await startFakeUpstream(jsonReply({}));
    const transport = createHttp1Transport({
      clock: systemClock,
      connect: async ({ hostname, port }) => {
        const conn = await Deno.connect({ hostname, port });
        if (upstream.requests.length > 0) return new Connection(conn);
        let writes = 0;
        const write = (bytes: Uint8Array) =>
          writes++ === 0 ? conn.write(bytes) : Promise.reject(new Deno.errors.BrokenPipe("gone"));
        return new Connection(changed(conn, { write }), { isSecure });
      },
    });
    await call(transport, upstream.url);
    if (isSecure) {
      assert.equal((await failureOf(call(transport, upstream.url))).failure, "broken");
    } else {
      assert.equal(await call(transport, upstream.url), "{}");
    }
    assert.equal(upstream.requests.length, isSecure ? 1 : 2);
    transport.close();
  });
}

Deno.test("http1: notices at once that the upstream closed an idle connection", async () => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  let ended = Promise.withResolvers<void>();
  const transport = createHttp1Transport({
    clock: systemClock,
    connect: async ({ hostname, port }) => {
      const conn = await Deno.connect({ hostname, port });
      const end = ended;
      const read = async (buffer: Uint8Array) => {
        const count = await conn.read(buffer);
        if (count === null) end.resolve();
        return count;
      };
      return new Connection(changed(conn, { read }));
    },
  });
  for (let turn = 0; turn < 3; turn++) {
    ended = Promise.withResolvers<void>();
    await call(transport, upstream.url);
    upstream.dropConnections();
    await ended.promise;
    // The connection has heard of it by then, and so has its pool.
    await new Promise(setImmediate);
  }
  assert.equal(upstream.requests.length, 3);
  assert.equal(upstream.connections, 3);
  transport.close();
});

http1Test(
  "does not call again when the first byte was there, or the connection new",
  async (transport) => {
    let served = 0;
    await using upstream = await startFakeUpstream((): Reply =>
      served++ === 0 ? jsonReply({}) : { framing: "raw", steps: ["H", "cut!"] }
    );
    await call(transport, upstream.url);
    assert.equal((await failureOf(call(transport, upstream.url))).failure, "broken");
    assert.equal(upstream.requests.length, 2);
    upstream.answer({ framing: "raw", steps: ["cut!"] });
    assert.equal((await failureOf(call(transport, upstream.url))).failure, "broken");
    assert.equal(upstream.requests.length, 3);
  },
);

Deno.test("http1: believes an upstream that says how long it keeps an idle connection", async () => {
  const clock = new FakeClock();
  const transport = createHttp1Transport({ clock });
  await using upstream = await startFakeUpstream(
    jsonReply({}, { headers: { "keep-alive": "timeout=5, max=100" } }),
  );
  await call(transport, upstream.url);
  clock.advance(3_900);
  await call(transport, upstream.url);
  assert.equal(upstream.connections, 1);
  clock.advance(4_100);
  await call(transport, upstream.url);
  assert.equal(upstream.connections, 2);
  upstream.answer(jsonReply({}, { headers: { "keep-alive": "timeout=1" } }));
  await call(transport, upstream.url);
  await call(transport, upstream.url);
  assert.equal(upstream.connections, 3);
  transport.close();
});

Deno.test("http1: gives a busy connection up when it is old", async () => {
  const clock = new FakeClock();
  const transport = createHttp1Transport({ clock });
  await using upstream = await startFakeUpstream(jsonReply({}));
  for (let turn = 0; turn <= 30; turn++) {
    await call(transport, upstream.url);
    clock.advance(20_000);
  }
  assert.equal(upstream.connections, 1);
  await call(transport, upstream.url);
  assert.equal(upstream.connections, 2);
  transport.close();
});

Deno.test("http1: closes connections that were idle for too long", async () => {
  const clock = new FakeClock();
  const transport = createHttp1Transport({ clock });
  await using upstream = await startFakeUpstream(jsonReply({}));
  await call(transport, upstream.url);
  clock.advance(29_000);
  await call(transport, upstream.url);
  assert.equal(upstream.connections, 1);
  clock.advance(31_000);
  await call(transport, upstream.url);
  assert.equal(upstream.connections, 2);
  await upstream.requests[0]!.closed;
  transport.close();
  await upstream.requests[2]!.closed;
});
