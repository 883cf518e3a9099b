/**
 * A history with every kind of call on a server, whose rows may be sealed.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Difference } from "../../../src/admin/base/findings.ts";
import { checkLedger } from "../../../src/admin/ledger_check/check_ledger.ts";
import { LedgerSealer } from "../../../src/admin/ledger_check/ledger_sealer.ts";
import { Connection } from "../../../src/storage/postgres/connection.ts";
import {
  openPostgresStorage,
  type PostgresStorage,
} from "../../../src/storage/postgres/postgres_storage.ts";
import { makeHistory } from "../../admin/planted_faults.ts";
import { CATALOGUE, openTestAdmin } from "../../admin/test_admin.ts";
import { commitOne } from "../../conformance/storage_samples.ts";
import { createEntry, sampleTask } from "../../conformance/storage_video_samples.ts";
import type { PostgresServer } from "../../support/postgres_server.ts";

export const DAY_MS = 86_400_000;

let databases = 0;

/** A database, and a hand that does not care for the program. */
export interface Place {
  readonly storage: PostgresStorage;
  readonly hand: Connection;
  /** Where it is. */
  readonly url: string;
  /** When the last call was made, milliseconds since the epoch. */
  readonly madeAt: number;
}

/** A database of a finished history, all of it sealed in runs of three rows, or nothing of it. */
export async function withHistory(
  server: PostgresServer,
  isSealed: boolean,
  run: (place: Place) => Promise<void>,
): Promise<void> {
  const database = `sealed_${++databases}`;
  await server.create(database);
  const open = () => openPostgresStorage({ url: server.url(database) });
  let madeAt = 0;
  {
    const first = await open();
    await first.beginSession();
    await using admin = await openTestAdmin({ storage: first, catalogue: CATALOGUE });
    await makeHistory(admin.deps);
    await first.writeSums();
    madeAt = admin.clock.now();
  }
  const storage = await open();
  const hand = await Connection.open({ url: server.url(database) });
  try {
    if (isSealed) {
      const sealed = await sealerOf(storage, 3).seal(madeAt + 2 * DAY_MS);
      assert.deepEqual(sealed.differences, []);
      assert.ok(sealed.seals >= 3, `${sealed.seals} seals`);
    }
    await run({ hand, storage, madeAt, url: server.url(database) });
  } finally {
    await hand.close();
    await storage.close();
  }
}

/** Who seals runs of so many rows. */
export function sealerOf(storage: PostgresStorage, runRows: number): LedgerSealer {
  const stored = { ...storage, seals: storage.seals! };
  return new LedgerSealer({ stored, slice: 2, pause: () => Promise.resolve(), runRows });
}

/** What a check finds. */
export async function verify(
  storage: PostgresStorage,
  isDeep = false,
): Promise<readonly Difference[]> {
  return (await checkLedger(storage, undefined, { isDeep })).differences;
}

/** Has a settled call of the history be one of a film that is there. The place's storage has a session. */
export async function haveFilm({ hand, storage }: Place, callId: number): Promise<void> {
  const task = sampleTask({ callId: 99, projectId: "paying" });
  assert.equal((await commitOne(storage, createEntry(task))).ok, true);
  await hand.runEach(
    `UPDATE video_tasks SET call_id = ${callId}`,
    `UPDATE projects SET held_e8 = held_e8 - (SELECT held_e8 FROM calls WHERE call_id = 99),
       avail_e8 = avail_e8 + (SELECT held_e8 FROM calls WHERE call_id = 99) WHERE id = 'paying'`,
    "DELETE FROM calls WHERE call_id = 99",
  );
}
