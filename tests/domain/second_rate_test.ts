/**
 * The rate per second of a size.
 *
 * @module
 */

import assert from "node:assert/strict";
import { secondRate } from "../../src/domain/second_rate.ts";

Deno.test("secondRate() finds one rate for all sizes, or the size's own", () => {
  assert.equal(secondRate({ second: 7n }, "1280x720"), 7n);
  const bySize = { second: { "1280x720": 2n, "640x360": 0n } };
  assert.equal(secondRate(bySize, "1280x720"), 2n);
  assert.equal(secondRate(bySize, "640x360"), 0n);
});

Deno.test("secondRate() finds nothing for a size without a rate, whatever it is called", () => {
  for (const size of ["720x1280", "", "constructor", "__proto__", "toString"]) {
    assert.equal(secondRate({ second: { "1280x720": 2n } }, size), undefined, size);
  }
  assert.equal(secondRate({}, "1280x720"), undefined);
});
