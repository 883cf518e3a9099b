/**
 * Whatever is altered of a ledger on a server is found as it is in a file: where its rows are read one by
 * one, and where seals stand for them.
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
import {
  alteringSql,
  isFound,
  isNamed,
  listAlterations,
  makeHistory,
  ROW_FAULTS,
  SUM_FAULTS,
} from "../../admin/planted_faults.ts";
import { CATALOGUE, openTestAdmin } from "../../admin/test_admin.ts";
import {
  NEEDS_POSTGRES,
  type PostgresServer,
  startPostgres,
} from "../../support/postgres_server.ts";

const DAY_MS = 86_400_000;
const KEYS: Readonly<Record<string, string>> = {
  ledger: "CASE WHEN book = 0 THEN '' ELSE book || '/' END || seq",
  calls: "call_id",
  price_versions: "version",
  projects: "id",
};

/** A database, and a hand that does not care for the program. */
interface Place {
  readonly storage: PostgresStorage;
  readonly hand: Connection;
}

let server: PostgresServer;
let databases = 0;

Deno.test.beforeAll(async () => {
  if (!NEEDS_POSTGRES.ignore) server = await startPostgres();
});

Deno.test.afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});

/** A database of a finished history, all of it sealed in runs of a few rows, or nothing of it. */
async function withHistory(
  isSealed: boolean,
  run: (place: Place) => Promise<void>,
): Promise<void> {
  const database = `sealed_${++databases}`;
  await server.create(database);
  const open = () => openPostgresStorage({ url: server.url(database) });
  let endsAt = 0;
  {
    const first = await open();
    await first.beginSession();
    await using admin = await openTestAdmin({ storage: first, catalogue: CATALOGUE });
    await makeHistory(admin.deps);
    await first.writeSums();
    endsAt = admin.clock.now() + 2 * DAY_MS;
  }
  const storage = await open();
  const hand = await Connection.open({ url: server.url(database) });
  try {
    if (isSealed) {
      const sealed = await sealerOf(storage, 3).seal(endsAt);
      assert.deepEqual(sealed.differences, []);
      assert.ok(sealed.seals >= 3, `${sealed.seals} seals`);
    }
    await run({ hand, storage });
  } finally {
    await hand.close();
    await storage.close();
  }
}

function sealerOf(storage: PostgresStorage, runRows: number): LedgerSealer {
  const stored = { ...storage, seals: storage.seals! };
  return new LedgerSealer({ stored, slice: 2, pause: () => Promise.resolve(), runRows });
}

async function verify(storage: PostgresStorage, isDeep = false): Promise<readonly Difference[]> {
  return (await checkLedger(storage, undefined, { isDeep })).differences;
}

/** The tables that faults are planted in. */
const TABLES = [
  "ledger",
  "calls",
  "price_versions",
  "projects",
  "usage_hourly",
  "detail_hourly",
  "spend_hourly",
];

/** Takes every guard of the schema away, and keeps the rows as they are. */
async function unguard(hand: Connection): Promise<void> {
  await hand.runEach(
    `DO $$ DECLARE one record; BEGIN
       FOR one IN SELECT conrelid::regclass AS place, conname FROM pg_constraint
         WHERE contype IN ('c', 'f') AND connamespace = 'public'::regnamespace
         ORDER BY contype DESC LOOP
         EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.place, one.conname);
       END LOOP;
     END $$`,
    ...TABLES.map((name) => `CREATE TABLE as_was_${name} AS SELECT * FROM ${name}`),
  );
}

/** Does something, and looks; everything is as it was afterwards. */
async function planted(
  { hand, storage }: Place,
  sql: string,
  isDeep = false,
): Promise<readonly Difference[]> {
  await hand.runEach(sql);
  try {
    return await verify(storage, isDeep);
  } finally {
    await hand.runEach(
      ...TABLES.map((name) =>
        `DELETE FROM ${name}; INSERT INTO ${name} SELECT * FROM as_was_${name}`
      ),
    );
  }
}

for (const isSealed of [false, true]) {
  const how = isSealed ? "seals stand for all rows" : "no row is sealed";
  Deno.test(`verify names every altered column where ${how}`, NEEDS_POSTGRES, async (test) => {
    await withHistory(isSealed, async (place) => {
      const { hand, storage } = place;
      assert.deepEqual(await verify(storage), []);
      await unguard(hand);
      const [columns] = await hand.askEach(
        `SELECT table_name || '.' || column_name AS name, data_type AS type
         FROM information_schema.columns WHERE table_schema = 'public'`,
      );
      const types = new Map(columns!.rows.map(({ name, type }) => [String(name), type]));
      const alterations = listAlterations((table) =>
        [...types.keys()].filter((name) => name.startsWith(`${table}.`))
          .map((name) => name.slice(table.length + 1))
          .filter((name) => name !== "book" && name !== "wanted_until")
      );
      assert.ok(alterations.length > 200, `${alterations.length} alterations`);
      for (const alteration of alterations) {
        const { table, column, where, isKey } = alteration;
        await test.step(`${table}.${column} where ${where}`, async () => {
          const [row] = await hand.askEach(
            `SELECT ${KEYS[table]} AS id FROM ${table} WHERE ${where}`,
          );
          const id = String(row!.rows[0]!.id);
          const sql = alteringSql(alteration, types.get(`${table}.${column}`) === "text");
          const differences = await planted(place, sql);
          const altered = isKey ? id.replace(/\d+$/, (key) => String(Number(key) + 1000)) : id;
          assert.ok(
            isFound(differences, {
              table,
              // The row behind a gap is read where rows are read to their end.
              ...(isKey && table === "ledger" ? undefined : { id: altered }),
              ...(isNamed(alteration) && !isKey && { column }),
            }),
            JSON.stringify(differences, undefined, 1),
          );
        });
      }
    });
  });

  Deno.test(`verify misses rows and wrong sums where ${how}`, NEEDS_POSTGRES, async (test) => {
    await withHistory(isSealed, async (place) => {
      await unguard(place.hand);
      for (const { sql, found: read, foundSealed } of ROW_FAULTS) {
        await test.step(sql, async () => {
          const found = isSealed ? foundSealed ?? read : read;
          const differences = await planted(place, sql);
          assert.ok(isFound(differences, found), JSON.stringify(differences, undefined, 1));
        });
      }
      for (const [sql, table, column] of SUM_FAULTS) {
        await test.step(sql, async () => {
          const [first, ...others] = await planted(place, sql);
          assert.deepEqual([first!.table, first!.column, others], [table, column, []]);
        });
      }
    });
  });
}
