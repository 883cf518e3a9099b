/**
 * Converse: what is asked once more, and how the form of an answer is told.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { jsonReply } from "../../support/fake_upstream.ts";
import { chatCall, chatRoute } from "../../support/provider_parts.ts";
import { ANSWER, bench, CLAUDE } from "./converse_bench.ts";

Deno.test("thoughts whose signature Bedrock refuses are left out when it is asked once more", async () => {
  const refusal = jsonReply(
    { message: "messages.1.content.0: Invalid `signature` in `thinking`" },
    {
      status: 400,
    },
  );
  await using on = await bench(jsonReply(ANSWER));
  const ask = (content: unknown) =>
    on.messages({
      route: CLAUDE,
      body: {
        model: "m",
        max_tokens: 9,
        messages: [
          { role: "user", content: "Hi" },
          { role: "assistant", content },
          { role: "user", content: "Go on" },
        ],
      },
      outputTokensCap: 9,
    });
  const first = await ask("Yes");
  const thinking = (first.body.content as JsonObject[])[0]!;
  on.upstream.answer((request) =>
    JSON.stringify(request.json()).includes("reasoningContent") ? refusal : jsonReply(ANSWER)
  );
  const answer = await ask([thinking, { type: "text", text: "Yes" }]);
  assert.equal((answer.body.content as JsonObject[]).length, 3);
  const [, sealed, bare] = on.upstream.requests.map((request) =>
    (request.json().messages as JsonObject[])[1]!.content
  );
  assert.deepEqual(sealed, [
    { reasoningContent: { reasoningText: { text: "Hm", signature: "Sig==" } } },
    { text: "Yes" },
  ]);
  assert.deepEqual(bare, [{ text: "Yes" }]);
  // What is refused for another reason is asked once.
  on.upstream.answer(jsonReply({ message: "No such tool" }, { status: 400 }));
  await assert.rejects(ask([thinking, { type: "text", text: "Yes" }]), { failure: "caller" });
  assert.equal(on.upstream.requests.length, 4);
});

Deno.test("the schema of an answer is a field where the model has it, else words", async () => {
  await using on = await bench(jsonReply(ANSWER));
  const schema = {
    type: "object",
    properties: { word: { type: "string", minLength: 2 } },
    required: ["word"],
  };
  const format = { type: "json_schema", json_schema: { name: "said", schema } };
  const sent = await on.sent(chatCall({ response_format: format }, { route: CLAUDE }));
  assert.equal(sent.system, undefined);
  const { structure, type } = (sent.outputConfig as { textFormat: JsonObject }).textFormat;
  assert.equal(type, "json_schema");
  const { schema: text, name } = (structure as { jsonSchema: JsonObject }).jsonSchema;
  assert.equal(name, "said");
  assert.deepEqual(JSON.parse(String(text)), {
    type: "object",
    properties: { word: { type: "string", description: "{minLength: 2}" } },
    required: ["word"],
    additionalProperties: false,
  });
  const nova = chatRoute({ upstreamModel: "amazon.nova-lite-v1:0" });
  for (
    const call of [
      chatCall({ response_format: format }, { route: nova }),
      chatCall({ response_format: { type: "json_object" } }, { route: CLAUDE }),
    ]
  ) {
    const told = await on.sent(call);
    assert.equal(told.outputConfig, undefined);
    assert.match(JSON.stringify(told.system), /JSON/);
  }
});

Deno.test("a model that is made to call a tool is not asked to think, as it would refuse", async () => {
  await using on = await bench(jsonReply(ANSWER));
  const tools = [{ type: "function", function: { name: "f" } }];
  const thinkingOf = async (tool_choice: string) => {
    const asked = { tools, tool_choice, reasoning_effort: "high" };
    const { toolConfig, additionalModelRequestFields: more } = await on.sent(
      chatCall(asked, { route: CLAUDE }),
    );
    return [(toolConfig as JsonObject).toolChoice, more === undefined];
  };
  assert.deepEqual(await thinkingOf("required"), [{ any: {} }, true]);
  assert.deepEqual(await thinkingOf("auto"), [{ auto: {} }, false]);
});
