/**
 * References to items of kept answers.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { answerBody } from "../../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { messageItem, responseBody } from "../../support/response_bodies.ts";
import { startResponsesGateway } from "../../support/responses_gateway.ts";

const reference = (id: unknown) => ({ type: "item_reference", id });
const user = (content: string) => ({ type: "message", role: "user", content });

Deno.test("a reference stands for the item of a kept answer, for any upstream", async () => {
  await using upstream = await startFakeUpstream((request) =>
    request.target.endsWith("/responses")
      ? jsonReply(responseBody())
      : jsonReply(answerBody("A long answer"))
  );
  await using gateway = await startResponsesGateway(upstream.url);
  const first = await gateway.respond({ input: "Hello" });
  const [item] = first.output as [JsonObject];
  const before = await gateway.balance();
  const second = await gateway.respond({
    input: [user("Hello"), reference(item.id), user("Go on")],
  });
  const { messages } = upstream.requests[1]!.json() as { messages: JsonObject[] };
  assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant", "user"]);
  assert.match(JSON.stringify(messages[1]), /A long answer/);
  assert.notEqual((await gateway.balance()).avail, before.avail);
  // What is kept of the second answer does not depend on the first one.
  await gateway.api("DELETE", `/responses/${first.id}`);
  const items = await gateway.api("GET", `/responses/${second.id}/input_items?order=asc`);
  assert.deepEqual(items.body.data[1], item);
  await gateway.respond({ input: "And on", previous_response_id: second.id });

  await gateway.respond({ input: "Hello", model: "native" });
  const native = await gateway.respond({
    model: "native",
    input: [user("Hello"), reference("msg_1"), user("Go on")],
  });
  assert.equal(native.status, "completed");
  const { input } = upstream.requests.at(-1)!.json() as { input: JsonObject[] };
  assert.deepEqual(input.map(({ type }) => type), ["message", "message", "message"]);
  assert.deepEqual(input[1]!.content, messageItem("Hello").content);
});

Deno.test("of an id that an upstream uses again, the newest item is meant", async () => {
  let answers = 0;
  await using upstream = await startFakeUpstream(() =>
    jsonReply(responseBody({ output: [messageItem(`Answer ${++answers}`)] }))
  );
  await using gateway = await startResponsesGateway(upstream.url);
  const fields = { model: "native" };
  await gateway.respond({ ...fields, input: "One" });
  await gateway.respond({ ...fields, input: "Two" });
  await gateway.respond({ ...fields, input: "Elsewhere" }, { key: gateway.stranger });
  await gateway.respond({ ...fields, input: [user("One"), reference("msg_1")] });
  assert.match(upstream.requests.at(-1)!.body, /Answer 2/);
  assert.doesNotMatch(upstream.requests.at(-1)!.body, /Answer [13]/);
});

Deno.test("a reference to what the project does not keep is refused, naming it", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await startResponsesGateway(upstream.url);
  const idOf = (response: JsonObject) => (response.output as JsonObject[])[0]!.id;
  const foreign = idOf(await gateway.respond({ input: "One" }, { key: gateway.stranger }));
  const unstored = idOf(await gateway.respond({ input: "One", store: false }));
  const gone = await gateway.respond({ input: "One" });
  await gateway.api("DELETE", `/responses/${gone.id}`);
  const kept = await gateway.respond({ input: "One" });
  const asked = upstream.requests.length;
  const messages = new Set<string>();
  for (const id of [foreign, unstored, idOf(gone), "msg_none", "x".repeat(5_000), ""]) {
    const { status, body } = await gateway.api("POST", "/responses", {
      body: { model: "m", input: [user("Hello"), reference(id)] },
    });
    assert.equal(status, 400);
    assert.equal(body.error.code, "invalid_value");
    assert.equal(body.error.param, "input[1].id");
    assert.ok(body.error.message.length < 300);
    messages.add(body.error.message.replace(/'[^']*'/, "ID"));
  }
  assert.equal(messages.size, 1);
  const without = await gateway.api("POST", "/responses", {
    body: { model: "m", input: [{ type: "item_reference" }] },
  });
  assert.equal(without.body.error.param, "input[0].id");
  const twice = await gateway.api("POST", "/responses", {
    body: { model: "m", input: [reference(idOf(kept))], previous_response_id: kept.id },
  });
  assert.equal(twice.status, 400);
  assert.match(twice.body.error.message, /part of the previous response already/);
  assert.equal(upstream.requests.length, asked);
});

Deno.test("what references bring counts in the hold", async () => {
  await using upstream = await startFakeUpstream(
    jsonReply(answerBody("Long ".repeat(400_000), { prompt_tokens: 1, completion_tokens: 1 })),
  );
  await using gateway = await startResponsesGateway(upstream.url);
  const first = await gateway.respond({ input: "Hello" });
  const [{ id }] = first.output as [JsonObject];
  const asked = upstream.requests.length;
  // Three times two million bytes, at 2 for a million: more than is left of 10.
  const { status, body } = await gateway.api("POST", "/responses", {
    body: {
      model: "m",
      input: [user("Hello"), reference(id), reference(id), reference(id)],
      max_output_tokens: 1,
    },
  });
  assert.equal(status, 402);
  assert.equal(body.error.code, "INSUFFICIENT_BALANCE");
  const past = await gateway.api("POST", "/responses", {
    body: { model: "m", input: [reference(id)], max_output_tokens: 1 },
  });
  assert.equal(past.status, 200);
  assert.equal(upstream.requests.length, asked + 1);
});

Deno.test("one large item cannot be put in thousands of times", async () => {
  await using upstream = await startFakeUpstream(
    jsonReply(answerBody("Long ".repeat(400_000), { prompt_tokens: 1, completion_tokens: 1 })),
  );
  await using gateway = await startResponsesGateway(upstream.url);
  const first = await gateway.respond({ input: "Hello" });
  const [{ id }] = first.output as [JsonObject];
  const asked = upstream.requests.length;
  const { status, body } = await gateway.api("POST", "/responses", {
    body: { model: "m", input: Array(4_000).fill(reference(id)), max_output_tokens: 1 },
  });
  assert.deepEqual([status, body.error.code, body.error.param], [
    413,
    "request_too_large",
    "input",
  ]);
  assert.equal(upstream.requests.length, asked);
});
