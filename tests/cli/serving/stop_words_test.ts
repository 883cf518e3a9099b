import assert from "node:assert/strict";
import { stopWords } from "../../../src/cli/serving/serving_words.ts";

for (
  const [calls, films, words] of [
    [0, 0, "Stopping"],
    [0, 1, "Stopping; 1 film goes on at the next start"],
    [1, 0, "Stopping when 1 call under way has ended; the same signal again stops at once"],
    [
      2,
      3,
      "Stopping when 2 calls under way have ended; 3 films go on at the next start; " +
      "the same signal again stops at once",
    ],
  ] as const
) {
  Deno.test(`stopWords() says of ${calls} calls and ${films} films what becomes of them`, () => {
    assert.equal(stopWords({ calls, films }), words);
  });
}
