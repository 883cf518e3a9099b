/**
 * What `doctor` has to say about one thing.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";

/** One line of the diagnosis. */
export const shownFinding = z.object({
  check: z.string().describe("What was looked at, such as `database`"),
  status: z.enum(["ok", "warning", "problem"]).describe(
    "ok: as it should be; warning: it works, and somebody should look at it; problem: something " +
      "does not work, or will not at the next start",
  ),
  detail: z.string(),
  remedy: z.string().nullable().describe("What to do; null when nothing is"),
});

export type Finding = Shown<typeof shownFinding>;
