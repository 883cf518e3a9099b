import assert from "node:assert/strict";
import { ImageError } from "@tollgate/render";
import { MOST_WAITING_REFERENCES, ReferenceLine } from "../../src/videos/reference_line.ts";

/** A line whose checks end when the test says so; `seen` are the images begun, by their first byte. */
function heldLine() {
  const seen: number[] = [];
  const ends: PromiseWithResolvers<{ type: string }>[] = [];
  const line = new ReferenceLine({
    check(bytes) {
      seen.push(bytes[0]!);
      const end = Promise.withResolvers<{ type: string }>();
      ends.push(end);
      return end.promise;
    },
  });
  return { line, seen, ends };
}

function image(number: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array([number]);
}

Deno.test("ReferenceLine.check() looks at one image at a time, the projects in turn", async () => {
  const { line, seen, ends } = heldLine();
  const flood = [1, 2, 3, 4].map((number) => line.check("flood", image(number)));
  const other = [11, 12].map((number) => line.check("other", image(number)));
  const third = line.check("third", image(21));
  const order = [1, 2, 11, 21, 3, 12, 4];
  for (let at = 0; at < order.length; at++) {
    assert.deepEqual(seen, order.slice(0, at + 1));
    ends[at]!.resolve({ type: "image/png" });
    await [...flood, ...other, third][[1, 2, 3, 4, 11, 12, 21].indexOf(order[at]!)];
  }
  const later = line.check("flood", image(5));
  assert.equal(seen.at(-1), 5);
  ends.at(-1)!.resolve({ type: "image/webp" });
  assert.equal(await later, "image/webp");
});

Deno.test("ReferenceLine.check() bounds what one project has waiting, and nobody else's", async () => {
  const { line, seen, ends } = heldLine();
  const flood = Array.from(
    { length: MOST_WAITING_REFERENCES + 1 },
    (_, number) => line.check("flood", image(number)),
  );
  await assert.rejects(line.check("flood", image(99)), {
    error: "pool_limit_exceeded",
    retryAfterSeconds: 5,
  });
  const other = line.check("other", image(50));
  for (let at = 0; at < flood.length + 1; at++) {
    ends[at]!.resolve({ type: "image/png" });
    await (at === 2 ? other : flood[at < 2 ? at : at - 1]);
  }
  assert.equal(seen.indexOf(50), 2);
  assert.equal(seen.includes(99), false);
});

Deno.test("ReferenceLine.check() goes on behind an image that no film can use", async () => {
  const { line, seen, ends } = heldLine();
  const bad = line.check("p", image(1));
  const good = line.check("p", image(2));
  ends[0]!.reject(new ImageError("not_an_image"));
  await assert.rejects(bad, { error: "invalid_value", param: "input_reference" });
  assert.deepEqual(seen, [1, 2]);
  ends[1]!.resolve({ type: "image/png" });
  assert.equal(await good, "image/png");
});
