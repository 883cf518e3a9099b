/**
 * How far something is, moved by a script while the page is looked at.
 *
 * @module
 */

import { State } from "./table.tsx";

/** What is told of it, again and again. */
export interface Told {
  /** 0 to 100; null where nobody knows. */
  readonly percent: number | null;
  readonly text: string;
  /** Then the page has more to show. */
  readonly ended: boolean;
}

/** A bar and a sentence. */
export function Progress(
  { path, name, told: { percent, text } }: {
    /** Where it is asked for, as JSON. */
    readonly path: string;
    readonly name: string;
    readonly told: Told;
  },
) {
  return (
    <div class="sheet" data-progress={path}>
      <progress max={100} value={percent ?? undefined} aria-label={name} />
      <p role="status" data-told>{text}</p>
    </div>
  );
}

const ENDED_WELL = "completed";
const ENDED_BADLY = new Set(["failed", "expired", "cancelled"]);

/** The state of a task or batch, with its colour. */
export function Status({ status, detail = "" }: {
  readonly status: string;
  readonly detail?: string;
}) {
  const kind = status === ENDED_WELL ? "good" : ENDED_BADLY.has(status) ? "bad" : "warn";
  return <State kind={kind}>{status.replace("_", " ") + detail}</State>;
}
