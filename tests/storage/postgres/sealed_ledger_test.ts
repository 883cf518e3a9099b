/**
 * Whatever is altered of a ledger on a server is found as it is in a file: where its rows are read one by
 * one, and where seals stand for them.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Difference } from "../../../src/admin/base/findings.ts";
import type { Connection } from "../../../src/storage/postgres/connection.ts";
import {
  alteringSql,
  isFound,
  isNamed,
  listAlterations,
  ROW_FAULTS,
  SUM_FAULTS,
} from "../../admin/planted_faults.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { type Place, verify, withHistory } from "./sealed_history.ts";

const KEYS: Readonly<Record<string, string>> = {
  ledger: "CASE WHEN book = 0 THEN '' ELSE book || '/' END || seq",
  calls: "call_id",
  price_versions: "version",
  projects: "id",
};

const server = postgresOfFile();

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

/** Does something to one table, and looks; it is as it was afterwards. */
async function planted(
  { hand, storage }: Place,
  sql: string,
): Promise<readonly Difference[]> {
  await hand.runEach(sql);
  try {
    return await verify(storage);
  } finally {
    const table = /^(?:UPDATE|DELETE FROM) (\w+)/.exec(sql)![1]!;
    await hand.runEach(
      `DELETE FROM ${table}`,
      `INSERT INTO ${table} SELECT * FROM as_was_${table}`,
    );
  }
}

for (const isSealed of [false, true]) {
  const how = isSealed ? "seals stand for all rows" : "no row is sealed";
  Deno.test(`verify names every altered column where ${how}`, NEEDS_POSTGRES, async (test) => {
    await withHistory(server, isSealed, async (place) => {
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
    await withHistory(server, isSealed, async (place) => {
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
