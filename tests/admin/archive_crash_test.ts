/**
 * Whenever archiving is killed, nothing is lost. The points between are the nightly sweep's.
 *
 * @module
 */

import assert from "node:assert/strict";
import { archiveAndDieAt } from "./archive_deaths.ts";

const POINTS = [["part"], ["1", "before"], ["1", "after"], ["3", "after"]];

Deno.test("archiving that is killed loses nothing, and goes on", async () => {
  const { seen, compacted } = await archiveAndDieAt(POINTS);
  assert.notEqual(compacted, 0);
  // Killed with nothing but a part, with a file that nothing depends on, with a checkpoint and
  // every row, and with some of the rows.
  assert.deepEqual(seen, ["0 false true", "0 true true", "1 true false", "1 true true"]);
});
