/**
 * Checkpoints of archives that were made before the database was moved here. What is archived since is
 * sealed runs, which `run_archives.ts` keeps.
 *
 * @module
 */

import type { Checkpoint, KeptReference } from "../../domain/checkpoint.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { CHECKPOINT } from "../rows/checkpoint_row.ts";
import type { Ask } from "./ask.ts";

/** The port's reads. */
export class PostgresCheckpointStore implements Asynchronous<typeof STORES.checkpoints> {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async list(): Promise<readonly Checkpoint[]> {
    const sql = `SELECT ${CHECKPOINT.names} FROM checkpoints ORDER BY number`;
    return (await this.#ask.all(sql)).map((row) => CHECKPOINT.read(row));
  }

  async document(number: number): Promise<string | undefined> {
    const sql = "SELECT document FROM checkpoints WHERE number = ?";
    return (await this.#ask.get(sql, number))?.document as string | undefined;
  }

  async references(number: number): Promise<readonly KeptReference[]> {
    const rows = await this.#ask.allWide(
      "SELECT project_id, reference, amount_e8 FROM kept_references WHERE checkpoint = ?",
      number,
    );
    return rows.map((row) => ({
      projectId: row.project_id as string,
      reference: row.reference as string,
      amountE8: row.amount_e8 as bigint,
    }));
  }

  async keptCalls(afterCallId: number, limit: number): Promise<readonly number[]> {
    const rows = await this.#ask.all(
      "SELECT call_id FROM kept_calls WHERE call_id > ? ORDER BY call_id LIMIT ?",
      afterCallId,
      limit,
    );
    return rows.map(({ call_id }) => call_id as number);
  }

  /** What is moved here has none. */
  hasLeftovers(): Promise<boolean> {
    return Promise.resolve(false);
  }
}
