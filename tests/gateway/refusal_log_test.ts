/**
 * What the log tells of a request that was refused before it became a call.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody, twoRoutes } from "../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway } from "../support/gateway.ts";

Deno.test("a refused request's line tells its key's id, address and model, if there is one", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await startTestGateway({
    catalogue: twoRoutes(upstream.url, upstream.url),
  });
  const key = await gateway.key("paying");
  const ask = { messages: [{ role: "user", content: "my private prompt" }] };
  assert.equal((await gateway.chat({ ...ask, model: "m" }, { key })).status, 402);
  assert.equal((await gateway.chat({ ...ask, model: "my private model" }, { key })).status, 404);
  await gateway.chat({ ...ask, model: "m" }, { key: "sk-tg-unknown" });
  await gateway.stop();
  const lines = gateway.log().trim().split("\n").map((line) => JSON.parse(line))
    .filter((line) => line.event === "request");
  const [poor, unknown, stranger] = lines;
  assert.equal(poor.status, 402);
  assert.equal(poor.project, "paying");
  assert.match(poor.key, /^key_/);
  assert.equal(poor.model, "m");
  assert.equal(poor.address, "127.0.0.1");
  // What no model is called may be anything that a caller has.
  assert.equal(unknown.model, undefined);
  assert.ok(!gateway.log().includes("my private model"));
  assert.deepEqual([stranger.status, stranger.key, stranger.address], [
    401,
    undefined,
    "127.0.0.1",
  ]);
  assert.ok(!gateway.log().includes(key) && !gateway.log().includes("my private prompt"));
});
