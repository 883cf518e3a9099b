/**
 * What checks of books answer.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { shownDifference } from "./difference.ts";

const count = z.int().min(0);

/** What does not add up, as far as one can read it. */
export const differenceFields = {
  differences: z.array(shownDifference).describe("Empty when everything adds up"),
  omitted: count.describe("Further differences that are not listed"),
};

/** What a check of the ledger found. */
export const ledgerFindings = z.object({
  ...differenceFields,
  checked: z.object({
    projects: count,
    ledger_rows: count,
    calls: count,
    open_calls: count,
    price_versions: count,
    audit_rows: count,
    sums: count.describe(
      "Sums of usage and spending: by hour, and of what is archived by day and project",
    ),
    archives: count.describe(
      "Archives that the ledger goes on from: their rows are not read",
    ),
    memory: z.boolean().describe(
      "Whether the balances in the running gateway's memory were compared too",
    ),
  }),
});

/** The value of {@linkcode ledgerFindings}. */
export type LedgerFindings = Shown<typeof ledgerFindings>;
