/**
 * What a request may take of what all projects share, and when: its place before its body, memory
 * for as long as it holds it, and answers that are read or given again.
 *
 * @module
 */

import assert from "node:assert/strict";
import { setKey } from "../../src/admin/accounts/keys.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { answerBody, chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import { jsonReply, sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { RawSocket } from "../support/raw_socket.ts";
import { type ResponsesGateway, startResponsesGateway } from "../support/responses_gateway.ts";

const CHAT = { model: "m", messages: [{ role: "user", content: "Hello" }] };
const LARGE = "x".repeat(60_000);

/** Changes the limits or models of the key that pays. */
async function change(
  { admin }: ResponsesGateway,
  changes: { readonly limits?: object; readonly models?: readonly string[] },
): Promise<void> {
  const keys = await admin.storage.accounts.loadKeys();
  const payer = keys.find(({ projectId }) => projectId === "paying")!;
  await runOperation(setKey, {
    deps: admin,
    input: { key_id: payer.id, ...changes } as Parameters<typeof setKey.run>[1],
  });
}

/** Sends the head of a request whose body waits for `100 Continue`. */
async function knock(gateway: ResponsesGateway, key: string, path: string): Promise<RawSocket> {
  const { hostname, port } = new URL(gateway.url);
  const socket = await RawSocket.connect({ transport: "tcp", hostname, port: Number(port) });
  await socket.send(
    `POST /v1${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n` +
      "Content-Type: application/json\r\nExpect: 100-continue\r\n" +
      "Content-Length: 9000000\r\n\r\n",
  );
  return socket;
}

const PATHS = ["/chat/completions", "/responses", "/embeddings", "/videos"];

Deno.test("no body is read of a request without a key, or without a place", async () => {
  await using upstream = await startFakeUpstream({
    ...jsonReply(answerBody("Hi")),
    before: ["stall!"],
  });
  await using gateway = await startResponsesGateway(upstream.url);
  await change(gateway, { limits: { concurrent: 1 } });
  const leaving = new AbortController();
  const first = gateway.send("POST", "/chat/completions", {
    body: CHAT,
    signal: leaving.signal,
  }).catch(() => undefined);
  await upstream.received(0);
  for (const path of PATHS) {
    using stranger = await knock(gateway, `sk-tg-${"x".repeat(43)}`, path);
    assert.equal((await stranger.readResponse()).status, 401, path);
    using second = await knock(gateway, gateway.payer, path);
    const refused = await second.readResponse();
    assert.equal(refused.status, 429, path);
    assert.match(refused.body, /limit of 1 requests at the same time/);
    assert.equal(refused.headers.get("retry-after"), "1");
  }
  // Another project is asked for its body.
  using other = await knock(gateway, gateway.stranger, "/chat/completions");
  assert.equal(await other.readThrough("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  leaving.abort();
  await first;
  await gateway.quiet();
  using again = await knock(gateway, gateway.payer, "/chat/completions");
  assert.equal(await again.readThrough("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
});

Deno.test("a request that is refused gives its place back", async () => {
  await using gateway = await startResponsesGateway();
  await change(gateway, { limits: { concurrent: 1 } });
  for (
    const [path, body, status] of [
      ["/chat/completions", "{", 400],
      ["/chat/completions", { model: "m" }, 400],
      ["/responses", { model: "none", input: "x" }, 404],
      ["/embeddings", { model: "m", input: "x" }, 400],
      ["/videos", {}, 400],
      ["/chat/completions", { ...CHAT, model: "echo-1" }, 200],
      ["/responses", { model: "echo-1", input: "x", background: true }, 200],
    ] as const
  ) {
    assert.equal((await gateway.api("POST", path, { body })).status, status, path);
    await gateway.quiet();
  }
});

Deno.test("the body of a stream counts until the stream ends, however it ends", async () => {
  for (const ending of ["by itself", "by its reader"]) {
    const go = Promise.withResolvers<void>();
    await using upstream = await startFakeUpstream(
      sseReply([
        chunk({ role: "assistant", content: "Hi" }),
        go.promise,
        finishChunk(),
        usageChunk(10, 5),
        "[DONE]",
      ]),
    );
    await using gateway = await startResponsesGateway(upstream.url, { maxInFlightBytes: 100_000 });
    const leaving = new AbortController();
    const body = { ...CHAT, messages: [{ role: "user", content: LARGE }], stream: true };
    const stream = await gateway.send("POST", "/chat/completions", {
      body,
      signal: leaving.signal,
    });
    assert.equal(stream.status, 200);
    const echo = { ...CHAT, model: "echo-1", messages: [{ role: "user", content: LARGE }] };
    const refused = await gateway.api("POST", "/chat/completions", { body: echo });
    assert.equal(refused.status, 429, ending);
    if (ending === "by itself") {
      go.resolve();
      assert.match(await stream.text(), /\[DONE\]/);
    } else {
      leaving.abort();
      await stream.body?.cancel().catch(() => {});
    }
    await gateway.quiet();
    assert.equal((await gateway.api("POST", "/chat/completions", { body: echo })).status, 200);
    go.resolve();
  }
});

Deno.test("a repeated answer is refused to a key that has lost its model", async () => {
  await using upstream = await startFakeUpstream([
    jsonReply(answerBody("secret words")),
    sseReply([chunk({ role: "assistant", content: "secret words" }), finishChunk(), "[DONE]"]),
  ]);
  await using gateway = await startResponsesGateway(upstream.url);
  const post = (stream: boolean) =>
    gateway.send("POST", "/chat/completions", {
      body: { ...CHAT, stream },
      headers: { "idempotency-key": `key-${stream}` },
    });
  for (const stream of [false, true]) {
    const [first, again] = [await post(stream), await post(stream)];
    assert.match(await first.text(), /secret words/);
    assert.match(await again.text(), /secret words/);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
  }
  await change(gateway, { models: ["embed"] });
  for (const stream of [false, true]) {
    const refused = await post(stream);
    const text = await refused.text();
    assert.equal(refused.status, 403);
    assert.match(text, /MODEL_NOT_ALLOWED/);
    assert.doesNotMatch(text, /secret/);
  }
});

Deno.test("repeated answers and long reads count as requests, and looking does not", async () => {
  await using upstream = await startFakeUpstream([
    jsonReply(answerBody("y".repeat(100_000))),
    jsonReply(answerBody("short")),
  ]);
  await using gateway = await startResponsesGateway(upstream.url);
  await change(gateway, { limits: { requests_per_minute: 5, concurrent: 1 } });
  const long = await gateway.respond({ input: "Long" });
  const short = await gateway.respond({ input: "Short" });
  const left = async () =>
    (await gateway.api("GET", "/key")).body.remaining.requests_per_minute as number;
  assert.equal(await left(), 3);
  for (let look = 0; look < 5; look++) {
    assert.equal((await gateway.api("GET", `/responses/${short.id}`)).status, 200);
    assert.equal((await gateway.api("GET", `/responses/${short.id}/input_items`)).status, 200);
  }
  assert.equal(await left(), 3);
  const read = await gateway.api("GET", `/responses/${long.id}`);
  assert.equal(read.body.output[0].content[0].text, "y".repeat(100_000));
  assert.equal(await left(), 2);
  const keyed = { body: { model: "m", input: "Short" }, headers: { "idempotency-key": "k" } };
  const first = await gateway.api("POST", "/responses", keyed);
  assert.equal(await left(), 1);
  const again = await gateway.api("POST", "/responses", keyed);
  assert.equal(again.body.id, first.body.id);
  assert.equal(await left(), 0);
  for (
    const refused of [
      await gateway.api("GET", `/responses/${long.id}`),
      await gateway.api("POST", "/responses", keyed),
    ]
  ) {
    assert.equal(refused.status, 429);
    assert.equal(refused.body.output, undefined);
  }
  assert.equal((await gateway.api("GET", `/responses/${short.id}`)).status, 200);
});

Deno.test("to cancel an answer that is long already counts as to read it", async () => {
  await using upstream = await startFakeUpstream([
    jsonReply(answerBody("y".repeat(100_000))),
    jsonReply(answerBody("short")),
  ]);
  await using gateway = await startResponsesGateway(upstream.url);
  const ids = [];
  for (const input of ["Long", "Short"]) {
    const { id } = await gateway.respond({ input, background: true });
    await gateway.quiet();
    ids.push(id);
  }
  await change(gateway, { limits: { requests_per_minute: 1 } });
  const cancel = (id: string) => gateway.api("POST", `/responses/${id}/cancel`);
  assert.deepEqual([(await cancel(ids[1]!)).status, (await cancel(ids[1]!)).status], [200, 200]);
  assert.equal((await cancel(ids[0]!)).body.status, "completed");
  const refused = await cancel(ids[0]!);
  assert.equal(refused.status, 429);
  assert.equal(refused.body.output, undefined);
  assert.equal((await gateway.api("DELETE", `/responses/${ids[0]}`)).status, 200);
});

Deno.test("a long answer holds its place until it is read", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("y".repeat(12_000_000))));
  await using gateway = await startResponsesGateway(upstream.url);
  const long = await gateway.respond({ input: "Long" });
  await change(gateway, { limits: { concurrent: 1 } });
  const { hostname, port } = new URL(gateway.url);
  const slow = await RawSocket.connect({ transport: "tcp", hostname, port: Number(port) });
  await slow.send(
    `GET /v1/responses/${long.id} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${gateway.payer}\r\n\r\n`,
  );
  await slow.readThrough("\r\n\r\n");
  assert.equal((await gateway.api("GET", `/responses/${long.id}`)).status, 429);
  slow[Symbol.dispose]();
  for (;;) {
    const response = await gateway.send("GET", `/responses/${long.id}`);
    const text = await response.text();
    if (response.status === 429) continue; // it has not been seen yet that the first has gone
    assert.equal(JSON.parse(text).output[0].content[0].text.length, 12_000_000);
    break;
  }
});
