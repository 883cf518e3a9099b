/**
 * A database on a server that is only looked at, as it is at one moment.
 *
 * @module
 */

import { EARLIER_SESSION } from "../../domain/session.ts";
import type { ReadOnlyStorage } from "../ports/maintenance.ts";
import { type Answer, Ask } from "./ask.ts";
import { Connection, type PostgresPlace } from "./connection.ts";
import { SCHEMA_VERSION } from "./schema/versions.ts";
import { explainOpening } from "./open_error.ts";
import { readBytes, readSnapshot } from "./postgres_storage.ts";
import { PostgresRunArchives } from "./run_archives.ts";
import { createStores } from "./stores.ts";

/** Books are added up for it. */
const DEADLINE_MS = 10 * 60_000;

/**
 * Opens a database of this program's schema, without changing anything.
 *
 * @throws {StorageOpenError} If nobody answers there, or nobody is let in.
 */
export async function openPostgresLook(place: PostgresPlace): Promise<ReadOnlyStorage> {
  try {
    const connection = await Connection.open({ deadlineMs: DEADLINE_MS, ...place });
    await connection.runEach("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    let turn: Promise<unknown> = Promise.resolve();
    const ask = new Ask((text, values, types) => {
      const asked = turn.then(() => connection.run(text, values, { types }));
      turn = asked.catch(() => {});
      return asked as Promise<Answer>;
    });
    return {
      ...createStores(ask),
      // Whoever only looks has no session.
      runArchives: new PostgresRunArchives(ask, () => EARLIER_SESSION),
      snapshot: (query) => readSnapshot(ask, query),
      info: async () => ({
        engine: "PostgreSQL",
        schemaVersion: SCHEMA_VERSION,
        bytes: await readBytes(ask),
      }),
      close: () => connection.close(),
    };
  } catch (error) {
    throw explainOpening(error, place);
  }
}
