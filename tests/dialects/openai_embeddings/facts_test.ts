import assert from "node:assert/strict";
import { openaiEmbeddings } from "../../../src/dialects/openai_embeddings/dialect.ts";
import { promptTokens } from "../../../src/gateway/prompt_tokens.ts";

function factsOf(input: unknown) {
  const body = { model: "m", input };
  const bodyBytes = new TextEncoder().encode(JSON.stringify(body)).length;
  return { bodyBytes, ...openaiEmbeddings.facts({ body, bodyBytes }, false) };
}

Deno.test("the facts of embeddings: all tokens count for limits, the longest input for the context", () => {
  const inputs = [
    { input: ["four", "eight ch", "x".repeat(400)], total: 103, longest: 100 },
    { input: [[1, 2, 3], [4]], total: 4, longest: 3 },
    { input: ["a"], total: 1, longest: 1 },
  ];
  for (const { input, total, longest } of inputs) {
    const facts = factsOf(input);
    assert.deepEqual([facts.promptTokensEstimate, facts.contextTokensEstimate], [total, longest]);
    assert.equal(facts.capability, "embeddings");
    assert.equal(facts.maxOutputTokens, undefined);
  }
});

Deno.test("the facts of embeddings hold for more tokens than our own count of any input gives", () => {
  const texts = ["a", "!?!?", "東京の天気", "🚀🚀🚀", " ".repeat(50), "Grüße", "0123456789"];
  for (const input of [...texts.map((text) => [text, text.repeat(100)]), [[0], [7, 8, 9]]]) {
    const { promptTokensBound, bodyBytes } = factsOf(input);
    assert.ok(promptTokensBound >= promptTokens(openaiEmbeddings, { input }));
    assert.ok(promptTokensBound <= bodyBytes);
  }
});
