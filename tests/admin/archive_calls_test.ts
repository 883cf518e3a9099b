/**
 * Calls of closed months go to an archive, and the books add up before, meanwhile and after. More
 * seeds are in `tests/nightly`.
 *
 * @module
 */

import { archiveRandomMonths } from "./random_archives.ts";

for (const seed of [1, 2]) {
  Deno.test(`random months are archived at random times, and everything adds up: seed ${seed}`, () =>
    archiveRandomMonths(seed));
}
