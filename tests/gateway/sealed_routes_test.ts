/**
 * Which route sealed thoughts keep a conversation on, and that nobody chooses one by them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { wrapThoughts } from "../../src/dialects/base/wrapped_seal.ts";
import { ThoughtSeals } from "../../src/dialects/turns/thought_seals.ts";
import type { JsonObject } from "../../src/domain/json_value.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { messageBody } from "../support/message_bodies.ts";

const THOUGHT = { type: "thinking", thinking: "Hm.", signature: "EqQBCkYIB+/c2lnbmF0dXJl==" };

/** Two routes, of which nobody may choose the second. */
function catalogue(url: string): string {
  const route = (id: string, priority: number) =>
    `      - { id: ${id}, provider: up, upstream_model: claude-opus-4-8, priority: ${priority}, sale: { free: true } }`;
  return `
providers:
  - { id: up, kind: anthropic, base_url: "${url.replace(/\/v1$/, "")}", auth: none }
models:
  - id: m
    kind: chat
    manual_selection: false
    routes:
${route("first", 0)}
${route("second", 1)}
projects:
  - { id: default, unlimited: true }
`;
}

async function post({ url, key }: TestGateway, body: object): Promise<Response> {
  return await fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await key("default")}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
}

function encoded(text: string): string {
  return btoa(text).replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_");
}

Deno.test("callers of Responses stay on the route that sealed their thoughts, and choose none by their own", async () => {
  const content = [THOUGHT, { type: "text", text: "So." }];
  await using upstream = await startFakeUpstream(jsonReply(messageBody(content)));
  await using gateway = await startTestGateway({ catalogue: catalogue(upstream.url) });
  const ask = async (...thoughts: unknown[]): Promise<JsonObject> => {
    const message = { role: "user", content: "Hi" };
    const response = await post(gateway, {
      model: "m",
      input: [message, ...thoughts, message],
    });
    const answer = await response.json();
    assert.equal(response.status, 200, JSON.stringify(answer));
    return answer;
  };
  const first = await ask();
  assert.equal(first.route, "first");
  const own = (first.output as JsonObject[]).find(({ type }) => type === "reasoning")!;
  assert.equal((await ask(own)).route, "first");

  const seal = { of: "anthropic_messages", value: THOUGHT.signature };
  const payload = encoded(JSON.stringify({ text: "Hm.", value: THOUGHT.signature }));
  for (
    const forged of [
      `tg1.anthropic_messages.${encoded("second")}.${payload}`,
      wrapThoughts({
        text: "Hm.",
        seal: new ThoughtSeals(new Uint8Array(32)).wrap("second", seal),
      }),
    ]
  ) {
    const answer = await ask({ ...own, encrypted_content: forged });
    assert.equal(answer.route, "first", forged);
  }
});
