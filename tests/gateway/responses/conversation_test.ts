/**
 * Conversations that go on from kept answers.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { StoredResponse } from "../../../src/domain/stored_response.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import type { CommitQueue } from "../../../src/storage/ports/commit_queue.ts";
import { answerBody } from "../../support/chat_bodies.ts";
import { type FakeUpstream, jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { type ResponsesGateway, startResponsesGateway } from "../../support/responses_gateway.ts";

/** An upstream with chat whose n-th answer is `Answer n`. */
function numberingUpstream(): Promise<FakeUpstream> {
  let answers = 0;
  return startFakeUpstream(() => jsonReply(answerBody(`Answer ${++answers}`)));
}

/** Role and text of each message that the upstream got with its last request. */
function lastMessages(upstream: FakeUpstream): string[] {
  const { messages } = upstream.requests.at(-1)!.json() as { messages: JsonObject[] };
  return messages.map(({ role, content }) => {
    const text = typeof content === "string"
      ? content
      : (content as JsonObject[]).map(({ text }) => text).join("");
    return `${role}: ${text}`;
  });
}

/** Changes a kept answer behind the gateway's back. */
async function alter(
  gateway: ResponsesGateway,
  responseId: string,
  change: (kept: StoredResponse) => StoredResponse,
): Promise<void> {
  const { storage } = gateway.admin;
  const commits = gateway.admin.commits as CommitQueue;
  const kept = await storage.responses.find({ projectId: "paying", responseId });
  await commits.commit({ kind: "delete_response", responseId, projectId: "paying" });
  const result = await commits.commit({ kind: "put_response", response: change(kept!) });
  assert.equal(result.ok, true);
}

Deno.test("a conversation is sent whole and in order, without the instructions of earlier turns", async () => {
  await using upstream = await numberingUpstream();
  await using gateway = await startResponsesGateway(upstream.url);
  const first = await gateway.respond({ input: "One", instructions: "Be brief" });
  const second = await gateway.respond({ input: "Two", previous_response_id: first.id });
  assert.deepEqual(lastMessages(upstream), ["user: One", "assistant: Answer 1", "user: Two"]);
  const third = await gateway.respond({
    input: [{ role: "user", content: "Three" }, {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "Four" }],
    }],
    instructions: "Be long",
    previous_response_id: second.id,
  });
  assert.deepEqual(lastMessages(upstream), [
    "system: Be long",
    "user: One",
    "assistant: Answer 1",
    "user: Two",
    "assistant: Answer 2",
    "user: Three",
    "user: Four",
  ]);
  assert.deepEqual(
    [first, second, third].map((one) => one.previous_response_id),
    [null, first.id, second.id],
  );
  assert.equal(second.instructions, null);
  // Two answers may go on from one.
  await gateway.respond({ input: "Other", previous_response_id: first.id });
  assert.deepEqual(lastMessages(upstream), ["user: One", "assistant: Answer 1", "user: Other"]);
  // Only its own input is an answer's input.
  const items = await gateway.api("GET", `/responses/${third.id}/input_items?order=asc`);
  assert.deepEqual(items.body.data.map(({ role }: JsonObject) => role), ["user", "user"]);
});

Deno.test("a call of an earlier answer is answered by an output alone", async () => {
  const call = {
    id: "call_7",
    type: "function",
    function: { name: "weather", arguments: "{}" },
  };
  const asks = answerBody("");
  Object.assign((asks.choices as JsonObject[])[0]!, {
    message: { role: "assistant", content: null, tool_calls: [call] },
    finish_reason: "tool_calls",
  });
  await using upstream = await startFakeUpstream([jsonReply(asks), jsonReply(answerBody("Sunny"))]);
  await using gateway = await startResponsesGateway(upstream.url);
  const tools = [{ type: "function", name: "weather", parameters: {}, strict: false }];
  const first = await gateway.respond({ input: "Weather?", tools });
  const output = (call_id: string) => ({ type: "function_call_output", call_id, output: "17 C" });
  const second = await gateway.respond({
    input: [output("call_7")],
    tools,
    previous_response_id: first.id,
  });
  const { messages } = upstream.requests[1]!.json() as { messages: JsonObject[] };
  assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant", "tool"]);
  assert.equal(messages[2]!.tool_call_id, "call_7");
  // As the request counts its items, not the conversation.
  const wrong = await gateway.api("POST", "/responses", {
    body: {
      model: "m",
      input: [{ role: "user", content: "And?" }, output("call_8")],
      previous_response_id: second.id,
    },
  });
  assert.equal(wrong.status, 400);
  assert.equal(wrong.body.error.param, "input[1].call_id");
  assert.match(wrong.body.error.message, /'call_8'/);
  assert.equal(upstream.requests.length, 2);
});

Deno.test("what is not there to go on from is refused, whoever has it", async () => {
  await using upstream = await numberingUpstream();
  await using gateway = await startResponsesGateway(upstream.url);
  const foreign = await gateway.respond({ input: "One" }, { key: gateway.stranger });
  const unstored = await gateway.respond({ input: "One", store: false });
  const deleted = await gateway.respond({ input: "One" });
  await gateway.api("DELETE", `/responses/${deleted.id}`);
  const expired = await gateway.respond({ input: "One" });
  await alter(gateway, expired.id, (kept) => ({ ...kept, expiresAt: Date.now() }));
  const first = await gateway.respond({ input: "One" });
  const second = await gateway.respond({ input: "Two", previous_response_id: first.id });
  await gateway.api("DELETE", `/responses/${first.id}`);

  const asked = upstream.requests.length;
  const { avail } = await gateway.balance();
  const messages = new Set<string>();
  for (
    const id of [foreign.id, unstored.id, deleted.id, expired.id, second.id, "resp_none", "é\0'"]
  ) {
    for (const stream of [false, true]) {
      const { status, body } = await gateway.api("POST", "/responses", {
        body: { model: "m", input: "Go on", previous_response_id: id, stream },
      });
      assert.equal(status, 400, id);
      assert.equal(body.error.code, "previous_response_not_found");
      assert.equal(body.error.param, "previous_response_id");
      messages.add(body.error.message.replace(id, "ID"));
    }
  }
  // Foreign, deleted and never existing look alike; a gap further back is told as one.
  assert.equal(messages.size, 2);
  assert.ok([...messages].some((message) => message.includes(`'${first.id}'`)));
  assert.equal(upstream.requests.length, asked);
  assert.equal((await gateway.balance()).avail, avail);
});

Deno.test("nothing goes on from an answer that has no end, or a bad one", async () => {
  await using upstream = await numberingUpstream();
  await using gateway = await startResponsesGateway(upstream.url);
  for (const status of ["queued", "in_progress", "failed", "cancelled"] as const) {
    const { id } = await gateway.respond({ input: "One" });
    await alter(gateway, id, (kept) => ({ ...kept, status, isBackground: true }));
    const { status: code, body } = await gateway.api("POST", "/responses", {
      body: { model: "m", input: "Go on", previous_response_id: id },
    });
    assert.equal(code, 400);
    assert.equal(body.error.code, "invalid_value");
    assert.equal(body.error.param, "previous_response_id");
    assert.match(body.error.message, new RegExp(`as it is ${status}$`));
  }
  const cut = await gateway.respond({ input: "One" });
  await alter(gateway, cut.id, (kept) => ({ ...kept, status: "incomplete" }));
  await gateway.respond({ input: "Go on", previous_response_id: cut.id });
});

Deno.test("a conversation may be as large as a body, and have a thousand answers", async () => {
  await using upstream = await numberingUpstream();
  await using gateway = await startResponsesGateway(upstream.url);
  const { storage } = gateway.admin;
  const commits = gateway.admin.commits as CommitQueue;
  // A project that does not pay: the worst case of such a conversation is dear.
  const key = gateway.stranger;
  const { id } = await gateway.respond({ input: "One" }, { key });
  const kept = (await storage.responses.find({ projectId: "default", responseId: id }))!;
  let callId = 1_000_000;
  /** Keeps so many answers, each after the one before, and gives the last one's id. */
  async function chain(count: number, turn: { text: string; tools?: string }): Promise<string> {
    let previousId: string | undefined;
    for (let index = 0; index < count; index++) {
      callId++;
      const response: StoredResponse = {
        ...kept,
        id: `resp_${callId}`,
        callId,
        previousId,
        input: JSON.stringify([{ type: "message", role: "user", content: turn.text }]),
        body: JSON.stringify({ output: [], tools: turn.tools }),
      };
      commits.enqueue({ kind: "put_response", response });
      previousId = response.id;
    }
    await commits.flush();
    return previousId!;
  }
  async function goOn(previous_response_id: string) {
    const { status, body } = await gateway.api("POST", "/responses", {
      key,
      body: { model: "m", input: "Go on", previous_response_id },
    });
    return status === 200 ? status : [status, body.error.code, body.error.param];
  }
  const tooLong = [413, "request_too_large", "previous_response_id"];
  assert.equal(await goOn(await chain(1_000, { text: "Hi" })), 200);
  assert.deepEqual(await goOn(await chain(1_001, { text: "Hi" })), tooLong);
  // 20 MiB in all, of characters of three bytes; of what is not sent again nothing counts.
  const text = "漢".repeat(1_000_000);
  assert.equal(await goOn(await chain(6, { text, tools: "x".repeat(1_000_000) })), 200);
  assert.deepEqual(await goOn(await chain(7, { text })), tooLong);
});
