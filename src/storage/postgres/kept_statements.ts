/**
 * Statements that are run again and again: the server keeps each, with its plan, where connections are the
 * program's own.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Statement } from "./ask.ts";
import type { Connection } from "./connection.ts";
import { isNotKept } from "./postgres_error.ts";
import { numbered } from "./sql.ts";

/** Those of one writer. */
export class KeptStatements {
  readonly #names: Map<string, string> = new Map();
  /** Until a pooler is found on the way that gives each transaction another connection. */
  #areKept = true;

  /**
   * Runs one outside of any transaction.
   *
   * @throws {ConnectionLost} If nobody answers.
   * @throws {Error} The server's, of what it did.
   */
  async run(connection: Connection, { sql, values }: Statement): Promise<void> {
    const text = numbered(sql);
    if (this.#areKept) {
      try {
        await connection.run(text, values, { name: this.#nameOf(text) });
        return;
      } catch (error) {
        if (!isNotKept(error)) throw error;
        this.#areKept = false;
      }
    }
    await connection.run(text, values);
  }

  /** One for each text: whoever shares a connection and meets a statement of that name means the same. */
  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = `tollgate_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
    this.#names.set(text, name);
    return name;
  }
}
