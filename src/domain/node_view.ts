/**
 * Nodes as an operator sees them, and what is the matter with one.
 *
 * @module
 */

import type { AmountE8 } from "./money.ts";
import type { SessionId } from "./session.ts";
import { spanText } from "./span_text.ts";

/** A node as whoever looks at all of them sees it; times are of the server's clock. */
export interface NodeView {
  /** Its session, which is the number of its book of the ledger too. */
  readonly session: SessionId;
  /** The same at each start from a data dir, and of no other. */
  readonly node: string;
  /** For people. */
  readonly label: string;
  readonly slot: number;
  /** The program's version; absent of an earlier one that does not tell it. */
  readonly program: string | undefined;
  /** Milliseconds since the epoch; likewise. */
  readonly begunAt: number | undefined;
  /** What it has said with its last beat; absent before its first one. */
  readonly beat: NodeBeat | undefined;
  readonly leased: {
    readonly projects: number;
    readonly leftE8: AmountE8;
    readonly heldE8: AmountE8;
  };
}

/** What a node says of itself, several times a second. */
export interface NodeBeat {
  /** Milliseconds since then. */
  readonly agoMs: number;
  /** Milliseconds that its clock was ahead of the server's. */
  readonly clockAheadMs: number;
  /** Changes of the configuration that it had not taken in, of those that are stored now. */
  readonly changesBehind: number;
  /** Milliseconds since it knew of every change. */
  readonly changesAgeMs: number;
}

/** What is the matter, and what to do. */
export interface NodeTrouble {
  readonly detail: string;
  readonly remedy: string;
}

/** Several beats may be late; more of them are missing. */
const SILENT_MS = 3_000;
/** Clocks that NTP keeps are closer together. */
const APART_MS = 5_000;

/** What an operator should look at of a node; `detail` begins with a verb. */
export function nodeTroubles({ beat }: NodeView): readonly NodeTrouble[] {
  if (beat === undefined) return [];
  const { agoMs, clockAheadMs, changesBehind, changesAgeMs } = beat;
  const troubles: NodeTrouble[] = [];
  if (agoMs >= SILENT_MS) {
    troubles.push({
      detail: `has not said for ${spanText(agoMs)} that it lives`,
      remedy: "Look whether it runs and reaches the database; others soon go on with its work",
    });
  }
  if (Math.abs(clockAheadMs) >= APART_MS) {
    const side = clockAheadMs > 0 ? "ahead of" : "behind";
    troubles.push({
      detail: `has a clock that is ${spanText(clockAheadMs)} ${side} the database server's`,
      remedy: "Set the one that is wrong (NTP)",
    });
  }
  if (changesBehind > 0 && agoMs + changesAgeMs >= SILENT_MS) {
    troubles.push({
      detail: `lacks the last ${changesBehind} of the changes that others have made`,
      remedy: "See its log for why it cannot read them; it takes no calls meanwhile",
    });
  }
  return troubles;
}
