import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import type { Storage } from "../../../src/storage/ports/storage.ts";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import {
  fundProject,
  NOON_ISH,
  sampleCatalogue,
  sampleClosedCall,
  sampleKey,
  sampleOpenCall,
} from "../../conformance/storage_samples.ts";
import { withDatabasePath, withRawDatabase } from "./temporary_database.ts";

/** One row or more of every table: call 1 is open, call 2 settled. */
async function fill(storage: Storage): Promise<void> {
  await fundProject(storage, 1_000n);
  const results = await storage.commitBatch([
    { kind: "create_key", key: sampleKey() },
    { kind: "write_catalogue", catalogue: sampleCatalogue(), at: NOON_ISH },
    { kind: "hold", call: sampleOpenCall() },
    {
      kind: "close",
      call: sampleClosedCall({ callId: 2, lossE8: 3n, errorCode: "upstream_error" }),
    },
    { kind: "credit", projectId: "acme", amountE8: 5n, reference: "inv", at: NOON_ISH },
  ]);
  assert.equal(results.every((result) => result.ok), true);
}

async function withFilledDatabase(
  run: (database: DatabaseSync, path: string) => Promise<void> | void,
): Promise<void> {
  await withDatabasePath(async (path) => {
    const storage = createSqliteStorage(path);
    await fill(storage);
    await storage.checkpoint();
    await storage.close();
    await withRawDatabase(path, (database) => run(database, path));
  });
}

/** Statements that no state of the books allows. */
const IMPOSSIBLE = [
  "UPDATE projects SET avail_e8 = -1",
  "UPDATE projects SET held_e8 = -1",
  "UPDATE projects SET avail_e8 = 999999999999999999, held_e8 = 1",
  "UPDATE projects SET unlimited = 2",
  "UPDATE projects SET models = 'all'",
  "UPDATE projects SET limits = '[]'",
  "UPDATE projects SET avail_e8 = 'much'",
  "UPDATE projects SET avail_e8 = 0.5",
  "UPDATE projects SET id = ''",
  "UPDATE keys SET hash = 'short'",
  "UPDATE keys SET disabled = 2",
  "UPDATE keys SET models = '{}'",
  "UPDATE models SET kind = 'image'",
  "UPDATE routes SET enabled = 2",
  "UPDATE routes SET document = '{'",
  "UPDATE calls SET state = 'paid' WHERE call_id = 2",
  "UPDATE calls SET state = 'settled' WHERE call_id = 1",
  "UPDATE calls SET state = 'open' WHERE call_id = 2",
  "UPDATE calls SET state = 'released' WHERE call_id = 2",
  "UPDATE calls SET closed_at = NULL WHERE call_id = 2",
  "UPDATE calls SET result = NULL WHERE call_id = 2",
  "UPDATE calls SET usage_source = NULL WHERE call_id = 2",
  "UPDATE calls SET result = 'won' WHERE call_id = 2",
  "UPDATE calls SET usage_source = 'guessed' WHERE call_id = 2",
  "UPDATE calls SET capability = 'telepathy'",
  "UPDATE calls SET charged_e8 = held_e8 + 1 WHERE call_id = 2",
  "UPDATE calls SET charged_e8 = 1 WHERE call_id = 1",
  "UPDATE calls SET cost_e8 = 1 WHERE call_id = 1",
  "UPDATE calls SET unlimited = 1 WHERE call_id = 2",
  "UPDATE calls SET unlimited = 1 WHERE call_id = 1",
  "UPDATE calls SET held_e8 = -1 WHERE call_id = 1",
  "UPDATE calls SET charged_e8 = -1 WHERE call_id = 2",
  "UPDATE calls SET loss_e8 = -1 WHERE call_id = 2",
  "UPDATE calls SET cost_e8 = -1 WHERE call_id = 2",
  "UPDATE calls SET sale_e8 = -1 WHERE call_id = 2",
  "UPDATE calls SET prompt_tokens = -1 WHERE call_id = 2",
  "UPDATE calls SET attempts = -1 WHERE call_id = 2",
  "UPDATE calls SET images = 1.5 WHERE call_id = 2",
  "UPDATE calls SET call_id = 0 WHERE call_id = 1",
  "UPDATE usage_hourly SET calls = 0",
  "UPDATE usage_hourly SET charged_e8 = -1",
  "INSERT INTO ledger VALUES (9, 'acme', 'gift', 1, 1, NULL, NULL, 1, 0)",
  "INSERT INTO ledger VALUES (9, 'acme', 'credit', -1, 1, NULL, NULL, 1, 0)",
  "INSERT INTO ledger VALUES (9, 'acme', 'credit', 1, -1, NULL, NULL, 1, 0)",
  "INSERT INTO ledger VALUES (9, 'acme', 'credit', 1, 1, 2, NULL, 1, 0)",
  "INSERT INTO ledger VALUES (9, 'acme', 'settle', 1, 1, NULL, NULL, 1, 0)",
  "INSERT INTO ledger VALUES (9, 'acme', 'settle', 1, 1, 2, 'inv-2', 1, 0)",
  "INSERT INTO ledger VALUES (9, 'acme', 'release', 1, 1, 2, NULL, 1, 0)",
  "INSERT INTO ledger VALUES (9, 'acme', 'loss', 0, 1, 2, NULL, 1, 0)",
  "INSERT INTO ledger VALUES (0, 'acme', 'credit', 1, 1, NULL, NULL, 1, 0)",
  "INSERT INTO price_versions VALUES (0, 'r', 'USD', NULL, NULL, 1, 0)",
  "INSERT INTO price_versions VALUES (9, 'r', 'USD', '{', NULL, 1, 0)",
];

Deno.test("the schema's checks refuse every impossible state", async () => {
  await withFilledDatabase((database) => {
    for (const sql of IMPOSSIBLE) {
      assert.throws(
        () => database.exec(sql),
        /CHECK constraint failed|cannot store (TEXT|REAL) value/,
        sql,
      );
    }
    assert.throws(
      () =>
        database.exec("INSERT INTO ledger VALUES (9, 'acme', 'credit', 1, 1, NULL, 'inv', 1, 0)"),
      /UNIQUE constraint failed: ledger.project_id, ledger.reference/,
    );
  });
});

Deno.test("the ledger and price versions are append-only", async () => {
  await withFilledDatabase((database) => {
    for (
      const sql of [
        "UPDATE ledger SET amount_e8 = 1",
        "DELETE FROM ledger",
        "UPDATE price_versions SET sale = NULL",
        "DELETE FROM price_versions",
      ]
    ) assert.throws(() => database.exec(sql), /append-only/, sql);
    assert.equal(database.prepare("SELECT count(*) AS n FROM ledger").get()!.n, 4);
  });
});

const KEYS = { calls: "call_id", ledger: "seq", price_versions: "version" } as const;

Deno.test("alteredRows() notices a change by one unit of every column", async () => {
  await withFilledDatabase(async (database, path) => {
    const storage = createSqliteStorage(path);
    // Without the guards: what a hand with a database shell could do.
    database.exec("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF");
    for (
      const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        .all()
    ) {
      database.exec(`DROP TRIGGER ${name}`);
    }
    const altered = async (table: keyof typeof KEYS) =>
      (await storage.ledger.alteredRows(table, 0, 100)).altered;
    for (const [table, key] of Object.entries(KEYS) as [keyof typeof KEYS, string][]) {
      assert.deepEqual(await altered(table), []);
      const rows = database.prepare(`SELECT ${key} AS id FROM ${table}`).all();
      const columns = database.prepare(`PRAGMA table_info(${table})`).all();
      assert.equal(columns.length >= 7 && rows.length >= 1, true);
      for (const { id } of rows) {
        for (const { name, type } of columns) {
          const set = (value: string, row: number) =>
            database.prepare(`UPDATE ${table} SET ${name} = ${value} WHERE ${key} = ?`).run(row);
          const kept = database.prepare(`SELECT quote(${name}) AS v FROM ${table} WHERE ${key} = ?`)
            .get(id!)!.v as string;
          const shown = name === key ? Number(id) + 100 : Number(id);
          if (name === key) set(`${name} + 100`, Number(id));
          else if (type === "TEXT") set(`coalesce(${name}, '') || 'x'`, shown);
          else set(`coalesce(${name}, 0) + 1`, shown);
          assert.deepEqual(await altered(table), [{ table, id: `${shown}` }], `${table}.${name}`);
          set(kept, shown);
          assert.deepEqual(await altered(table), [], `${table}.${name} restored`);
        }
      }
    }
    await storage.close();
  });
});
