/**
 * The audit log: appended, read, and looked through for what was altered or removed.
 *
 * @module
 */

import type { AuditNote, AuditRow } from "../../domain/audit.ts";
import type { AuditCheck, AuditLink, AuditQuery } from "../ports/audit.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import {
  AUDIT,
  auditFromRow,
  checkAuditRows,
  NOTHING_NOTED,
  type StoredAuditRow,
} from "../rows/audit_row.ts";
import { rowChecksum } from "../rows/row_checksum.ts";
import { insertSql } from "../rows/row_of.ts";
import type { Ask } from "./ask.ts";
import { quoted } from "./sql.ts";

/** The entry of `cluster_meta` with the last row's number and checksum, as `[seq,checksum]`. */
const LAST = "audit_last";

const COLUMNS = quoted(AUDIT.columns);
const INSERT = insertSql("audit", [...AUDIT.columns, "checksum"].map((name) => `"${name}"`));

/** Reads for the port; appends, inside the caller's transaction, for the writer. */
export class PostgresAuditStore implements Asynchronous<typeof STORES.audit> {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** A subject may be the id of another one, and a part of a catalogue have its file's name. */
  async list(query: AuditQuery): Promise<readonly AuditRow[]> {
    const { beforeSeq, fromMs, toMs, operation, subject, limit } = query;
    const rows = await this.#ask.all(
      `SELECT ${COLUMNS} FROM audit
       WHERE seq < ?1 AND at >= ?2 AND at < ?3 AND (?4::text IS NULL OR operation = ?4::text)
         AND (?5::text IS NULL OR subject = ?5::text
           OR substr(subject, strpos(subject, ':') + 1) = ?5::text
           OR seq IN (SELECT seq FROM audit_parts WHERE subject = ?5::text))
       ORDER BY seq DESC LIMIT ?6`,
      beforeSeq ?? Number.MAX_SAFE_INTEGER,
      fromMs ?? 0,
      toMs ?? Number.MAX_SAFE_INTEGER,
      operation ?? null,
      subject ?? null,
      limit,
    );
    return rows.map(auditFromRow);
  }

  async check(after: AuditLink | undefined, limit: number): Promise<AuditCheck> {
    const rows = await this.#ask.all(
      `SELECT ${COLUMNS}, checksum FROM audit WHERE seq > ? ORDER BY seq LIMIT ?`,
      after?.seq ?? 0,
      limit,
    );
    return checkAuditRows(rows as unknown as readonly StoredAuditRow[], {
      ...{ after, limit },
      last: await this.#last(),
    });
  }

  /** Adds a row behind the last one that was ever written, should that be gone or not. */
  async append(note: AuditNote): Promise<void> {
    const last = await this.#last();
    const seq = last.seq + 1;
    const values = AUDIT.values({ ...note, ...note.actor, seq, previous: last.checksum });
    const checksum = rowChecksum(values);
    await this.#ask.run(INSERT, ...values, checksum);
    const parts = partsOf(note);
    if (parts.length > 0) {
      await this.#ask.run(
        `INSERT INTO audit_parts (subject, seq)
         SELECT subject, ?::bigint FROM unnest(?::text[]) AS subject`,
        seq,
        parts,
      );
    }
    await this.#ask.run(
      `INSERT INTO cluster_meta (name, value) VALUES ('${LAST}', ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      JSON.stringify([seq, checksum]),
    );
  }

  async #last(): Promise<AuditLink> {
    const row = await this.#ask.get(`SELECT value FROM cluster_meta WHERE name = '${LAST}'`);
    if (row === undefined) return NOTHING_NOTED;
    const [seq, checksum] = JSON.parse(row.value as string) as [number, number];
    return { seq, checksum };
  }
}

/**
 * What a change of a whole catalogue was about: each part under the names that it is looked for by,
 * its kind with its id (`project:shop`) and its id alone; the row names it as `project shop`.
 */
function partsOf({ subject, before, after }: AuditNote): readonly string[] {
  if (!subject.startsWith("catalogue:")) return [];
  const names = [...Object.keys(before ?? {}), ...Object.keys(after ?? {})].flatMap((part) => {
    const space = part.indexOf(" ");
    const id = part.slice(space + 1);
    return [`${part.slice(0, Math.max(0, space))}:${id}`, id];
  });
  return [...new Set(names)].filter((name) => name !== "");
}
