/**
 * What the guard sees of texts that nobody can read, event by event of a stream.
 *
 * @module
 */

import assert from "node:assert/strict";
import { wrapThoughts } from "../../../src/dialects/base/wrapped_seal.ts";
import { SummarySeals } from "../../../src/dialects/openai_responses/summary_seals.ts";
import { opaqueTexts } from "../../../src/http/guard/opaque_texts.ts";

const texts = opaqueTexts(new SummarySeals(new Uint8Array(32)), "p");
const wrapped = wrapThoughts({ text: "Paris" });

for (const end of ["\n", "\r\n"]) {
  Deno.test(`thoughts are shown whatever stands beside them: ${JSON.stringify(end)}`, () => {
    // JSON has these as they are, and other readers of lines take them for their ends.
    const item = {
      type: "reasoning",
      summary: [{ text: "a\u2028b}\u2029data: {}\u0085" }],
      encrypted_content: wrapped,
    };
    const lineOf = (one: object) => `data: ${JSON.stringify({ type: "x", item: one })}`;
    const stream = (one: object) => ["event: x", lineOf(one), "", "data: [DONE]", "", ""].join(end);
    const shown = texts.shown(stream(item));
    assert.equal(shown, stream({ ...item, opened_content: "Paris" }));
    assert.equal(texts.taken(shown), stream(item));
    const redacted = texts.taken(stream({ ...item, opened_content: "a town" }));
    assert.equal(
      redacted,
      stream({ ...item, encrypted_content: wrapThoughts({ text: "a town" }) }),
    );
  });
}
