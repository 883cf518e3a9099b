import assert from "node:assert/strict";
import { listText } from "../../src/gateway/list_text.ts";
import { countedTurns } from "../support/counted_turns.ts";

Deno.test("listText() writes what JSON.stringify() does, however long the list is", async () => {
  for (const length of [0, 1, 31, 32, 33, 64, 65, 1_000]) {
    const data = Array.from(
      { length },
      (_, index) => ({ index, embedding: [index / 7, -0, 1e21] }),
    );
    for (
      const answer of [
        { object: "list", data, model: 'a"b', usage: { prompt_tokens: 3 }, tollgate: undefined },
        { data },
        { gone: undefined, data, "\u2028": null },
      ]
    ) {
      assert.equal(await listText(answer), JSON.stringify(answer), `${length} items`);
    }
  }
  assert.equal(await listText({ object: "list" }), '{"object":"list"}');
});

Deno.test("listText() lets others have their turn between the parts of a long list", async () => {
  const { turns } = await countedTurns(() => listText({ data: Array(2_048).fill(0) }));
  assert.ok(turns >= 20, `${turns} turns`);
});
