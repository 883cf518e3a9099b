/**
 * What few calls have, in one column: counts of units that have no column of their own,
 * what the price depends on besides counts, the caller's tags, its batch, the route that it was to stay
 * on, how its route was chosen and the attempts that failed. NULL for nothing of it.
 *
 * @module
 */

import { isObject } from "../../domain/json_value.ts";
import type { ClosedCall, Decision, FailedAttempt, OpenCall, Sticky } from "../../domain/call.ts";
import type { Tags } from "../../domain/tags.ts";
import type { Terms } from "../../domain/terms.ts";
import type { Work } from "../../domain/work.ts";

/** Units with a column of their own; of the two totals what is left of them. */
const HAVE_COLUMNS: ReadonlySet<string> = new Set<keyof Work>([
  "input",
  "cachedInput",
  "cacheWrite",
  "output",
  "reasoning",
  "image",
]);

/** What the column holds. */
export interface Further {
  readonly work?: Work;
  readonly terms?: Terms;
  readonly tags?: Tags;
  readonly batchId?: string;
  readonly sticky?: Sticky;
  readonly decision?: Decision;
  readonly failedAttempts?: readonly FailedAttempt[];
}

const NOTHING: Further = {};

/** The column's text. */
export function furtherText(
  work: Work | undefined,
  { terms, tags, batchId, sticky, decision, failedAttempts }:
    & Pick<OpenCall, "terms" | "tags" | "batchId" | "sticky" | "decision">
    & Pick<ClosedCall, "failedAttempts">,
): string | null {
  let rest: { [unit: string]: number } | undefined;
  for (const unit in work) {
    const count = work[unit as keyof Work];
    if (count !== undefined && count > 0 && !HAVE_COLUMNS.has(unit)) {
      rest = { ...rest, [unit]: count };
    }
  }
  const few = rest ?? terms ?? tags ?? batchId ?? sticky ?? decision ?? failedAttempts;
  if (few === undefined) return null;
  return JSON.stringify({ work: rest, terms, tags, batchId, sticky, decision, failedAttempts });
}

/** What a column's text says. One that a hand has spoilt says nothing: its row's checksum tells. */
export function readFurther(text: string | null): Further {
  if (text === null) return NOTHING;
  try {
    const further: unknown = JSON.parse(text);
    return isObject(further) ? further : NOTHING;
  } catch (error) {
    if (error instanceof SyntaxError) return NOTHING;
    throw error;
  }
}
