/**
 * What is true of answers that equal requests get after the program was killed.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody, chunk, finishChunk, usageChunk } from "../support/chat_bodies.ts";
import { jsonReply, type Reply, sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { assertBooksAddUp, balanceOf, NONE, servePaying } from "../support/paying_gateway.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";

const USED = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 };
const HELLO = { model: "m", messages: [{ role: "user", content: "Hello" }] };

async function ask(gateway: ServedGateway, key: string, fields: object = {}) {
  const response = await gateway.chat(key, { ...HELLO, ...fields });
  return {
    cache: response.headers.get("x-tollgate-cache"),
    text: await response.text(),
  };
}

Deno.test("after kill -9 an equal request gets the answer that was paid for, whole and as a stream", async () => {
  await using upstream = await startFakeUpstream(({ body }): Reply =>
    JSON.parse(body).stream === true
      ? sseReply([chunk({ content: "Hi" }), finishChunk(), usageChunk(1_000, 500), "[DONE]"])
      : jsonReply(answerBody("Hi", USED))
  );
  const { gateway, key } = await servePaying(upstream.url);
  await using _ = gateway;
  await gateway.cli("projects", "set", "paying", "--cache-seconds", "3600");
  const whole = await ask(gateway, key);
  const streamed = await ask(gateway, key, { stream: true });
  assert.deepEqual([whole.cache, streamed.cache], ["miss", "miss"]);
  const paid = await balanceOf(gateway);
  assert.equal(paid.held, NONE);
  // One more is given again while the program dies: its record may be lost, its money may not.
  assert.equal((await ask(gateway, key)).cache, "hit");
  const { signal } = await gateway.server.kill();
  assert.equal(signal, "SIGKILL");
  for (const start of ["first", "second"]) {
    await using again = await serveGateway({ dataDir: gateway.server.dataDir });
    const text = (await ask(again, key)).text;
    assert.equal(JSON.parse(text).choices[0].message.content, "Hi", start);
    assert.equal(JSON.parse(text).pricing.sale_amount, NONE);
    const stream = await ask(again, key, { stream: true });
    assert.equal(stream.cache, "hit");
    assert.match(stream.text, /data: \[DONE\]\n\n$/);
    assert.deepEqual(await balanceOf(again), paid, start);
    await assertBooksAddUp(again);
    await again.server.kill();
  }
  assert.equal(upstream.requests.length, 2, "each was asked for once");
});
