/**
 * @module
 */

import { archiveRandomMonths } from "../admin/random_archives.ts";

for (let seed = 3; seed <= 20; seed++) {
  Deno.test(`random months are archived at random times, and everything adds up: seed ${seed}`, () =>
    archiveRandomMonths(seed));
}
