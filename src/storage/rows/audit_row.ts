/**
 * The audit log as rows, and what is wrong with some of them.
 *
 * @module
 */

import type { AuditActor, AuditRow } from "../../domain/audit.ts";
import type { AuditCheck, AuditFault, AuditLink } from "../ports/audit.ts";
import { fitsChecksum } from "./row_checksum.ts";
import {
  freeText,
  integer,
  json,
  orNone,
  RowOf,
  single,
  storableText,
  type Stored,
  text,
} from "./row_of.ts";

/** A row of `audit` with the checksum of the one before it. */
type Chained = Omit<AuditRow, "actor"> & AuditActor & { readonly previous: number };

/** What the checksum covers, in table order. */
export const AUDIT = new RowOf<Chained>({
  seq: integer(),
  at: integer(),
  channel: text(),
  user: anyText(),
  address: anyText(),
  operation: freeText(),
  subject: freeText(),
  before: orNone(json()),
  after: orNone(json()),
  requestId: anyText(),
  previous: integer(),
});

export interface StoredAuditRow {
  readonly [column: string]: string | number | null;
  readonly seq: number;
  readonly previous: number;
  readonly checksum: number;
}

/** Before the first row. */
export const NOTHING_NOTED: AuditLink = { seq: 0, checksum: 0 };

function* faultsOf(row: StoredAuditRow, before: AuditLink): Iterable<AuditFault> {
  const { seq, previous, checksum } = row;
  if (seq !== before.seq + 1) yield missingRows(before.seq + 1, seq - 1);
  else if (previous !== before.checksum) {
    yield { seq, detail: "the row does not follow the one before it" };
  }
  if (!fitsChecksum(AUDIT.columns.map((column) => row[column]!), checksum)) {
    yield { seq, detail: "the row was altered: its checksum does not fit its columns" };
  }
}

function missingRows(first: number, last: number): AuditFault {
  return {
    seq: first,
    detail: first === last ? "the row is missing" : `the rows up to ${last} are missing`,
  };
}

/** Nothing and an empty text are the same. */
function anyText(): Stored<string | undefined> {
  return single(
    (written) => written === undefined || written === "" ? null : storableText(written),
    (stored) => (stored ?? undefined) as string | undefined,
  );
}

/** The row of the log that a row stores. */
export function auditFromRow(row: unknown): AuditRow {
  const { channel, user, address, previous: _, ...noted } = AUDIT.read(row);
  return { ...noted, actor: { channel, user, address } };
}

/**
 * What is wrong in rows that follow each other.
 *
 * @param options.after The row before them.
 * @param options.last The last row that was ever written.
 * @param options.limit How many rows were asked for.
 */
export function checkAuditRows(
  rows: readonly StoredAuditRow[],
  { after, last, limit }: {
    readonly after: AuditLink | undefined;
    readonly last: AuditLink;
    readonly limit: number;
  },
): AuditCheck {
  const faults: AuditFault[] = [];
  let before = after ?? NOTHING_NOTED;
  for (const row of rows) {
    faults.push(...faultsOf(row, before));
    before = { seq: row.seq, checksum: row.checksum };
  }
  if (rows.length === limit) return { rows: rows.length, faults, next: before };
  if (last.seq > before.seq) faults.push(missingRows(before.seq + 1, last.seq));
  else if (last.seq !== before.seq || last.checksum !== before.checksum) {
    faults.push({ seq: before.seq, detail: "the row is not the one that was written last" });
  }
  return { rows: rows.length, faults, next: undefined };
}
