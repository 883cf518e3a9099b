/**
 * Answers count in the memory that bodies share, whoever makes them, until they are sent.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody, chunk, finishChunk } from "../support/chat_bodies.ts";
import { jsonReply, sseReply, startFakeUpstream, textReply } from "../support/fake_upstream.ts";
import { RawSocket } from "../support/raw_socket.ts";
import { lastCall } from "../support/settled_calls.ts";
import { type ApiAnswer, startResponsesGateway } from "../support/responses_gateway.ts";

const MIB = 1024 ** 2;
const chat = (model: string, content: string, fields: object = {}) => ({
  body: { model, messages: [{ role: "user", content }], ...fields },
});
/** Less than what is asked for below, more than each of the others holds. */
const SMALL_BUDGET = { maxInFlightBytes: 2 * MIB };

function assertNoRoom({ status, headers, body }: ApiAnswer, label: string): void {
  assert.equal(status, 429, `${label}: ${JSON.stringify(body).slice(0, 200)}`);
  assert.equal(body.error.code, "POOL_LIMIT_EXCEEDED", label);
  assert.equal(headers.get("retry-after"), "1", label);
  assert.match(body.error.message, /MiB/, label);
}

Deno.test("an answer that has no room is refused and not charged, and its upstream stays well", async () => {
  const large = "x".repeat(3 * MIB);
  const responseBody = {
    id: "resp_1",
    object: "response",
    status: "completed",
    output: [{
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: large }],
    }],
  };
  for (
    const [reply, path, body] of [
      [jsonReply(answerBody(large)), "/chat/completions", chat("m", "Hi").body],
      [jsonReply(answerBody(large)), "/chat/completions", chat("both", "Hi").body],
      [jsonReply(answerBody(large)), "/responses", { model: "m", input: "Hi" }],
      [jsonReply(responseBody), "/responses", { model: "native", input: "Hi" }],
      [
        jsonReply({
          object: "list",
          data: [{ index: 0, embedding: Array(400_000).fill(0.123456) }],
        }),
        "/embeddings",
        { model: "embed", input: "Hi" },
      ],
    ] as const
  ) {
    const label = `${path} ${body.model}`;
    await using upstream = await startFakeUpstream(reply);
    await using gateway = await startResponsesGateway(upstream.url, SMALL_BUDGET);
    const before = await gateway.balance();
    assertNoRoom(await gateway.api("POST", path, { body }), label);
    await gateway.quiet();
    assert.deepEqual(await gateway.balance(), before, label);
    const { state, result, errorCode, lossE8 } = await lastCall(gateway);
    assert.deepEqual([state, result, errorCode], ["released", "refused", "POOL_LIMIT_EXCEEDED"]);
    assert.ok(lossE8 > 0n, `${label}: its upstream has worked all the same`);
    const { dayE8 } = gateway.admin.spending.view({ scope: "project", id: "paying" });
    assert.equal(dayE8, lossE8, `${label}: no way around budgets`);
    assert.equal(upstream.requests.length, 1, "asked no other upstream, and none again");
    // Nothing stays counted, and no route rests: the same is asked of the upstream again.
    for (let i = 0; i < 5; i++) assertNoRoom(await gateway.api("POST", path, { body }), label);
    assert.equal(upstream.requests.length, 6, label);
    const small = await gateway.api("POST", "/chat/completions", chat("echo-1", "y".repeat(MIB)));
    assert.equal(small.status, 200, label);
  }
});

Deno.test("what the built-in models make counts", async () => {
  await using gateway = await startResponsesGateway(undefined, SMALL_BUDGET);
  const text = "word ".repeat(10_000);
  assertNoRoom(
    await gateway.api("POST", "/chat/completions", chat("echo-1", text, { n: 128 })),
    "n",
  );
  assertNoRoom(
    await gateway.api("POST", "/embeddings", {
      body: { model: "hash-embed-1", input: Array(100).fill("x") },
    }),
    "floats",
  );
  // The same in base64 is small, and a stream writes one text as often as is asked.
  const small = await gateway.api("POST", "/embeddings", {
    body: { model: "hash-embed-1", input: Array(100).fill("x"), encoding_format: "base64" },
  });
  assert.equal(small.status, 200);
  const leaving = new AbortController();
  const stream = await gateway.send("POST", "/chat/completions", {
    ...chat("echo-1", text, { n: 128, stream: true }),
    signal: leaving.signal,
  });
  assert.equal(stream.status, 200);
  leaving.abort();
  await stream.body?.cancel().catch(() => {});
  await gateway.quiet();
});

Deno.test("what is kept of a stream counts, and ends it where there is no room", async () => {
  const part = "x".repeat(MIB / 4);
  const deltas = Array(16).fill(chunk({ content: part }));
  await using upstream = await startFakeUpstream(sseReply([...deltas, finishChunk(), "[DONE]"]));
  await using gateway = await startResponsesGateway(upstream.url, SMALL_BUDGET);
  const stream = await gateway.send("POST", "/responses", {
    body: { model: "m", input: "Hi", stream: true },
    key: gateway.stranger,
  });
  const text = await stream.text();
  const names = [...text.matchAll(/^event: (\S+)$/gm)].map(([, name]) => name);
  assert.deepEqual(names.slice(-2), ["response.failed", "error"]);
  assert.ok(text.includes("POOL_LIMIT_EXCEEDED"));
  const { body: call } = await gateway.api("GET", `/calls/${stream.headers.get("x-request-id")}`, {
    key: gateway.stranger,
  });
  assert.equal(call.pricing.sale_amount, "0.00000000", JSON.stringify(call));
  assert.deepEqual([call.result, call.error_code], ["refused", "POOL_LIMIT_EXCEEDED"]);
  await gateway.quiet();
  const { lossE8 } = await lastCall(gateway);
  const { dayE8 } = gateway.admin.spending.view({ scope: "project", id: "default" });
  assert.ok(lossE8 > 0n && dayE8 === lossE8, "what the upstream did counts against budgets");
  // Of a chat nothing is kept: any length passes.
  const passing = await gateway.send(
    "POST",
    "/chat/completions",
    chat("m", "Hi", { stream: true }),
  );
  assert.ok((await passing.text()).endsWith("data: [DONE]\n\n"));
});

Deno.test("an event that comes in many reads counts while it is not whole", async () => {
  const event = `data: ${JSON.stringify(chunk({ content: "x".repeat(3 * MIB) }))}\n\n`;
  await using upstream = await startFakeUpstream(textReply("text/event-stream", event));
  await using gateway = await startResponsesGateway(upstream.url, SMALL_BUDGET);
  const refused = await gateway.api("POST", "/chat/completions", chat("m", "Hi", { stream: true }));
  assertNoRoom(refused, "event");
});

Deno.test("a large answer counts until its reader has taken all of it, and nobody else's waits", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("x".repeat(12 * MIB))));
  await using gateway = await startResponsesGateway(upstream.url, {
    maxInFlightBytes: 32 * MIB,
  });
  const { hostname, port } = new URL(gateway.url);
  const body = JSON.stringify(chat("m", "Hi").body);
  const ask = async () => {
    const socket = await RawSocket.connect({ transport: "tcp", hostname, port: Number(port) });
    await socket.send(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${gateway.payer}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    return socket;
  };
  using slow = await ask();
  assert.match(await slow.readThrough("\r\n\r\n"), /^HTTP\/1.1 200/);
  await gateway.quiet();
  using second = await ask();
  assert.match(await second.readThrough("\r\n\r\n"), /^HTTP\/1.1 200/);
  await gateway.quiet();
  // Both calls are over, and their answers are there: there is no room for a third.
  const third = await gateway.api("POST", "/chat/completions", chat("m", "Hi"));
  assertNoRoom(third, "third");
  const other = await gateway.api("POST", "/chat/completions", {
    ...chat("echo-1", "small"),
    key: gateway.stranger,
  });
  assert.equal(other.status, 200);
  slow.conn.close();
  second.conn.close();
  await gateway.quiet();
});
