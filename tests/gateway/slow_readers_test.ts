/**
 * How fast a route writes is its upstream's doing: over real connections, a caller that reads slowly
 * takes nothing from it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody, chunk, finishChunk, twoRoutes, usageChunk } from "../support/chat_bodies.ts";
import { jsonReply, sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { RawSocket } from "../support/raw_socket.ts";
import { ask } from "../support/settled_calls.ts";
import { until } from "../support/until.ts";

/** Together far more than all buffers of sockets on the way hold. */
const LONG = chunk({ content: "words ".repeat(40_000) });
const LONG_CHUNKS = 100;

const END = [finishChunk(), usageChunk(10, 5_000), "[DONE]"];

function speedOf({ admin }: TestGateway): number | undefined {
  return admin.health.tokensPerSecond(ask.route);
}

Deno.test("a caller that reads slowly says nothing of how fast its route writes", async () => {
  const long = Array<object>(LONG_CHUNKS).fill(LONG);
  await using upstream = await startFakeUpstream((request) =>
    request.json().stream === true ? sseReply([...long, ...END]) : jsonReply(answerBody("Hi"))
  );
  await using gateway = await startTestGateway({
    catalogue: twoRoutes(upstream.url, upstream.url),
  });
  const key = await gateway.key("default");
  const { hostname, port } = new URL(gateway.url);
  using slow = await RawSocket.connect({ transport: "tcp", hostname, port: Number(port) });
  const body = JSON.stringify({ ...ask, stream: true });
  await slow.send(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await slow.readThrough("words ");
  // Its buffers are full long before these are answered.
  for (let call = 0; call < 150; call++) {
    await (await gateway.chat(ask, { key })).text();
  }
  await drain(slow.conn);
  // Its last bytes may be here before the call has ended there.
  await until("the call to end", () => gateway.running.openCalls() === 0);
  assert.equal(speedOf(gateway), undefined);

  upstream.answer(sseReply([chunk({ content: "Hi" }), { pauseMs: 30 }, ...END]));
  await (await gateway.chat({ ...ask, stream: true }, { key })).text();
  const speed = speedOf(gateway);
  assert.ok(speed !== undefined && speed > 0, "one that reads at once tells it");
});

/** Reads an answer to its last chunk. */
async function drain(conn: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(64 * 1024);
  const decoder = new TextDecoder();
  for (let tail = ""; !tail.endsWith("\r\n0\r\n\r\n");) {
    const count = await conn.read(buffer);
    assert.ok(count !== null, "the answer is cut");
    tail = (tail + decoder.decode(buffer.subarray(0, count))).slice(-16);
  }
}
