/**
 * Checkpoints as rows, and the dropping of rows that they have archived.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { Checkpoint, KeptReference } from "../../domain/checkpoint.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { OldSums } from "./old_sums.ts";
import { prepareAll, prepareBigInts } from "./statements.ts";
import { COVERED } from "./write_statements.ts";
import { CHECKPOINT } from "../rows/checkpoint_row.ts";

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
  readonly #sql;
  /** Those that may read large numbers. */
  readonly #wide;
  readonly #sums: OldSums;

  constructor(database: DatabaseSync) {
    this.#sql = prepareAll(database, {
      list: `SELECT ${CHECKPOINT.names} FROM checkpoints ORDER BY number`,
      document: "SELECT document FROM checkpoints WHERE number = ?",
      keptCalls: "SELECT call_id FROM kept_calls WHERE call_id > ? ORDER BY call_id LIMIT ?",
      hasLeftovers: `SELECT EXISTS (SELECT 1 FROM ledger WHERE seq <= ${LAST_SEQ}) AS yes`,
      insert: CHECKPOINT.insertInto("checkpoints", "document"),
      hasUncovered: `SELECT EXISTS (
          SELECT 1 FROM ledger WHERE kind IN ('settle', 'release') AND seq <= ${LAST_SEQ} AND seq >
            coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = '${COVERED}'), 0)
        ) AS yes`,
      dropRow: "DELETE FROM ledger WHERE seq = ?",
      keepCall: `INSERT OR IGNORE INTO kept_calls (call_id)
        SELECT call_id FROM calls WHERE call_id = ?1 AND ${TASK_OF} ?1)`,
      dropCall: `DELETE FROM calls WHERE call_id = ?1 AND NOT ${TASK_OF} ?1)`,
      keepReference: `INSERT INTO kept_references (project_id, reference, amount_e8, checkpoint)
        VALUES (?, ?, ?, (SELECT min(number) FROM checkpoints WHERE last_seq >= ?))`,
      dropUnneeded: `DELETE FROM calls WHERE call_id IN (
        SELECT call_id FROM kept_calls WHERE NOT ${TASK_OF} kept_calls.call_id) LIMIT ?)`,
    });
    this.#wide = prepareBigInts(database, {
      references:
        `SELECT project_id, reference, amount_e8 FROM kept_references WHERE checkpoint = ?1
        UNION
        SELECT project_id, reference, amount_e8 FROM ledger
        WHERE reference IS NOT NULL AND seq <= (SELECT last_seq FROM checkpoints WHERE number = ?1)
          AND seq > coalesce((SELECT last_seq FROM checkpoints WHERE number = ?1 - 1), 0)`,
      oldest: `SELECT seq, project_id, kind, amount_e8, call_id, reference FROM ledger
        WHERE seq <= ${LAST_SEQ} ORDER BY seq LIMIT ?`,
    });
    this.#sums = new OldSums(database);
  }

  list(): readonly Checkpoint[] {
    return this.#sql.list.all().map((row) => CHECKPOINT.read(row));
  }

  document(number: number): string | undefined {
    return this.#sql.document.get(number)?.document as string | undefined;
  }

  references(number: number): readonly KeptReference[] {
    return this.#wide.references.all(number).map((row) => ({
      projectId: row.project_id as string,
      reference: row.reference as string,
      amountE8: row.amount_e8 as bigint,
    }));
  }

  keptCalls(afterCallId: number, limit: number): readonly number[] {
    return this.#sql.keptCalls.all(afterCallId, limit).map(({ call_id }) => call_id as number);
  }

  hasLeftovers(): boolean {
    return this.#sql.hasLeftovers.get()!.yes === 1 || this.#sums.hasHourly();
  }

  /** Adds a checkpoint behind the last one. */
  insert(checkpoint: Checkpoint, document: string): void {
    this.#sql.insert.run(...CHECKPOINT.values(checkpoint), document);
  }

  /** Whether hourly sums still have to be made from archived rows. */
  hasUncovered(): boolean {
    return this.#sql.hasUncovered.get()!.yes === 1;
  }

  /** Drops the oldest archived rows with their calls; gives how many rows of the ledger there were. */
  dropOldest(limit: number): number {
    const rows = this.#wide.oldest.all(limit) as unknown as readonly OldRow[];
    for (const { seq, kind, call_id: callId, ...row } of rows) {
      if (row.reference !== null) {
        this.#sql.keepReference.run(row.project_id, row.reference, row.amount_e8, seq);
      }
      this.#sql.dropRow.run(seq);
      // Its other row, if there is one, follows at once.
      if (callId === null || kind === "loss") continue;
      this.#sql.keepCall.run(callId);
      this.#sql.dropCall.run(callId);
    }
    return rows.length;
  }

  /** Compacts the oldest hourly sums of archived calls; gives whether there were any. */
  compactSums(limit: number): boolean {
    return this.#sums.compact(limit);
  }

  /** Drops archived calls that stayed for films which are gone now; gives how many. */
  dropUnneeded(limit: number): number {
    return Number(this.#sql.dropUnneeded.run(limit).changes);
  }
}
