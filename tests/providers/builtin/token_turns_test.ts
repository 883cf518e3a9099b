import assert from "node:assert/strict";
import { countTokens } from "../../../src/domain/tokenizer.ts";
import {
  piecesOf,
  textOfSpan,
  type TokenSpan,
  TokenTurns,
} from "../../../src/providers/builtin/token_turns.ts";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";
import { countedTurns } from "../../support/counted_turns.ts";
import { never } from "../../support/provider_parts.ts";

const ALL = { tokens: Infinity, characters: Infinity };
const LONG = "hello brave new world, ".repeat(30_000);

function tokensOf(span: TokenSpan): string[] {
  return [...piecesOf(span, () => 1)].map(({ text }) => text);
}

/** Turns that everything else has while some work is done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  return (await countedTurns(work)).turns;
}

Deno.test("TokenTurns counts and takes as one go would, whatever the turns", async () => {
  const turns = new TokenTurns(never());
  for (const text of ["", "a", " ", LONG, "👍🏽".repeat(30_000), "\n".repeat(50_001)]) {
    const whole = await turns.take(text, ALL);
    const tokens = tokensOf(whole);
    assert.equal(tokens.join(""), text);
    assert.equal(textOfSpan(whole), text);
    assert.equal(whole.tokens, tokens.length);
    assert.equal(whole.tokens, countTokens(text));
    assert.equal(await turns.count(text), tokens.length);
    const few = await turns.take(text, { ...ALL, tokens: 3 });
    assert.deepEqual(tokensOf(few), tokens.slice(0, 3));
    assert.equal(textOfSpan(few), tokens.slice(0, 3).join(""));
    assert.equal(few.tokens, Math.min(3, tokens.length));
  }
});

Deno.test("piecesOf gives whole tokens, as many to each piece as it is told", async () => {
  const span = await new TokenTurns(never()).take(LONG, { ...ALL, tokens: 100 });
  const tokens = tokensOf(span);
  let pieces = 0;
  assert.deepEqual([...piecesOf(span, () => pieces++ < 3 ? 1 : 60)], [
    ...tokens.slice(0, 3).map((text) => ({ text, tokens: 1 })),
    { text: tokens.slice(3, 63).join(""), tokens: 60 },
    { text: tokens.slice(63).join(""), tokens: 37 },
  ]);
});

Deno.test("TokenTurns lets others have their turn in one long text and between many short ones", async () => {
  const turns = new TokenTurns(never());
  assert.ok(await turnsDuring(() => turns.count(LONG)) > 5);
  assert.ok(await turnsDuring(() => turns.take(LONG, ALL)) > 5);
  assert.ok(
    await turnsDuring(async () => {
      for (let at = 0; at < 100_000; at++) await turns.count("a");
    }) > 5,
  );
});

Deno.test("TokenTurns looks at nothing behind the tokens that are wanted", async () => {
  const turns = new TokenTurns(never());
  assert.equal(await turnsDuring(() => turns.take(LONG, { ...ALL, tokens: 10 })), 0);
});

Deno.test("TokenTurns ends with its signal", async () => {
  const leaving = new AbortController();
  const counting = new TokenTurns(leaving.signal).count(LONG);
  leaving.abort();
  await assert.rejects(
    counting,
    (error) => error instanceof UpstreamError && error.failure === "aborted",
  );
});

Deno.test("TokenTurns lets what comes from outside have its turn", async () => {
  const echo = "onmessage = () => setTimeout(() => postMessage(0), 2)";
  const outside = new Worker(`data:text/javascript,${echo}`, { type: "module" });
  const exchange = () =>
    new Promise<void>((resolve) => {
      outside.onmessage = () => resolve();
      outside.postMessage(0);
    });
  await exchange();
  const work = new TokenTurns(never()).count(LONG.repeat(10));
  let isOver = false;
  work.then(() => isOver = true);
  let exchanges = 0;
  for (; !isOver; exchanges++) await exchange();
  outside.terminate();
  assert.ok(exchanges > 20, `${exchanges} exchanges`);
});

Deno.test("TokenTurns takes whole tokens within a number of characters", async () => {
  const turns = new TokenTurns(never());
  for (let characters = 0; characters <= 12; characters++) {
    const { end, tokens } = await turns.take("one two 👍🏽", { tokens: Infinity, characters });
    const expected = [[0, 0], [3, 1], [7, 2], [8, 3], [10, 4], [12, 5]]
      .findLast(([last]) => last! <= characters);
    assert.deepEqual([end, tokens], expected, `within ${characters}`);
  }
});
