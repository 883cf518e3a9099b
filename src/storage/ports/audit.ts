/**
 * The audit log as it is read and checked.
 *
 * @module
 */

/** Which rows of the audit log are shown. */
export interface AuditQuery {
  /** Only rows with a smaller number. */
  readonly beforeSeq?: number | undefined;
  /** Only changes at this time or later, in milliseconds since the epoch. */
  readonly fromMs?: number | undefined;
  /** Only changes before this time, in milliseconds since the epoch. */
  readonly toMs?: number | undefined;
  readonly operation?: string | undefined;
  /** A whole subject (`project:shop`), or its id alone; also of a part of a changed catalogue. */
  readonly subject?: string | undefined;
  readonly limit: number;
}

/** A row of the audit log as the one behind it knows it. */
export interface AuditLink {
  readonly seq: number;
  readonly checksum: number;
}

/** What is wrong at a row of the audit log. */
export interface AuditFault {
  readonly seq: number;
  readonly detail: string;
}

/** What was found in a slice of the audit log. */
export interface AuditCheck {
  readonly rows: number;
  readonly faults: readonly AuditFault[];
  /** Where to go on; `undefined` at the end, which was compared with the last row written. */
  readonly next: AuditLink | undefined;
}
