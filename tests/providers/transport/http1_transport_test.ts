import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { systemClock } from "../../../src/domain/clock.ts";
import { connect } from "../../../src/providers/transport/connect.ts";
import { Connection } from "../../../src/providers/transport/connection.ts";
import { createHttp1Transport } from "../../../src/providers/transport/http1_transport.ts";
import { gzipBomb } from "../../support/fault_upstream/gzip_bomb.ts";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { call, http1Test, post } from "../../support/http1_calls.ts";
import { failureOf, never, timeouts } from "../../support/provider_parts.ts";
import { AUTHORITY, CERTIFICATE, PRIVATE_KEY } from "../../support/tls_certificates.ts";

const MALFORMED: readonly [name: string, head: string][] = [
  ["Content-Length beside Transfer-Encoding", "content-length: 2\r\ntransfer-encoding: chunked"],
  ["two Content-Lengths", "content-length: 2\r\ncontent-length: 3"],
  ["a list of Content-Lengths", "content-length: 2, 2"],
  ["a hexadecimal Content-Length", "content-length: 0x2"],
  ["an unknown Transfer-Encoding", "transfer-encoding: gzip, chunked"],
  ["Transfer-Encoding twice", "transfer-encoding: chunked\r\ntransfer-encoding: chunked"],
  ["a folded field", "x-a: 1\r\n folded"],
  ["a blank before the colon", "content-length : 2"],
  ["a field without a colon", "content-length"],
  ["a field without a name", ": 2"],
  ["a control character", "x-a: \u0001"],
  ["a bare line feed", "x-a: 1\ncontent-length: 2"],
  ["a bare carriage return", "x-a: 1\rcontent-length: 2"],
  ["an unknown Content-Encoding", "content-encoding: br\r\ncontent-length: 2"],
  ["201 fields", Array.from({ length: 201 }, (_, at) => `x-${at}: 1`).join("\r\n")],
];

for (const [name, fields] of MALFORMED) {
  http1Test(`refuses a head with ${name}`, async (transport) => {
    await using upstream = await startFakeUpstream({
      framing: "raw",
      steps: [`HTTP/1.1 200 OK\r\n${fields}\r\n\r\n{}`, "stall!"],
    });
    const error = await failureOf(call(transport, upstream.url));
    assert.equal(error.failure, "broken");
    assert.match(error.message, /^The upstream did not answer: /);
    await upstream.requests[0]!.closed;
  });
}

const STATUS_LINES = [
  "HTTP/2 200 OK",
  "HTTP/1.1 20 OK",
  "HTTP/1.1  200 OK",
  "HTTP/1.1 099 OK",
  "http/1.1 200 OK",
  "HTTP/1.1 101 Switching Protocols",
  "ICY 200 OK",
];

for (const line of STATUS_LINES) {
  http1Test(`refuses the status line '${line}'`, async (transport) => {
    await using upstream = await startFakeUpstream({
      framing: "raw",
      steps: [`${line}\r\ncontent-length: 2\r\n\r\n{}`, "stall!"],
    });
    assert.equal((await failureOf(call(transport, upstream.url))).failure, "broken");
    await upstream.requests[0]!.closed;
  });
}

http1Test("refuses interim answers without end", async (transport) => {
  await using upstream = await startFakeUpstream({
    framing: "raw",
    steps: ["HTTP/1.1 102 Processing\r\n\r\n".repeat(50), "stall!"],
  });
  assert.match((await failureOf(call(transport, upstream.url))).message, /interim answers/);
});

const CHUNKS: readonly [name: string, chunks: string][] = [
  ["a size of 8 digits", "00000002\r\n{}\r\n0\r\n\r\n"],
  ["a negative size", "-2\r\n{}\r\n0\r\n\r\n"],
  ["a size with 0x", "0x2\r\n{}\r\n0\r\n\r\n"],
  ["no size", "\r\n{}\r\n0\r\n\r\n"],
  ["a size line without end", `2;${"x".repeat(10_000)}`],
  ["no line end after the data", "2\r\n{}XX0\r\n\r\n"],
  ["a bare line feed", "2\n{}\r\n0\r\n\r\n"],
  ["a bare carriage return", "2\r{}\r\n0\r\n\r\n"],
  ["a trailer without end", `0\r\n${"x: y\r\n".repeat(10_000)}`],
];

for (const [name, chunks] of CHUNKS) {
  http1Test(`refuses chunks with ${name}`, async (transport) => {
    await using upstream = await startFakeUpstream({
      framing: "raw",
      steps: [`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`, "stall!"],
    });
    assert.equal((await failureOf(call(transport, upstream.url))).failure, "broken");
    await upstream.requests[0]!.closed;
  });
}

http1Test("sends no header that would break the message, and names no value", async (transport) => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  const bad: Record<string, string>[] = [{ "x-a": "secret\r\nx-b: 1" }, { "x-a": "sécret" }, {
    "x a": "secret",
  }];
  for (const headers of bad) {
    const error = await failureOf(transport.request(post(upstream.url, { headers }), never()));
    assert.equal(error.failure, "operator");
    assert.ok(!error.message.includes("cret"), error.message);
  }
  assert.equal(upstream.requests.length, 0);
});

http1Test("frames the message itself, whatever headers are set", async (transport) => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  const headers = { "content-length": "99", "transfer-encoding": "chunked", "host": "evil" };
  await (await transport.request(post(upstream.url, { headers }), never())).text(100);
  const { head } = upstream.requests[0]!;
  assert.match(head, /\r\ncontent-length: 2(\r\n|$)/);
  assert.ok(!head.includes("transfer-encoding") && !head.includes("evil"));
});

http1Test("answers before the request is read are answers", async (transport) => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const accepted = listener.accept().then(async (conn) => {
    const head = "HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
    await conn.write(new TextEncoder().encode(head));
    return conn;
  });
  const request = post(`http://127.0.0.1:${port}/`, { body: "x".repeat(20_000_000) });
  const response = await transport.request(request, never());
  assert.equal(response.status, 413);
  assert.equal(await response.text(100), "{}");
  (await accepted).close();
  listener.close();
});

Deno.test("http1: connecting has a limit of its own, and a late connection is closed", async () => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  const gate = Promise.withResolvers<void>();
  const late = Promise.withResolvers<Connection>();
  const transport = createHttp1Transport({
    clock: systemClock,
    connect: async (target) => {
      await gate.promise;
      const connection = await connect(target, []);
      late.resolve(connection);
      return connection;
    },
  });
  const limits = timeouts({ connectMs: 20 });
  const error = await failureOf(
    transport.request(post(upstream.url, { timeouts: limits }), never()),
  );
  assert.equal(error.message, "The upstream did not accept a connection within 20 ms");

  const controller = new AbortController();
  const aborted = failureOf(transport.request(post(upstream.url), controller.signal));
  controller.abort();
  assert.equal((await aborted).failure, "aborted");
  gate.resolve();
  const connection = await late.promise;
  await Promise.resolve();
  assert.ok(connection.isClosed);
  assert.equal(upstream.requests.length, 0);
});

async function withTlsServer(run: (port: number) => Promise<void>): Promise<string[]> {
  const heads: string[] = [];
  const listener = Deno.listenTls({
    hostname: "127.0.0.1",
    port: 0,
    cert: CERTIFICATE,
    key: PRIVATE_KEY,
  });
  const serving = (async () => {
    for await (const conn of listener) {
      try {
        const buffer = new Uint8Array(4_096);
        const count = await conn.read(buffer);
        if (count === null) continue;
        heads.push(new TextDecoder().decode(buffer.subarray(0, count)));
        const answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
        await conn.write(new TextEncoder().encode(answer));
      } catch (error) {
        // A client that does not trust us breaks the handshake off: what the test is about.
        assert.ok(error instanceof Error);
      } finally {
        conn.close();
      }
    }
  })();
  try {
    await run((listener.addr as Deno.NetAddr).port);
  } finally {
    listener.close();
    await serving;
  }
  return heads;
}

http1Test("speaks TLS with whom it trusts", async (transport) => {
  const heads = await withTlsServer(async (port) => {
    assert.equal(await call(transport, `https://localhost:${port}/v1`), "{}");
  });
  assert.match(heads[0]!, /^POST \/v1 HTTP\/1\.1\r\nhost: localhost:\d+\r\n/);
}, { caCerts: [AUTHORITY] });

http1Test("sends nothing to a server whose certificate names another host", async (transport) => {
  const heads = await withTlsServer(async (port) => {
    const error = await failureOf(call(transport, `https://127.0.0.1:${port}/v1`));
    assert.equal(error.failure, "broken");
    assert.equal(error.message, "The upstream could not be reached");
  });
  assert.deepEqual(heads, []);
}, { caCerts: [AUTHORITY] });

http1Test("sends nothing to a server whose authority it does not know", async (transport) => {
  const heads = await withTlsServer(async (port) => {
    const error = await failureOf(call(transport, `https://localhost:${port}/v1`));
    assert.equal(error.failure, "broken");
  });
  assert.deepEqual(heads, []);
});

http1Test("does not read an answer that says itself that it is too large", async (transport) => {
  const reply = {
    headers: { "content-length": "1001" },
    steps: ["x", "stall!"],
    framing: "length",
  } as const;
  await using upstream = await startFakeUpstream([reply]);
  const error = await failureOf(call(transport, upstream.url));
  assert.equal(error.failure, "broken");
  assert.match(error.message, /larger than 1000 bytes/);
});

http1Test("lets others have their turn while a bomb unfolds, up to the cap", async (transport) => {
  const megabytes = 100;
  await using upstream = await startFakeUpstream([{
    headers: { "content-encoding": "gzip" },
    steps: [gzipBomb(megabytes, "{}")],
    framing: "length",
  }]);
  const response = await transport.request(post(upstream.url), never());
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  count();
  const error = await failureOf(response.text(megabytes / 2 * 1024 ** 2));
  isOver = true;
  assert.equal(error.failure, "broken");
  // A turn for every megabyte or so; the bytes of the bomb itself come in a read or two.
  assert.ok(turns >= megabytes / 8, `${turns} turns`);
});
