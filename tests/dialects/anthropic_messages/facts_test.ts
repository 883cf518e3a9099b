/**
 * What tools of a message request may cost beside its tokens.
 *
 * @module
 */

import assert from "node:assert/strict";
import { FETCHED_TOKENS } from "../../../src/dialects/base/prompt_size.ts";
import { messagesFacts } from "../../../src/dialects/anthropic_messages/facts.ts";
import { quoteHold } from "../../../src/pricing/quote.ts";

const BODY_BYTES = 500;

function factsWith(tools: readonly object[]) {
  const body = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }], tools };
  return messagesFacts({ body, bodyBytes: BODY_BYTES }, false);
}

const TABLE: readonly (readonly [tools: readonly object[], searches: number, fetches: boolean])[] =
  [
    [[{ name: "f", input_schema: {} }], 0, false],
    [[{ type: "custom", name: "f", input_schema: {} }], 0, false],
    [[{ type: "bash_20250124", name: "bash" }], 0, false],
    [[{ type: "text_editor_20250728", name: "str_replace_based_edit_tool" }], 0, false],
    [[{ type: "computer_20251124", name: "computer" }, { type: "memory_20250818" }], 0, false],
    [[{ type: "web_fetch_20250910", name: "web_fetch" }], 0, true],
    [[{ type: "code_execution_20250825", name: "code_execution" }], 0, true],
    [[{ type: "web_search_20250305", name: "web_search", max_uses: 3 }], 3, true],
    [[{ type: "web_search_20250305", name: "web_search" }], 10, true],
    [[{ type: "web_search_20250305", max_uses: "1" }], 10, true],
    [[{ type: "web_search_20250305", max_uses: 1e300 }], 1_000, true],
  ];

for (const [tools, searches, fetches] of TABLE) {
  Deno.test(`messagesFacts() expects of ${JSON.stringify(tools)} so many searches: ${searches}`, () => {
    const { expected, promptTokensBound } = factsWith(tools);
    assert.deepEqual(
      expected,
      searches === 0 ? undefined : { likely: {}, most: { search: searches } },
    );
    assert.equal(promptTokensBound >= FETCHED_TOKENS, fetches);
  });
}

Deno.test("the hold of a message has room for every search that it allows", () => {
  const facts = { ...factsWith([{ type: "web_search_20250305", max_uses: 3 }]), outputTokens: 9 };
  const prices = { version: 1, routeId: "r", currency: "USD", cost: undefined } as const;
  const rates = { input: 0n, output: 0n };
  const quote = (search: bigint) =>
    quoteHold({ ...prices, sale: { kind: "rates", rates: { ...rates, search } } }, facts);
  assert.equal(quote(1_000_000n), 3_000_000n);
});
