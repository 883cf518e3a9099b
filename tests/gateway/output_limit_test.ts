/**
 * The output limit from the caller to the upstream and the books: under which name it is sent,
 * what is held for it, and what becomes of a stream that ignores it.
 *
 * @module
 */

import { nested } from "../support/nested_tokens.ts";
import assert from "node:assert/strict";
import type { JsonObject } from "../../src/domain/json_value.ts";
import { answerBody, chunk, finishChunk, twoRoutes, usageChunk } from "../support/chat_bodies.ts";
import { jsonReply, rawSseReply, sseReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { beginEvents, messageEvents, numbered } from "../support/response_bodies.ts";
import { assertWholeStream } from "../support/response_stream_check.ts";
import { eventsOf, startResponsesGateway } from "../support/responses_gateway.ts";
import { ask, lastCall } from "../support/settled_calls.ts";

/** What of the cheap route's hold is for one output token, 1e-8. */
const OUTPUT_E8 = 400n;

/** A gateway whose cheap route has these rules, and whose payer has a balance of 10. */
async function ruledGateway(
  url: string,
  { route = "", provider = "" } = {},
): Promise<TestGateway & { payer: string }> {
  const catalogue = twoRoutes(url, url)
    .replace("upstream_model: upstream-a,", `upstream_model: upstream-a, ${route}`)
    .replace("auth: none }", `auth: none${provider} }`);
  const gateway = await startTestGateway({ catalogue });
  await gateway.credit("paying", "10");
  return Object.assign(gateway, { payer: await gateway.key("paying") });
}

const older = { max_tokens: 7 };
const newer = { max_completion_tokens: 7 };

/** What the caller sends and the operator has set, what the upstream gets, and how much output is held for. */
const CASES: readonly (readonly [
  name: string,
  asked: JsonObject,
  rules: { route?: string; provider?: string },
  sent: JsonObject,
  held: bigint,
])[] = [
  ["the newer name becomes the one that most servers know", newer, {}, older, 7n],
  ["the name that the upstream knows stays", older, {}, older, 7n],
  [
    "a provider says that it knows the newer name",
    older,
    { provider: ", output_limit_field: max_completion_tokens" },
    newer,
    7n,
  ],
  [
    "of two limits the smaller is sent, once",
    { ...older, max_completion_tokens: 50 },
    {},
    older,
    7n,
  ],
  [
    "a route that drops one name gets the other",
    older,
    { route: "drop: [max_tokens]," },
    newer,
    7n,
  ],
  [
    "a default under another name gives way",
    newer,
    { route: "default: { max_tokens: 5000 }," },
    older,
    7n,
  ],
  ["a default holds where nothing is asked", {}, { route: "default: { max_tokens: 90 }," }, {
    max_tokens: 90,
  }, 90n],
  ["a set limit is sent and held for", newer, { route: "set: { max_tokens: 5000 }," }, {
    max_tokens: 5000,
  }, 5_000n],
  [
    "where no limit is sent, the hold is for what the upstream may write by itself",
    newer,
    { route: "drop: [max_tokens, max_completion_tokens]," },
    {},
    16_384n,
  ],
];

for (const [name, asked, rules, sent, held] of CASES) {
  Deno.test(`output limit: ${name}`, async () => {
    await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
    await using gateway = await ruledGateway(upstream.url, rules);
    const response = await gateway.chat({ ...ask, ...asked }, { key: gateway.payer });
    assert.equal(response.status, 200);
    await response.body?.cancel();
    const { max_tokens, max_completion_tokens } = upstream.requests[0]!.json();
    assert.deepEqual(JSON.parse(JSON.stringify({ max_tokens, max_completion_tokens })), sent);
    const { heldE8 } = await lastCall(gateway);
    // And the prompt, which is some hundred bytes at most.
    assert.equal(
      heldE8 > held * OUTPUT_E8 && heldE8 < held * OUTPUT_E8 + 100_000n,
      true,
      `${heldE8}`,
    );
  });
}

Deno.test("what a route's rules add to a body is held for, and no more than its context", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  const added = "x".repeat(1_000_000);
  for (
    const [context, least, most] of [["", 1_000_000n, 1_001_000n], [
      "supports: { context_tokens: 9000 }, ",
      9_000n,
      9_000n,
    ]] as const
  ) {
    await using gateway = await ruledGateway(upstream.url, {
      route: `${context}set: { system: "${added}" },`,
    });
    const response = await gateway.chat({ ...ask, max_tokens: 1 }, { key: gateway.payer });
    await response.body?.cancel();
    const prompt = ((await lastCall(gateway)).heldE8 - OUTPUT_E8) / 200n;
    assert.equal(prompt >= least && prompt <= most, true, `${prompt}`);
  }
});

/** A stream that goes on with words for as long as it is read. */
function endless(words: number) {
  const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
  return rawSseReply([
    data(chunk({ role: "assistant", content: "Once" })),
    ...Array.from({ length: words }, () => data(chunk({ content: " word" }))),
    "stall!",
  ]);
}

for (const key of ["payer", "unlimited"] as const) {
  Deno.test(`a stream far beyond its limit is ended there and billed (${key})`, async () => {
    await using upstream = await startFakeUpstream(endless(5_000));
    await using gateway = await ruledGateway(upstream.url);
    const body = { ...ask, stream: true, max_completion_tokens: 1 };
    const response = await gateway.chat(body, {
      key: key === "payer" ? gateway.payer : await gateway.key("default"),
    });
    const text = await response.text();
    await upstream.requests[0]!.closed;
    const written = text.split(" word").length - 1;
    assert.equal(written > 200 && written < 600, true, `${written} words`);
    assert.equal(text.match(/"finish_reason":"length"/g)?.length, 1);
    assert.match(text, /data: \[DONE\]\n\n$/);
    assert.doesNotMatch(text, /"error"/);
    const call = await lastCall(gateway);
    assert.equal(call.result, "completed");
    assert.equal(call.usageSource, "estimated");
    // The last ones may not have been passed on in a chunk of their own.
    assert.equal(nested(call.work).completionTokens >= written, true);
    assert.equal(call.lossE8, 0n);
    assert.equal(call.chargedE8, key === "payer" ? call.saleE8 : 0n);
    assert.match(text, new RegExp(`"sale_amount":"0.00${String(call.saleE8).padStart(6, "0")}"`));
  });
}

Deno.test("a stream within its limit, or a little beyond it, is left alone", async () => {
  const words = Array.from({ length: 300 }, () => chunk({ content: " word" }));
  await using upstream = await startFakeUpstream(
    sseReply([
      chunk({ role: "assistant", content: "One" }),
      ...words,
      finishChunk(),
      usageChunk(9, 301),
      "[DONE]",
    ]),
  );
  await using gateway = await ruledGateway(upstream.url);
  for (const max_tokens of [301, 100]) {
    const response = await gateway.chat({ ...ask, stream: true, max_tokens });
    const text = await response.text();
    assert.equal(text.split(" word").length - 1, 300);
    assert.match(text, /"finish_reason":"stop"/);
    assert.equal(nested((await lastCall(gateway)).work).completionTokens, 301);
  }
});

for (const model of ["m", "native"]) {
  Deno.test(`a Response far beyond its limit ends as incomplete (${model})`, async () => {
    const pieces = ["Once", ...Array.from({ length: 5_000 }, () => " word")];
    const native = numbered([...beginEvents(), ...messageEvents(pieces).slice(0, -3)])
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    await using upstream = await startFakeUpstream(
      model === "m" ? endless(5_000) : rawSseReply([...native, "stall!"]),
    );
    await using gateway = await startResponsesGateway(upstream.url);
    const body = { model, input: "Hello", stream: true, max_output_tokens: 1 };
    const response = await gateway.send("POST", "/responses", { body });
    const text = await response.text();
    const events = eventsOf(text);
    assertWholeStream(events.map(({ sequence_number: _number, ...event }) => event));
    const last = events.at(-1)!;
    assert.equal(last.type, "response.incomplete");
    const { incomplete_details, pricing } = last.response as JsonObject;
    assert.deepEqual(incomplete_details, { reason: "max_output_tokens" });
    assert.equal(text.split(" word").length < 5_000, true);
    await gateway.quiet();
    const call = await lastCall(gateway);
    assert.equal(call.result, "completed");
    assert.equal(call.chargedE8 > 0n, true);
    assert.equal(
      (pricing as JsonObject).sale_amount,
      `0.00${String(call.saleE8).padStart(6, "0")}`,
    );
  });
}

/** A stream of thoughts in a field of their own, then of words, which go on to `words`. */
function thinking(field: string, thoughts: number, words: number, rest: readonly string[] = []) {
  const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
  return rawSseReply([
    data(chunk({ role: "assistant", [field]: "Hm" })),
    ...Array.from({ length: thoughts }, () => data(chunk({ [field]: " hmm" }))),
    ...Array.from({ length: words }, () => data(chunk({ content: " word" }))),
    ...rest,
  ]);
}

for (const field of ["reasoning_content", "reasoning"]) {
  for (const path of ["/chat/completions", "/responses"]) {
    Deno.test(`an answer is not ended for its thoughts in '${field}' (${path})`, async () => {
      const end = [finishChunk(), usageChunk(9, 2_100), "[DONE]"]
        .map((part) => `data: ${typeof part === "string" ? part : JSON.stringify(part)}\n\n`);
      await using upstream = await startFakeUpstream(thinking(field, 2_000, 90, end));
      await using gateway = await startResponsesGateway(upstream.url);
      const asked = path === "/responses"
        ? { model: "m", input: "Hello", max_output_tokens: 100 }
        : { model: "m", messages: ask.messages, max_tokens: 100 };
      const response = await gateway.send("POST", path, { body: { ...asked, stream: true } });
      const text = await response.text();
      assert.equal(text.split('" word"').length - 1 >= 90, true);
      assert.match(text, path === "/responses" ? /response\.completed/ : /"finish_reason":"stop"/);
      await gateway.quiet();
      assert.equal(nested((await lastCall(gateway)).work).completionTokens, 2_100);
    });
  }
}

for (
  const [name, thoughts, words, supports, most] of [
    ["words after thoughts that are none", 2_000, 5_000, "", 3_000],
    ["thoughts without end", 5_000, 1, "supports: { max_output_tokens: 700 },", 2_500],
  ] as const
) {
  Deno.test(`a stream is ended for ${name}`, async () => {
    await using upstream = await startFakeUpstream(
      thinking("reasoning_content", thoughts, words, ["stall!"]),
    );
    await using gateway = await ruledGateway(upstream.url, { route: supports });
    const body = { ...ask, stream: true, max_tokens: 100 };
    const response = await gateway.chat(body, { key: gateway.payer });
    const text = await response.text();
    assert.match(text, /"finish_reason":"length"/);
    const written = text.split(" hmm").length + text.split(" word").length;
    assert.equal(written < most, true, `${written} words`);
  });
}
