/**
 * The audit log as rows: appended, read, and looked through for what was altered
 * or removed.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { AuditNote, AuditRow } from "../../domain/audit.ts";
import type { AuditCheck, AuditLink, AuditQuery } from "../ports/audit.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { rowChecksum } from "../rows/row_checksum.ts";
import { prepareAll } from "./statements.ts";
import {
  AUDIT,
  auditFromRow,
  checkAuditRows,
  NOTHING_NOTED,
  type StoredAuditRow,
} from "../rows/audit_row.ts";

/**
 * Ways to a row, each by an index; the id of a subject is what follows its kind, and a catalogue's
 * row is about each of its parts.
 */
const LOOK_UPS = {
  seq: { from: "audit NOT INDEXED", condition: "?4 IS NULL" },
  operation: {
    from: "audit INDEXED BY audit_by_operation",
    condition: "operation = ?3 AND ?4 IS NULL",
  },
  subject: { from: "audit INDEXED BY audit_by_subject", condition: "audit.subject = ?4" },
  subjectId: {
    from: "audit INDEXED BY audit_by_subject_id",
    condition: "substr(audit.subject, instr(audit.subject, ':') + 1) = ?4",
  },
  // The order of a cross join is the query's own.
  part: {
    from: "audit_parts CROSS JOIN audit ON audit.seq = audit_parts.seq",
    condition: "audit_parts.subject = ?4 AND audit_parts.seq < ?1",
    order: "audit_parts.seq",
  },
} as const;

type LookUp = keyof typeof LOOK_UPS;

interface WayToRow {
  readonly from: string;
  readonly condition: string;
  readonly order?: string;
}

/** The entry of `meta` with the last row's number and checksum, as `[seq,checksum]`. */
const LAST = "audit_last";

/** Reads for the port; appends, inside the caller's transaction, for the writer. */
export class SqliteAuditStore implements Synchronous<typeof STORES.audit> {
  readonly #sql;
  /** By what rows are looked up with. */
  readonly #lists: { readonly [lookUp in LookUp]: StatementSync };

  constructor(database: DatabaseSync) {
    this.#sql = prepareAll(database, {
      insert: AUDIT.insertInto("audit", "checksum"),
      readLast: `SELECT value FROM meta WHERE name = '${LAST}'`,
      writeLast: `INSERT INTO meta (name, value) VALUES ('${LAST}', ?)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      slice: `SELECT ${AUDIT.names}, checksum FROM audit WHERE seq > ? ORDER BY seq LIMIT ?`,
    });
    const shown = AUDIT.columns.map((column) => `audit.${column}`).join(", ");
    const list = (lookUp: LookUp) => {
      const { from, condition, order = "audit.seq" }: WayToRow = LOOK_UPS[lookUp];
      return `SELECT ${shown} FROM ${from}
        WHERE audit.seq < ?1 AND at >= ?2 AND at < ?6 AND (?3 IS NULL OR operation = ?3) AND ${condition}
        ORDER BY ${order} DESC LIMIT ?5`;
    };
    this.#lists = prepareAll(database, {
      seq: list("seq"),
      operation: list("operation"),
      subject: list("subject"),
      subjectId: list("subjectId"),
      part: list("part"),
    });
  }

  list(query: AuditQuery): readonly AuditRow[] {
    const lookUps: readonly LookUp[] = query.subject !== undefined
      ? ["subject", "subjectId", "part"]
      : query.operation !== undefined
      ? ["operation"]
      : ["seq"];
    // A subject may be the id of another one, and a part of a catalogue have its file's name.
    const rows = lookUps.flatMap((lookUp) =>
      this.#rows(lookUp, query).map((row) => [row.seq, row] as const)
    );
    return [...new Map(rows).values()].sort((a, b) => b.seq - a.seq).slice(0, query.limit);
  }

  #rows(
    lookUp: LookUp,
    { beforeSeq, fromMs, toMs, operation, subject, limit }: AuditQuery,
  ): AuditRow[] {
    const rows = this.#lists[lookUp].all(
      beforeSeq ?? Number.MAX_SAFE_INTEGER,
      fromMs ?? 0,
      operation ?? null,
      subject ?? null,
      limit,
      toMs ?? Number.MAX_SAFE_INTEGER,
    );
    return rows.map((row) => auditFromRow(row));
  }

  check(after: AuditLink | undefined, limit: number): AuditCheck {
    const rows = this.#sql.slice.all(after?.seq ?? 0, limit) as unknown as StoredAuditRow[];
    return checkAuditRows(rows, { after, last: this.#last(), limit });
  }

  /** Adds a row behind the last one that was ever written, should that be gone or not. */
  append(note: AuditNote): void {
    const last = this.#last();
    const seq = last.seq + 1;
    const values = AUDIT.values({ ...note, ...note.actor, seq, previous: last.checksum });
    const checksum = rowChecksum(values);
    this.#sql.insert.run(...values, checksum);
    this.#sql.writeLast.run(JSON.stringify([seq, checksum]));
  }

  #last(): AuditLink {
    const row = this.#sql.readLast.get();
    if (row === undefined) return NOTHING_NOTED;
    const [seq, checksum] = JSON.parse(row.value as string) as [number, number];
    return { seq, checksum };
  }
}
