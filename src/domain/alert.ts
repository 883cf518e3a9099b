/**
 * What an operator is told of without asking: the one list of causes, and one thing that is the
 * matter.
 *
 * @module
 */

/** What may be the matter. */
export const ALERT_CAUSES = [
  "budget",
  "balance",
  "brake",
  "route",
  "errors",
  "disk",
  "ledger",
  "backup",
  "secret",
  "catalogue",
] as const;

/** One of {@linkcode ALERT_CAUSES}. */
export type AlertCause = typeof ALERT_CAUSES[number];

/** Whether it may wait for the end of quiet hours. */
export type AlertSeverity = "warning" | "grave";

/**
 * One thing that is the matter now. Its texts are made of ids, names, amounts and times: no key,
 * prompt or secret is in one.
 */
export interface Trouble {
  readonly cause: AlertCause;
  /** What tells it from others of the cause: the same as long as it lasts. */
  readonly id: string;
  readonly severity: AlertSeverity;
  /** What is the matter, in a sentence without its final period. */
  readonly text: string;
  /** What to do: a command, or where to look. */
  readonly help: string;
  /** The console's page of it, below the gateway's address. */
  readonly path: string;
  readonly project?: string | undefined;
  readonly route?: string | undefined;
  /** It is told once it has lasted so long, milliseconds; absent: at once. */
  readonly afterMs?: number | undefined;
  /**
   * A mark that is passed, not a state: it is told once until this time (milliseconds since the
   * epoch), and nobody is told that it is over.
   */
  readonly onceUntil?: number | undefined;
  /** What it was measured by when it began, kept as long as it lasts. */
  readonly mark?: string | undefined;
  /** Another one says as much and more: it counts as told. */
  readonly isCovered?: true | undefined;
}

/** The name of a thing that is the matter, among all of them. */
export function troubleKey({ cause, id }: Pick<Trouble, "cause" | "id">): string {
  return `${cause}:${id}`;
}

/** What somebody is told: that something is the matter since a time, or is no more. */
export interface AlertNotice {
  readonly type: "raised" | "resolved";
  readonly trouble: Trouble;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** When it was over; absent while it is not. */
  readonly until?: number | undefined;
}
