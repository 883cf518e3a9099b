import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { systemClock } from "../../../src/domain/clock.ts";
import { createFetchTransport } from "../../../src/providers/transport/fetch_transport.ts";
import { createHttp1Transport } from "../../../src/providers/transport/http1_transport.ts";
import type {
  Transport,
  UpstreamRequest,
  UpstreamResponse,
} from "../../../src/providers/transport/contract.ts";
import {
  jsonReply,
  type Reply,
  startFakeUpstream,
  textReply,
} from "../../support/fake_upstream.ts";
import { failureOf, never, timeouts } from "../../support/provider_parts.ts";

const IMPLEMENTATIONS: readonly (readonly [string, () => Transport])[] = [
  ["fetch", () => createFetchTransport({ clock: systemClock })],
  ["http1", () => createHttp1Transport({ clock: systemClock })],
];

type Table = (name: string, run: (transport: Transport) => Promise<void>) => void;

/** Registers a test once per implementation. */
const both: Table = (name, run) => {
  for (const [implementation, create] of IMPLEMENTATIONS) {
    Deno.test(`${implementation}: ${name}`, async () => {
      const transport = create();
      try {
        await run(transport);
      } finally {
        transport.close();
      }
    });
  }
};

function post(url: string, changes: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return {
    method: "POST",
    url: `${url}/x?a=1`,
    headers: { "x-one": "1" },
    body: '{"a":"é"}',
    timeouts: timeouts({}),
    stream: false,
    ...changes,
  };
}

async function readText(response: UpstreamResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  while (true) {
    const bytes = await response.read(5_000);
    if (bytes === undefined) return text + decoder.decode();
    text += decoder.decode(bytes, { stream: true });
  }
}

both("sends a body in pieces one behind the other", async (transport) => {
  await using upstream = await startFakeUpstream(textReply("text/plain", "ok"));
  const body = ['{"a":', '"é', '漢"', "", "}"].map((piece) => new TextEncoder().encode(piece));
  const response = await transport.request(post(upstream.url, { body }), never());
  assert.equal(await response.text(100), "ok");
  const [request] = upstream.requests;
  assert.equal(request!.body, '{"a":"é漢"}');
  assert.equal(request!.headers.get("content-length"), "13");
});

both("sends method, target, headers and a counted body", async (transport) => {
  await using upstream = await startFakeUpstream(
    textReply("text/plain", "hé", { status: 201, headers: { "x-answer": "yes" } }),
  );
  const response = await transport.request(post(upstream.url), never());
  assert.equal(response.status, 201);
  assert.equal(response.header("x-answer"), "yes");
  assert.equal(response.header("x-none"), undefined);
  assert.equal(await response.text(100), "hé");
  const [request] = upstream.requests;
  assert.equal(request!.method, "POST");
  assert.equal(request!.target, "/v1/x?a=1");
  assert.equal(request!.headers.get("x-one"), "1");
  assert.equal(request!.headers.get("host"), `127.0.0.1:${upstream.port}`);
  assert.equal(request!.headers.get("content-length"), "10");
  assert.equal(request!.body, '{"a":"é"}');
});

both("sends a GET without a body", async (transport) => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  const request = post(upstream.url, { method: "GET", body: undefined });
  assert.equal(await (await transport.request(request, never())).text(100), "{}");
  assert.equal(upstream.requests[0]!.method, "GET");
  assert.equal(upstream.requests[0]!.body, "");
});

both("sends a DELETE without a body", async (transport) => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  const request = post(upstream.url, { method: "DELETE", body: undefined });
  assert.equal(await (await transport.request(request, never())).text(100), "{}");
  assert.equal(upstream.requests[0]!.method, "DELETE");
  assert.equal(upstream.requests[0]!.body, "");
});

both("sends bytes as they are", async (transport) => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  const body = Uint8Array.from({ length: 3_000 }, (_, at) => at % 128);
  const whole = body.slice();
  await (await transport.request(post(upstream.url, { body }), never())).text(100);
  assert.equal(upstream.requests[0]!.headers.get("content-length"), "3000");
  assert.deepEqual(new TextEncoder().encode(upstream.requests[0]!.body), whole);
  assert.deepEqual(body, whole, "the caller's bytes are not changed");
});

both("sends a large body whole", async (transport) => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  const body = "é".repeat(2_000_000);
  await (await transport.request(post(upstream.url, { body }), never())).text(100);
  assert.equal(upstream.requests[0]!.body, body);
});

const FRAMINGS: readonly [name: string, reply: Reply, body: string][] = [
  ["a length", { steps: ["ab", "cd"], framing: "length" }, "abcd"],
  ["chunks", { steps: ["ab", "cd"] }, "abcd"],
  ["its connection", { steps: ["ab", "cd"], framing: "close" }, "abcd"],
  ["a length of 0", { steps: [], framing: "length" }, ""],
  ["no chunk", { steps: [] }, ""],
  [
    "chunks with extensions and a trailer",
    {
      framing: "raw",
      steps: [
        "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n" +
        "2;name=value\r\nab\r\n0002\r\ncd\r\n0\r\nx-trailer: 1\r\n\r\n",
      ],
    },
    "abcd",
  ],
  [
    "interim answers before it",
    {
      framing: "raw",
      steps: [
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nabcd",
      ],
    },
    "abcd",
  ],
  ["gzip", {
    headers: { "content-encoding": "gzip" },
    steps: [gzipSync("abcd")],
    framing: "length",
  }, "abcd"],
  ["gzip in chunks", {
    headers: { "content-encoding": "gzip" },
    steps: [gzipSync("abcd").subarray(0, 7), gzipSync("abcd").subarray(7)],
  }, "abcd"],
];

for (const [name, reply, body] of FRAMINGS) {
  both(`reads an answer that ends by ${name}, with text() and read()`, async (transport) => {
    await using upstream = await startFakeUpstream(reply);
    const whole = await transport.request(post(upstream.url), never());
    assert.equal(await whole.text(100), body);
    const pieces = await transport.request(post(upstream.url), never());
    assert.equal(await readText(pieces), body);
    assert.equal(await pieces.read(1_000), undefined, "the end stays the end");
  });
}

both("reads an answer however its bytes are divided", async (transport) => {
  const answer = "HTTP/1.1 200 OK\r\nx-a: b\r\nTransfer-Encoding: chunked\r\n\r\n" +
    "3\r\nabc\r\na;x\r\n0123456789\r\n0\r\nt: 1\r\n\r\n";
  for (const size of [1, 2, 3, 5, 17]) {
    const pieces = answer.match(new RegExp(`[^]{1,${size}}`, "g"))!;
    await using upstream = await startFakeUpstream({ framing: "raw", steps: pieces });
    const response = await transport.request(post(upstream.url), never());
    assert.equal(response.header("x-a"), "b");
    assert.equal(await response.text(100), "abc0123456789", `pieces of ${size}`);
  }
});

both("reads a large answer, counted and chunked", async (transport) => {
  const body = "0123456789abcdef".repeat(200_000);
  await using upstream = await startFakeUpstream([
    { steps: [body], framing: "length" },
    { steps: [body.slice(0, 1_000_001), body.slice(1_000_001)] },
  ]);
  for (let call = 0; call < 2; call++) {
    const response = await transport.request(post(upstream.url), never());
    assert.equal(await response.text(10_000_000), body);
  }
});

both("reads pieces as they come", async (transport) => {
  const gate = Promise.withResolvers<void>();
  await using upstream = await startFakeUpstream({ steps: ["ab", gate.promise, "cd"] });
  const response = await transport.request(post(upstream.url), never());
  assert.equal(new TextDecoder().decode(await response.read(5_000)), "ab");
  gate.resolve();
  assert.equal(await readText(response), "cd");
});

both("does not use a connection again that the upstream closes", async (transport) => {
  await using upstream = await startFakeUpstream({ ...jsonReply({}), closes: true });
  for (let call = 0; call < 3; call++) {
    assert.equal(await (await transport.request(post(upstream.url), never())).text(100), "{}");
  }
  assert.equal(upstream.connections, 3);
});

both("does not use a connection again whose answer was closed early", async (transport) => {
  await using upstream = await startFakeUpstream([{ steps: ["ab", "stall!"] }, jsonReply({})]);
  const response = await transport.request(post(upstream.url), never());
  await response.read(5_000);
  response.close();
  response.close();
  await upstream.requests[0]!.closed;
  await (await transport.request(post(upstream.url), never())).text(100);
  assert.equal(upstream.connections, 2);
});

both("follows no redirect", async (transport) => {
  await using upstream = await startFakeUpstream({
    status: 302,
    headers: { location: "/elsewhere" },
    steps: [],
  });
  const response = await transport.request(post(upstream.url), never());
  assert.equal(response.status, 302);
  await response.text(100);
  assert.equal(upstream.requests.length, 1);
});

both("caps the decoded bytes of an answer and closes it", async (transport) => {
  const bomb = gzipSync(new Uint8Array(5_000_000));
  await using upstream = await startFakeUpstream([
    { steps: ["x".repeat(1_001), "stall!"] },
    {
      steps: ["x".repeat(1_001), "stall!"],
      headers: { "content-length": "9999" },
      framing: "length",
    },
    { headers: { "content-encoding": "gzip" }, steps: [bomb, "stall!"] },
  ]);
  for (let call = 0; call < 3; call++) {
    const response = await transport.request(post(upstream.url), never());
    const error = await failureOf(response.text(1_000));
    assert.equal(error.failure, "broken");
    assert.match(error.message, /larger than 1000 bytes/);
    await upstream.requests[call]!.closed;
  }
});

both("allows an answer of exactly the cap", async (transport) => {
  await using upstream = await startFakeUpstream([
    { steps: ["x".repeat(1_000)] },
    { steps: ["x".repeat(1_000)], framing: "length" },
  ]);
  for (let call = 0; call < 2; call++) {
    const response = await transport.request(post(upstream.url), never());
    assert.equal((await response.text(1_000)).length, 1_000);
  }
});

const HEAD = "HTTP/1.1 200 OK\r\n";
const BAD: readonly [name: string, steps: Reply["steps"]][] = [
  ["nothing", ["cut!"]],
  ["no HTTP", ["hello\r\n\r\n", "cut!"]],
  ["half a head", [`${HEAD}content-len`, "cut!"]],
  ["a bad length", [`${HEAD}content-length: -1\r\n\r\n`, "cut!"]],
  ["two lengths", [`${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, "cut!"]],
  ["a folded line before a field", [`${HEAD} folded: 1\r\ncontent-length: 0\r\n\r\n`, "cut!"]],
  ["fewer bytes than its length", [`${HEAD}content-length: 9\r\n\r\nabcd`, "cut!"]],
  ["no last chunk", [`${HEAD}transfer-encoding: chunked\r\n\r\n4\r\nabcd\r\n`, "cut!"]],
  ["a bad chunk size", [
    `${HEAD}transfer-encoding: chunked\r\n\r\nxyz\r\nabcd\r\n0\r\n\r\n`,
    "cut!",
  ]],
  [
    "a chunk longer than its size",
    [`${HEAD}transfer-encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n`, "cut!"],
  ],
  ["an endless head", [`${HEAD}x: ${"y".repeat(2_000_000)}`, "stall!"]],
];

for (const [name, steps] of BAD) {
  both(`takes an answer with ${name} for broken`, async (transport) => {
    await using upstream = await startFakeUpstream({ framing: "raw", steps });
    const call = transport.request(post(upstream.url), never())
      .then((response) => response.text(1_000));
    const error = await failureOf(call);
    assert.equal(error.failure, "broken");
  });
}

both("ends at the first-byte limit, for streams alone", async (transport) => {
  await using upstream = await startFakeUpstream({ framing: "raw", steps: ["stall!"] });
  // Long enough for the request to have come, even where the machine is busy.
  const limits = timeouts({ firstByteMs: 300, totalMs: 1_000 });
  const stream = post(upstream.url, { stream: true, timeouts: limits });
  const error = await failureOf(transport.request(stream, never()));
  assert.equal(error.message, "The upstream did not begin to answer within 300 ms");
  await upstream.requests[0]!.closed;
  const plain = await failureOf(transport.request({ ...stream, stream: false }, never()));
  assert.equal(plain.message, "The upstream did not complete within 1000 ms");
  await upstream.requests[1]!.closed;
});

both("ends at the limit of a read, and stays ended", async (transport) => {
  await using upstream = await startFakeUpstream({ steps: ["ab", "stall!"] });
  const response = await transport.request(post(upstream.url), never());
  await response.read(5_000);
  for (let call = 0; call < 2; call++) {
    const error = await failureOf(response.read(20));
    assert.equal(error.message, "The upstream did not send more within 20 ms");
  }
  await upstream.requests[0]!.closed;
});

both("an abort closes the connection at once, in every phase", async (transport) => {
  await using upstream = await startFakeUpstream([
    { framing: "raw", steps: ["stall!"] },
    { framing: "raw", steps: ["HTTP/1.1 200 OK\r\n", "stall!"] },
    { steps: ["ab", "stall!"] },
    { headers: { "content-length": "9" }, steps: ["ab", "stall!"], framing: "length" },
  ]);
  for (let call = 0; call < 4; call++) {
    const controller = new AbortController();
    const failed = failureOf(
      transport.request(post(upstream.url), controller.signal)
        .then((response) => response.text(1_000)),
    );
    const request = await upstream.received(call);
    controller.abort();
    assert.equal((await failed).failure, "aborted");
    await request.closed;
  }
});

both("an abort after the end changes nothing", async (transport) => {
  await using upstream = await startFakeUpstream(jsonReply({}));
  const controller = new AbortController();
  await (await transport.request(post(upstream.url), controller.signal)).text(100);
  controller.abort();
  assert.equal(await (await transport.request(post(upstream.url), never())).text(100), "{}");
});

both("calls nobody when aborted already, or when nobody listens", async (transport) => {
  const upstream = await startFakeUpstream(jsonReply({}));
  const aborted = await failureOf(transport.request(post(upstream.url), AbortSignal.abort()));
  assert.equal(aborted.failure, "aborted");
  assert.equal(upstream.requests.length, 0);
  await upstream.stop();
  const refused = await failureOf(transport.request(post(upstream.url), never()));
  assert.equal(refused.failure, "broken");
});

both("release() lets a body that ends soon keep its connection", async (transport) => {
  const gate = Promise.withResolvers<void>();
  await using upstream = await startFakeUpstream([{ steps: ["ab", gate.promise] }, jsonReply({})]);
  const response = await transport.request(post(upstream.url), never());
  await response.read(5_000);
  response.release();
  gate.resolve();
  // The end of the body is on its way; whichever connection serves, the call succeeds.
  assert.equal(await (await transport.request(post(upstream.url), never())).text(100), "{}");
});

both("many calls at once each get their own answer", async (transport) => {
  await using upstream = await startFakeUpstream((request) =>
    textReply("text/plain", request.body)
  );
  const bodies = Array.from({ length: 50 }, (_, at) => `body ${at}`);
  const answers = await Promise.all(bodies.map(async (body) => {
    const response = await transport.request(post(upstream.url, { body }), never());
    return await response.text(100);
  }));
  assert.deepEqual(answers, bodies);
});
