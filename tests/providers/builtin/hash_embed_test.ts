import assert from "node:assert/strict";
import { nested } from "../../support/nested_tokens.ts";
import { type Clock, systemClock } from "../../../src/domain/clock.ts";
import { createBuiltin } from "../../../src/providers/builtin/provider.ts";
import { countedTurns } from "../../support/counted_turns.ts";
import { chatRoute, failureOf, never, providerSettings } from "../../support/provider_parts.ts";

/** 8 characters and one token each. */
const WORD = " lookups";

function embed(input: readonly unknown[], signal = never(), clock: Clock = systemClock) {
  const provider = createBuiltin(providerSettings({ kind: "builtin" }), {
    clock,
    random: Math.random,
  });
  const route = chatRoute({ upstreamModel: "hash-embed-1" });
  const body = { model: "model", input, dimensions: 64 };
  return provider.speaks.openai_embeddings.answer(
    { route, body, outputTokensCap: undefined },
    signal,
  );
}

Deno.test("hash-embed-1 takes 8192 tokens of an input, and no more", async () => {
  const most: unknown[] = [WORD.repeat(8_192), Array(8_192).fill(7)];
  assert.equal(nested((await embed(most)).usage)?.promptTokens, 2 * 8_192);
  for (
    const input of [
      WORD.repeat(8_193),
      WORD.repeat(2_000_000),
      " ".repeat(140_000),
      Array(8_193).fill(7),
    ]
  ) {
    const { failure, status, code, param, publicMessage } = await failureOf(embed(["a", input]));
    assert.deepEqual([failure, status, code, param], [
      "caller",
      400,
      "context_length_exceeded",
      "input",
    ]);
    assert.match(publicMessage!, /input 1 .* more than 8192 tokens/);
  }
});

Deno.test("hash-embed-1 takes 300,000 tokens of all inputs, and no more", async () => {
  const input = Array<number>(3_000).fill(7);
  assert.equal((await embed(Array(100).fill(input))).usage?.input, 300_000);
  const error = await failureOf(embed([...Array(100).fill(input), "a"]));
  assert.equal(error.code, "context_length_exceeded");
  assert.match(error.publicMessage!, /more than 300000 tokens at once/);
});

Deno.test("hash-embed-1 lets others have their turn within an input too, and answers the same", async () => {
  for (const input of [WORD.repeat(8_000), Array.from({ length: 8_000 }, (_, index) => index)]) {
    let now = 0;
    // Every look at it finds a millisecond gone.
    const clock: Clock = { ...systemClock, monotonic: () => now++ };
    const { turns, result } = await countedTurns(() => embed([input], never(), clock));
    assert.ok(turns >= 5, `${turns} turns`);
    assert.deepEqual(result.body, (await embed([input])).body);
  }
});

Deno.test("hash-embed-1 lets others have their turn, and stops when its caller leaves", async () => {
  const caller = new AbortController();
  let turns = 0;
  const answer = failureOf(embed(Array(60).fill(WORD.repeat(5_000)), caller.signal));
  const turn = () => {
    turns++;
    if (turns === 3) caller.abort();
    else setTimeout(turn);
  };
  setTimeout(turn);
  assert.equal((await answer).failure, "aborted");
  assert.equal(turns, 3);
});
