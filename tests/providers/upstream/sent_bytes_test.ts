/**
 * Long conversations on the wire to upstreams that speak their callers' dialect.
 *
 * @module
 */

import assert from "node:assert/strict";
import { systemClock } from "../../../src/domain/clock.ts";
import { writeJson } from "../../../src/domain/json_source.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { readJson } from "../../../src/http/bodies/read_json.ts";
import { createAnthropic } from "../../../src/providers/anthropic/provider.ts";
import { createTransport } from "../../../src/providers/transport/transport.ts";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { messageBody } from "../../support/message_bodies.ts";
import {
  chatCall,
  completion,
  never,
  openAiCompatible,
  providerSettings,
} from "../../support/provider_parts.ts";
import { receivedRequest } from "../../support/received_request.ts";

const LIMITS = { maxBytes: 1_000_000, maxDepth: 50, budget: { reserve() {}, release() {} } };

const MESSAGES = Array.from({ length: 50 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `${index}: "naïve"\n漢字 ${"and so on ".repeat(20)}`,
}));

/** A body as it came, which is sent on without being written anew. */
async function received(): Promise<JsonObject> {
  const body = JSON.stringify({ model: "m", messages: MESSAGES, max_tokens: 9 });
  const headers = { "content-type": "application/json" };
  const { value } = await readJson(receivedRequest({ headers, body }), LIMITS);
  assert.notEqual(typeof writeJson(value as JsonObject), "string");
  return value as JsonObject;
}

const SENT = JSON.stringify({ model: "upstream-model", messages: MESSAGES, max_tokens: 9 });

Deno.test("a chat of many messages is sent as it came, but for its model", async () => {
  await using upstream = await startFakeUpstream(jsonReply(completion({})));
  const call = { ...chatCall(), body: await received() };
  await openAiCompatible(upstream.url).speaks.openai_chat.answer(call, never());
  assert.equal(upstream.requests[0]!.body, SENT);
});

Deno.test("messages of Anthropic's API are sent as they came, but for their model", async () => {
  await using upstream = await startFakeUpstream(
    jsonReply(messageBody([{ type: "text", text: "Hi" }])),
  );
  const clock = systemClock;
  const transport = createTransport({ clock });
  const provider = createAnthropic(
    providerSettings({
      kind: "anthropic",
      baseUrl: upstream.url.replace(/\/v1$/, ""),
      auth: { kind: "header", name: "x-api-key" },
    }),
    { transport, clock, random: Math.random, secrets: () => "sk-ant-key-0123456789" },
  );
  try {
    const call = { ...chatCall(), body: await received() };
    await provider.speaks.anthropic_messages.answer(call, never());
    assert.equal(upstream.requests[0]!.body, SENT);
  } finally {
    transport.close();
  }
});
