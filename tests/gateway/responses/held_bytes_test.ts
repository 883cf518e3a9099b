/**
 * What requests of the Responses API bring into memory, against the budget of all
 * bodies in flight.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { answerBody } from "../../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { type ResponsesGateway, startResponsesGateway } from "../../support/responses_gateway.ts";

const BUDGET = { maxInFlightBytes: 100_000 };
const LARGE = "x".repeat(60_000);

async function assertRefused(gateway: ResponsesGateway, fields: JsonObject): Promise<void> {
  const { status, headers, body } = await gateway.api("POST", "/responses", {
    body: { model: "m", ...fields },
  });
  assert.deepEqual([status, body.error.code], [429, "POOL_LIMIT_EXCEEDED"]);
  assert.equal(headers.get("retry-after"), "1");
}

Deno.test("the conversation that a request goes on with counts as a body in flight", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await startResponsesGateway(upstream.url, BUDGET);
  const first = await gateway.respond({ input: LARGE });
  const second = await gateway.respond({ input: "Short", previous_response_id: first.id });
  const asked = upstream.requests.length;
  for (const mode of [{}, { stream: true }, { background: true }]) {
    await assertRefused(gateway, { input: LARGE, previous_response_id: second.id, ...mode });
  }
  assert.equal(upstream.requests.length, asked);
  assert.equal((await gateway.balance()).held, 0n);
  // Everything is given back, by answers and by refusals.
  await gateway.respond({ input: LARGE });
  await gateway.respond({ input: "x".repeat(99_000), store: false });
});

Deno.test("items that are referred to count as well", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody(LARGE)));
  await using gateway = await startResponsesGateway(upstream.url, BUDGET);
  const { output } = await gateway.respond({ input: "Tell me" });
  const [{ id }] = output as [{ readonly id: string }];
  const referring = (text: string) => ({
    input: [{ type: "item_reference", id }, { role: "user", content: text }],
  });
  await gateway.respond(referring("Short"));
  await assertRefused(gateway, referring(LARGE));
  await gateway.respond({ input: "x".repeat(99_000), store: false });
});

Deno.test("an answer in the background is counted until it is there", async () => {
  await using upstream = await startFakeUpstream({
    ...jsonReply(answerBody("Hi")),
    before: ["stall!"],
  });
  await using gateway = await startResponsesGateway(upstream.url, BUDGET);
  // While it begins, it is counted as the body that it came in, too.
  const input = LARGE.slice(0, 45_000);
  const { id } = await gateway.respond({ input, background: true });
  await upstream.received(0);
  await assertRefused(gateway, { model: "echo-1", input: LARGE });
  await gateway.api("POST", `/responses/${id}/cancel`);
  await gateway.respond({ model: "echo-1", input: LARGE });
});
