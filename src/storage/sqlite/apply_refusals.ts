/**
 * Entries about refused requests.
 *
 * @module
 */

import { hourOf } from "../../domain/budgets.ts";
import { DONE } from "../entries/entry_results.ts";
import type { Appliers } from "./applier.ts";

export const REFUSAL_APPLIERS: Appliers<"note_refusals"> = {
  note_refusals(_batch, { sums, requests, at }, { refusals }) {
    for (const sum of sums) refusals.add(sum);
    refusals.keep(requests);
    refusals.forget(hourOf(at));
    return DONE;
  },
};
