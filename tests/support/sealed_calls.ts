/**
 * A ledger of many calls on a PostgreSQL server, in two nodes' books, sealed: written through the
 * program's own storage.
 *
 * @module
 */

import { addCalls } from "../../bench/large_database.ts";
import { HELD_E8 } from "../../bench/made_calls.ts";
import { LedgerSealer } from "../../src/admin/ledger_check/ledger_sealer.ts";
import {
  openPostgresStorage,
  type PostgresStorage,
} from "../../src/storage/postgres/postgres_storage.ts";

const DAY_MS = 86_400_000;
/** Rows of a book that are read at a time to be sealed. */
export const SEALED_ROWS = 2_000;

/** What the database has to have before. */
export const SEALED_CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: echo-1
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, cost: { input: "1", output: "2" } }]
projects:
  - { id: bench }
`;

/**
 * Writes calls of the project `bench`, half of them in either book, and seals them.
 *
 * @param options `firstAt` of the first call in each book, in milliseconds since the epoch.
 */
export async function fillSealed(
  url: string,
  { calls, firstAt }: { readonly calls: number; readonly firstAt?: number },
): Promise<void> {
  for (const node of ["first", "second"]) {
    const storage = await openPostgresStorage({ url, identity: { node, label: node } });
    try {
      await storage.beginSession();
      // What a node charges it has leased.
      const needE8 = HELD_E8 * BigInt(calls);
      const amount = { projectId: "bench", amountE8: needE8, reference: undefined, at: 1 };
      await storage.commitBatch([{ kind: "credit", ...amount }]);
      const lease = { kind: "lease", projectId: "bench", needE8, wishE8: needE8 } as const;
      await storage.commitBatch([lease]);
      await addCalls(storage, { models: 1, usageRows: calls / 2, firstAt });
      await storage.writeSums();
      await seal(storage);
    } finally {
      await storage.close();
    }
  }
}

async function seal(storage: PostgresStorage): Promise<void> {
  const sealer = new LedgerSealer({
    stored: { ...storage, seals: storage.seals! },
    slice: SEALED_ROWS,
    pause: () => Promise.resolve(),
  });
  await sealer.seal(Date.now() + 2 * DAY_MS);
}
