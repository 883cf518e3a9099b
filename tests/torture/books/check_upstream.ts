/**
 * I4: every completion in the upstream's log is settled or the operator's loss, exactly once.
 *
 * @module
 */

import type { UpstreamRecord } from "../../support/fault_upstream/upstream_log.ts";
import type { CallRow } from "./book_rows.ts";

/** What is compared. */
export interface UpstreamComparison {
  readonly records: readonly UpstreamRecord[];
  readonly calls: readonly CallRow[];
  /** The tag of a call; `undefined` for a call that no script was sent with. */
  readonly tagOf: (call: CallRow) => number | undefined;
}

/** What is wrong, a sentence each. */
export function checkUpstream({ records, calls, tagOf }: UpstreamComparison): readonly string[] {
  const wrong: string[] = [];
  const byTag = new Map<number, CallRow[]>();
  for (const call of calls) {
    const tag = tagOf(call);
    if (tag === undefined) continue;
    byTag.set(tag, [...byTag.get(tag) ?? [], call]);
  }
  const completed = new Map<number, number>();
  for (const { tag, outcome } of records) {
    if (outcome === "completed") completed.set(tag, (completed.get(tag) ?? 0) + 1);
  }
  for (const [tag, count] of completed) {
    const closed = byTag.get(tag) ?? [];
    if (closed.length === 0) {
      wrong.push(`I4: the upstream completed tag ${tag} and no call tells of it`);
    } else if (closed.length > 1) {
      wrong.push(`I4: tag ${tag} is ${closed.length} calls: ${closed.map(nameOf).join(", ")}`);
    } else if (closed[0]!.state !== "settled" && closed[0]!.loss === 0n && count > 0) {
      wrong.push(
        `I4: the upstream completed tag ${tag}, its call ${nameOf(closed[0]!)} lost nothing`,
      );
    }
  }
  const asked = new Set(records.map(({ tag }) => tag));
  for (const [tag, closed] of byTag) {
    const paid = closed.find(({ charged }) => charged > 0n);
    if (paid !== undefined && !asked.has(tag)) {
      wrong.push(`I4: ${nameOf(paid)} is charged, and the upstream was never asked for tag ${tag}`);
    }
  }
  return wrong;
}

function nameOf({ requestId, state }: CallRow): string {
  return `${requestId} (${state})`;
}
