/**
 * The database as the source of an archive, read beside its writer: rows that are to be
 * archived never change, so they are read bit by bit and hold up nobody.
 *
 * @module
 */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { ArchiveSeal } from "../../ports/archive_seal.ts";
import type { ArchiveRange, ArchiveSource, CopyRowsOptions } from "../../ports/archives.ts";
import { StorageOpenError } from "../../ports/storage_open_error.ts";
import { rowTextSql, SqliteArchiveFile, toSeal } from "./archive_file.ts";
import {
  archivedColumns,
  CHECKED_TABLE_NAMES,
  CHECKED_TABLES,
  type CheckedTable,
} from "../checked_tables.ts";
import { ArchiveWriter, type ColumnTypes } from "./archive_writer.ts";
import type { ColumnValue } from "../../rows/row_checksum.ts";
import { asLists } from "../statements.ts";

const SEQ = CHECKED_TABLES.ledger.indexOf("seq");
const CALL_ID = CHECKED_TABLES.ledger.indexOf("call_id");
const PRICE_VERSION = CHECKED_TABLES.calls.indexOf("price_version");
/** Rows between two pauses. */
const SLICE = 500;

/** A row's, in the order of an archive's columns. */
type Values = readonly ColumnValue[];

/** Blocks this thread: it belongs in a Worker. */
export class SqliteArchiveSource implements ArchiveSource {
  readonly #database: DatabaseSync;
  readonly #rows: StatementSync;
  readonly #byKey: { readonly [table in CheckedTable]: StatementSync };
  readonly #texts: { readonly [table in CheckedTable]: StatementSync };

  /** @param path A database of this program's schema. */
  constructor(path: string) {
    this.#database = new DatabaseSync(path, { readOnly: true });
    this.#rows = this.#prepareRows("ledger", "seq > ? ORDER BY seq LIMIT ?");
    const byKey = {} as Record<CheckedTable, StatementSync>;
    const texts = {} as Record<CheckedTable, StatementSync>;
    for (const table of CHECKED_TABLE_NAMES) {
      const key = CHECKED_TABLES[table][0];
      byKey[table] = this.#prepareRows(table, `${key} = ?`);
      texts[table] = this.#database.prepare(`${rowTextSql(table)} FROM ${table} WHERE ${key} = ?`);
    }
    this.#byKey = byKey;
    this.#texts = texts;
  }

  lastSeal(): ArchiveSeal | undefined {
    const sql = "SELECT document, sha256 FROM checkpoints ORDER BY number DESC LIMIT 1";
    return toSeal(this.#one(sql));
  }

  rangeBefore(beforeMs: number): ArchiveRange | undefined {
    const from = this.#one(
      `SELECT seq, at FROM ledger
       WHERE seq > coalesce((SELECT max(last_seq) FROM checkpoints), 0) ORDER BY seq LIMIT 1`,
    );
    if (from === undefined || (from.at as number) >= beforeMs) return undefined;
    const end = this.#one(
      "SELECT seq FROM ledger WHERE seq >= ? AND at >= ? ORDER BY seq LIMIT 1",
      from.seq!,
      beforeMs,
    );
    const to = this.#one(
      "SELECT seq, at FROM ledger WHERE seq < ? ORDER BY seq DESC LIMIT 1",
      end?.seq ?? Number.MAX_SAFE_INTEGER,
    )!;
    return {
      fromSeq: from.seq as number,
      toSeq: to.seq as number,
      firstAt: from.at as number,
      lastAt: to.at as number,
    };
  }

  rowsOutOfOrder(range: ArchiveRange | undefined, beforeMs: number): number {
    const first = range?.toSeq ??
      (this.#one("SELECT coalesce(max(last_seq), 0) AS seq FROM checkpoints")!.seq as number);
    return this.#one(
      "SELECT count(*) AS n FROM ledger WHERE seq > ? AND at < ?",
      first,
      beforeMs,
    )!.n as number;
  }

  openCallsBefore(beforeMs: number): number {
    return this.#one(
      `SELECT count(*) AS n FROM calls INDEXED BY calls_open
       WHERE state = 'open' AND opened_at < ?`,
      beforeMs,
    )!.n as number;
  }

  countsOf({ fromSeq, toSeq }: ArchiveRange): { calls: number; references: number; films: number } {
    // "references" is a word of SQL's.
    const { calls, kept, films } = this.#one(
      `SELECT count(*) FILTER (WHERE kind = 'settle' OR kind = 'release') AS calls,
         count(reference) AS kept,
         count(*) FILTER (WHERE (kind = 'settle' OR kind = 'release') AND EXISTS (
           SELECT 1 FROM video_tasks WHERE video_tasks.call_id = ledger.call_id)) AS films
       FROM ledger WHERE seq BETWEEN ? AND ?`,
      fromSeq,
      toSeq,
    ) as unknown as { calls: number; kept: number; films: number };
    return { calls, references: kept, films };
  }

  /** Ledger rows, their calls, and the prices of those. */
  async copyRows(
    { range: { fromSeq, toSeq }, part, pause, onCopied }: CopyRowsOptions,
  ): Promise<void> {
    using writer = new ArchiveWriter(part, this.#columnTypes());
    const prices = new Set<number>();
    let last = fromSeq - 1;
    // A call has a settle or a release, and perhaps a loss, which comes next.
    let lastCallId: number | undefined;
    while (last < toSeq) {
      const rows = this.#ledgerRows(last, toSeq);
      if (rows.length === 0) break;
      writer.add("ledger", rows.map(({ values }) => values));
      const calls = rows.flatMap(({ callId }) => {
        if (callId === undefined || callId === lastCallId) return [];
        lastCallId = callId;
        return this.#row("calls", callId);
      });
      writer.add("calls", calls);
      for (const call of calls) prices.add(Number(call[PRICE_VERSION]));
      last = rows.at(-1)!.seq;
      onCopied(last - fromSeq + 1);
      await pause();
    }
    const versions = [...prices].sort((a, b) => a - b);
    writer.add(
      "price_versions",
      versions.flatMap((version) => this.#row("price_versions", version)),
    );
  }

  async compare(file: string, pause: () => Promise<void>): Promise<void> {
    using archive = new SqliteArchiveFile(file);
    for (const table of CHECKED_TABLE_NAMES) {
      let count = 0;
      for (const { key, text } of archive.rowTexts(table)) {
        if (this.#texts[table].get(key)?.text !== text) {
          throw new StorageOpenError(
            `the archive ${file} and the database differ: ${table} ${key}`,
          );
        }
        if (++count % SLICE === 0) await pause();
      }
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  /** Ledger rows behind `afterSeq`, rising, none beyond the range. */
  #ledgerRows(afterSeq: number, toSeq: number) {
    const most = Math.min(SLICE, toSeq - afterSeq);
    return (this.#rows.all(afterSeq, most) as unknown as readonly Values[]).map((values) => ({
      seq: Number(values[SEQ]),
      callId: values[CALL_ID] === null ? undefined : Number(values[CALL_ID]),
      values,
    })).filter(({ seq }) => seq <= toSeq);
  }

  /** The row of a key, if there is one. */
  #row(table: CheckedTable, key: number): readonly Values[] {
    const row = this.#byKey[table].get(key) as unknown as Values | undefined;
    return row === undefined ? [] : [row];
  }

  /** What an archive's tables are declared as. */
  #columnTypes(): ColumnTypes {
    const types = {} as Record<CheckedTable, ReadonlyMap<string, string>>;
    for (const table of CHECKED_TABLE_NAMES) {
      const rows = this.#database.prepare("SELECT name, type FROM pragma_table_info(?)").all(table);
      types[table] = new Map(rows.map(({ name, type }) => [name as string, type as string]));
    }
    return types;
  }

  #one(sql: string, ...values: readonly ColumnValue[]) {
    return this.#database.prepare(sql).get(...values) as
      | Readonly<Record<string, ColumnValue>>
      | undefined;
  }

  #prepareRows(table: CheckedTable, where: string): StatementSync {
    const statement = this.#database.prepare(
      `SELECT ${archivedColumns(table).join(", ")} FROM ${table} WHERE ${where}`,
    );
    statement.setReadBigInts(true);
    return asLists(statement);
  }
}
