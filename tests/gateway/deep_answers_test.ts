/**
 * Upstreams whose answers are nested so deep that nobody could write them again: they have
 * failed, another route serves, and nobody pays for them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody, chunk, finishChunk, twoRoutes, usageChunk } from "../support/chat_bodies.ts";
import {
  jsonReply,
  rawSseReply,
  sseReply,
  startFakeUpstream,
  textReply,
} from "../support/fake_upstream.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

const DEEP = "[".repeat(200_000) + "]".repeat(200_000);
const USAGE = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };

/** JSON of a value in which the text "DEEP" stands for what cannot be written. */
function withDeep(value: object): string {
  return JSON.stringify(value).replace('"DEEP"', DEEP);
}

const PLAIN = textReply("application/json", withDeep({ ...answerBody("Hi", USAGE), more: "DEEP" }));
const ARGUMENTS = textReply(
  "application/json",
  withDeep({
    ...answerBody("Hi", USAGE),
    choices: [{
      index: 0,
      message: { role: "assistant", tool_calls: [{ function: { name: "f", arguments: "DEEP" } }] },
    }],
  }),
);
const FIRST_EVENT = rawSseReply([
  `data: ${withDeep({ ...chunk({ role: "assistant", content: "Hi" }), more: "DEEP" })}\n\n`,
  "data: [DONE]\n\n",
]);

/** What is asked for, and what the first route answers with. */
const CASES = [
  ["a chat's answer", "/v1/chat/completions", { stream: false }, PLAIN],
  ["the arguments of a call", "/v1/chat/completions", { stream: false }, ARGUMENTS],
  ["a stream's first event", "/v1/chat/completions", { stream: true }, FIRST_EVENT],
  ["a converted answer", "/v1/responses", { stream: false }, PLAIN],
  ["a converted stream", "/v1/responses", { stream: true }, FIRST_EVENT],
] as const;

async function post(
  gateway: TestGateway,
  { path, key, stream }: { readonly path: string; readonly key: string; readonly stream: boolean },
): Promise<Response> {
  return await fetch(gateway.url + path, {
    method: "POST",
    headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "m",
      stream,
      ...(path.endsWith("responses")
        ? { input: "Hello" }
        : { messages: [{ role: "user", content: "Hello" }] }),
    }),
  });
}

async function balance(gateway: TestGateway, key: string): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/key`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { project } = await response.json();
  return `${project.balance} ${project.held}`;
}

for (const [what, path, { stream }, deep] of CASES) {
  Deno.test(`${what} that is nested too deep is another route's to make, or free`, async () => {
    await using broken = await startFakeUpstream(Array(4).fill(deep));
    const fine = stream
      ? sseReply([
        chunk({ role: "assistant", content: "Fine" }),
        finishChunk(),
        usageChunk(10, 10),
        "[DONE]",
      ])
      : jsonReply(answerBody("Fine", USAGE));
    await using other = await startFakeUpstream([fine]);
    await using gateway = await startTestGateway({ catalogue: twoRoutes(broken.url, other.url) });
    await gateway.credit("paying", "1");
    const key = await gateway.key("paying");
    const served = await post(gateway, { path, key, stream });
    assert.equal(served.status, 200);
    const text = await served.text();
    assert.match(text, /Fine/);
    assert.doesNotMatch(text, /\[\[\[/);
    const before = await balance(gateway, key);
    assert.notEqual(before, "1.00000000 0.00000000");
    // With nothing else to serve, it is nobody's answer.
    await using gone = await startFakeUpstream(Array(4).fill(deep));
    await using alone = await startTestGateway({ catalogue: twoRoutes(gone.url, gone.url) });
    await alone.credit("paying", "1");
    const aloneKey = await alone.key("paying");
    const refused = await post(alone, { path, key: aloneKey, stream });
    assert.equal(refused.status, 503);
    assert.equal((await refused.json()).error.code, "PROVIDER_TEMPORARILY_UNAVAILABLE");
    assert.equal(await balance(alone, aloneKey), "1.00000000 0.00000000");
    assert.match(alone.log(), /nested more than 500 levels deep/);
  });
}

Deno.test("a stream that goes too deep in its middle ends with an error, and is free", async () => {
  await using upstream = await startFakeUpstream([
    rawSseReply([
      `data: ${JSON.stringify(chunk({ role: "assistant", content: "Hi" }))}\n\n`,
      `data: ${withDeep({ ...chunk({ content: " there" }), more: "DEEP" })}\n\n`,
      "data: [DONE]\n\n",
    ]),
  ]);
  await using gateway = await startTestGateway({
    catalogue: twoRoutes(upstream.url, upstream.url),
  });
  await gateway.credit("paying", "1");
  const key = await gateway.key("paying");
  const response = await post(gateway, { path: "/v1/chat/completions", key, stream: true });
  const text = await response.text();
  assert.match(text, /Hi/);
  assert.match(text, /"error"/);
  assert.doesNotMatch(text, /\[DONE\]/);
  assert.equal(await balance(gateway, key), "1.00000000 0.00000000");
});
