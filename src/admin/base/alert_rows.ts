/**
 * What administration knows of alerts: what is the matter, what was told, and whom it reaches.
 *
 * @module
 */

import type { Trouble } from "../../domain/alert.ts";

/** One alert. All times are milliseconds since the epoch. */
export interface AlertView {
  readonly id: string;
  /** `raised`: it is the matter; `resolved`: it was told and is over. */
  readonly state: "raised" | "resolved";
  readonly trouble: Trouble;
  readonly since: number;
  /** When it was told; absent: it has not lasted long enough, or began just now. */
  readonly toldAt?: number | undefined;
  readonly until?: number | undefined;
}

/** Somebody who is told. */
export interface AlertTargetView {
  /** The form and where it goes, without what is a secret of it. */
  readonly target: string;
  /** Messages that have not arrived. */
  readonly waiting: number;
  /** Why the last try failed; absent: it has not. */
  readonly trouble?: string | undefined;
}

/** What became of a test message. */
export interface AlertTest {
  readonly target: string;
  readonly delivered: boolean;
  /** What was answered, or why nothing was. */
  readonly answer: string;
  readonly milliseconds: number;
}

/** What anybody may be told: where alerts go is for those who administer the gateway. */
export const UNTOLD_WARNING = "alerts do not arrive: `tollgate doctor` says where";

/** The owner of alerts, as far as administration needs it. */
export interface AdminAlerts {
  /** Looks, and says what is the matter and what was, newest first. */
  list(): Promise<readonly AlertView[]>;
  /** Sends a test message to everybody who is told; one at a time. */
  test(): Promise<readonly AlertTest[]>;
  targets(): readonly AlertTargetView[];
  /** The books were verified: so many differences. */
  verified(differences: number): void;
}
