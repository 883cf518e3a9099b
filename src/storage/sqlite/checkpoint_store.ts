/**
 * Checkpoints as rows, and the dropping of rows that they have archived.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Checkpoint, KeptReference } from "../../domain/checkpoint.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { OldSums } from "./old_sums.ts";
import { COVERED } from "./write_statements.ts";

/** What dropping needs to know of a ledger row. */
interface OldRow {
  readonly seq: bigint;
  readonly project_id: string;
  readonly kind: string;
  readonly amount_e8: bigint;
  readonly call_id: bigint | null;
  readonly reference: string | null;
}

const LAST_SEQ = "coalesce((SELECT max(last_seq) FROM checkpoints), 0)";
const TASK_OF = "EXISTS (SELECT 1 FROM video_tasks WHERE video_tasks.call_id = ";

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteCheckpointStore implements Synchronous<typeof STORES.checkpoints> {
  readonly #list: StatementSync;
  readonly #document: StatementSync;
  readonly #references: StatementSync;
  readonly #keptCalls: StatementSync;
  readonly #hasLeftovers: StatementSync;
  readonly #insert: StatementSync;
  readonly #hasUncovered: StatementSync;
  readonly #oldest: StatementSync;
  readonly #dropRow: StatementSync;
  readonly #dropCall: StatementSync;
  readonly #keepCall: StatementSync;
  readonly #keepReference: StatementSync;
  readonly #dropUnneeded: StatementSync;
  readonly #sums: OldSums;

  constructor(database: DatabaseSync) {
    this.#list = database.prepare(
      `SELECT number, last_seq, first_call_id, last_call_id, calls, before_at, file, sha256
       FROM checkpoints ORDER BY number`,
    );
    this.#document = database.prepare("SELECT document FROM checkpoints WHERE number = ?");
    this.#references = bigints(database.prepare(
      `SELECT project_id, reference, amount_e8 FROM kept_references WHERE checkpoint = ?1
       UNION
       SELECT project_id, reference, amount_e8 FROM ledger
       WHERE reference IS NOT NULL AND seq <= (SELECT last_seq FROM checkpoints WHERE number = ?1)
         AND seq > coalesce((SELECT last_seq FROM checkpoints WHERE number = ?1 - 1), 0)`,
    ));
    this.#keptCalls = database.prepare(
      "SELECT call_id FROM kept_calls WHERE call_id > ? ORDER BY call_id LIMIT ?",
    );
    this.#hasLeftovers = database.prepare(
      `SELECT EXISTS (SELECT 1 FROM ledger WHERE seq <= ${LAST_SEQ}) AS yes`,
    );
    this.#insert = database.prepare(
      `INSERT INTO checkpoints (number, last_seq, first_call_id, last_call_id, calls, before_at,
         file, sha256, document) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#hasUncovered = database.prepare(
      `SELECT EXISTS (
         SELECT 1 FROM ledger WHERE kind IN ('settle', 'release') AND seq <= ${LAST_SEQ} AND seq >
           coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = '${COVERED}'), 0)
       ) AS yes`,
    );
    this.#oldest = bigints(database.prepare(
      `SELECT seq, project_id, kind, amount_e8, call_id, reference FROM ledger
       WHERE seq <= ${LAST_SEQ} ORDER BY seq LIMIT ?`,
    ));
    this.#dropRow = database.prepare("DELETE FROM ledger WHERE seq = ?");
    this.#keepCall = database.prepare(
      `INSERT OR IGNORE INTO kept_calls (call_id)
       SELECT call_id FROM calls WHERE call_id = ?1 AND ${TASK_OF} ?1)`,
    );
    this.#dropCall = database.prepare(
      `DELETE FROM calls WHERE call_id = ?1 AND NOT ${TASK_OF} ?1)`,
    );
    this.#keepReference = database.prepare(
      `INSERT INTO kept_references (project_id, reference, amount_e8, checkpoint)
       VALUES (?, ?, ?, (SELECT min(number) FROM checkpoints WHERE last_seq >= ?))`,
    );
    this.#dropUnneeded = database.prepare(
      `DELETE FROM calls WHERE call_id IN (
         SELECT call_id FROM kept_calls WHERE NOT ${TASK_OF} kept_calls.call_id) LIMIT ?)`,
    );
    this.#sums = new OldSums(database);
  }

  list(): readonly Checkpoint[] {
    return this.#list.all().map((row) => ({
      number: row.number as number,
      lastSeq: row.last_seq as number,
      firstCallId: row.first_call_id as number,
      lastCallId: row.last_call_id as number,
      calls: row.calls as number,
      beforeMs: row.before_at as number,
      file: row.file as string,
      sha256: row.sha256 as string,
    }));
  }

  document(number: number): string | undefined {
    return this.#document.get(number)?.document as string | undefined;
  }

  references(number: number): readonly KeptReference[] {
    return this.#references.all(number).map((row) => ({
      projectId: row.project_id as string,
      reference: row.reference as string,
      amountE8: row.amount_e8 as bigint,
    }));
  }

  keptCalls(afterCallId: number, limit: number): readonly number[] {
    return this.#keptCalls.all(afterCallId, limit).map(({ call_id }) => call_id as number);
  }

  hasLeftovers(): boolean {
    return this.#hasLeftovers.get()!.yes === 1 || this.#sums.hasHourly();
  }

  /** Adds a checkpoint behind the last one. */
  insert(checkpoint: Checkpoint, document: string): void {
    this.#insert.run(
      checkpoint.number,
      checkpoint.lastSeq,
      checkpoint.firstCallId,
      checkpoint.lastCallId,
      checkpoint.calls,
      checkpoint.beforeMs,
      checkpoint.file,
      checkpoint.sha256,
      document,
    );
  }

  /** Whether hourly sums still have to be made from archived rows. */
  hasUncovered(): boolean {
    return this.#hasUncovered.get()!.yes === 1;
  }

  /** Drops the oldest archived rows with their calls; gives how many rows of the ledger there were. */
  dropOldest(limit: number): number {
    const rows = this.#oldest.all(limit) as unknown as readonly OldRow[];
    for (const { seq, kind, call_id: callId, ...row } of rows) {
      if (row.reference !== null) {
        this.#keepReference.run(row.project_id, row.reference, row.amount_e8, seq);
      }
      this.#dropRow.run(seq);
      // Its other row, if there is one, follows at once.
      if (callId === null || kind === "loss") continue;
      this.#keepCall.run(callId);
      this.#dropCall.run(callId);
    }
    return rows.length;
  }

  /** Compacts the oldest hourly sums of archived calls; gives whether there were any. */
  compactSums(limit: number): boolean {
    return this.#sums.compact(limit);
  }

  /** Drops archived calls that stayed for films which are gone now; gives how many. */
  dropUnneeded(limit: number): number {
    return Number(this.#dropUnneeded.run(limit).changes);
  }
}

function bigints(statement: StatementSync): StatementSync {
  statement.setReadBigInts(true);
  return statement;
}
