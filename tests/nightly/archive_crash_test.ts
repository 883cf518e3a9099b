/**
 * Archiving that is killed at any of its steps.
 *
 * @module
 */

import { archiveAndDieAt } from "../admin/archive_deaths.ts";

const STEPS = ["1", "2", "3", "4", "5", "6", "7", "8", "1000"];

for (const point of [["part"], ...STEPS.flatMap((step) => [[step, "before"], [step, "after"]])]) {
  Deno.test(`archiving that is killed at ${point.join(" ")} loses nothing, and goes on`, async () => {
    await archiveAndDieAt([point]);
  });
}
