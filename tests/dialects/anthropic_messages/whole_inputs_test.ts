/**
 * Calls whose arguments a stream tells whole where they begin, as relays do and Anthropic itself for
 * calls of its own programs.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DIALECTS } from "../../../src/dialects/registry.ts";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { countedIds } from "../../support/converted_response.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { sealOf } from "../../support/thought_seals.ts";

/** The arguments as a chat client reads them, of a call that begins with some and goes on with more. */
function argumentsOf(input: JsonObject, deltas: readonly string[]): unknown {
  const parts = { clock: new FakeClock(), ids: countedIds(), seal: sealOf };
  const writer = DIALECTS.openai_chat.callers!.answerWriter({}, parts);
  const reader = DIALECTS.anthropic_messages.upstreams.answerReader(writer);
  const chunks: JsonObject[] = [
    { type: "message_start", message: { id: "msg_1", model: "m", content: [] } },
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "tool_use", id: "toolu_1", name: "look", input },
    },
    ...deltas.map((partial_json) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json },
    })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use" } },
  ];
  for (const chunk of chunks) {
    reader.addEvent({
      chunk,
      text: "",
      usage: undefined,
      usageBody: undefined,
      finished: false,
      empty: false,
    });
  }
  reader.end();
  const [choice] = writer.whole.choices as [{ message: { tool_calls: [JsonObject] } }];
  return (choice.message.tool_calls[0].function as JsonObject).arguments;
}

Deno.test("arguments are taken from where they are told", () => {
  assert.equal(argumentsOf({ city: "Oslo" }, []), '{"city":"Oslo"}');
  assert.equal(argumentsOf({ city: "Oslo" }, [""]), '{"city":"Oslo"}');
  assert.equal(argumentsOf({}, ['{"city":', '"Oslo"}']), '{"city":"Oslo"}');
  assert.equal(argumentsOf({ city: "Oslo" }, ['{"city":"Oslo"}']), '{"city":"Oslo"}');
  assert.equal(argumentsOf({}, []), "{}");
});
