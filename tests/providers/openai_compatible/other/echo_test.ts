/**
 * Prompts that stand before what is written are not counted as written, in one piece or in many.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply, sseReply, startFakeUpstream } from "../../../support/fake_upstream.ts";
import { chatRoute, never, openAiCompatible, readAll } from "../../../support/provider_parts.ts";

const body = { model: "m", prompt: ["One two", "Three"], n: 2, echo: true };
const call = { route: chatRoute(), body, outputTokensCap: undefined };
const choice = (index: number, text: string, reason: string | null = null) => ({
  index,
  text,
  finish_reason: reason,
});

Deno.test("what is written of an answer has no prompt in it", async () => {
  await using upstream = await startFakeUpstream(jsonReply({
    choices: ["One two a", "One two b", "Three c", "Another"].map((text, index) =>
      choice(index, text, "stop")
    ),
  }));
  const { speaks } = openAiCompatible(upstream.url);
  const answer = await speaks.openai_completions!.answer(call, never());
  assert.equal(answer.text(), " a\n b\n c\nAnother");
  const plain = { ...call, body: { ...body, echo: false } };
  const { text } = await speaks.openai_completions!.answer(plain, never());
  assert.equal(text(), "One two a\nOne two b\nThree c\nAnother");
});

Deno.test("nor has what is written of a stream, however it is cut into pieces", async () => {
  await using upstream = await startFakeUpstream(sseReply([
    { choices: [choice(0, "One"), choice(2, "Three c")] },
    { choices: [choice(0, " two a"), choice(2, "Three")] },
    { choices: [choice(0, "One", "stop"), choice(2, "", "stop")] },
    "[DONE]",
  ]));
  const { speaks } = openAiCompatible(upstream.url);
  const events = await readAll(await speaks.openai_completions!.stream!(call, never()));
  assert.equal(events.map(({ text }) => text).join("|"), " c| aThree|One");
});
