/**
 * `ledger verify` finds nothing where nothing is wrong, and every altered column
 * where somebody altered one.
 *
 * @module
 */

import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { DatabaseSync } from "node:sqlite";
import type { AdminDeps } from "../../src/admin/base/deps.ts";
import type { Difference, LedgerFindings } from "../../src/admin/base/findings.ts";
import { creditProject } from "../../src/admin/accounts/credit_project.ts";
import { verifyLedger } from "../../src/admin/ledger_check/check_ledger.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { HOURLY_TABLES } from "../../src/storage/ports/sums.ts";
import { openCall, outcome } from "./ledger_calls.ts";
import {
  type Alteration,
  alteringSql,
  isFound,
  isNamed,
  listAlterations,
  makeHistory,
  ROW_FAULTS,
} from "./planted_faults.ts";
import { CATALOGUE, openTestAdmin } from "./test_admin.ts";

function verify(deps: AdminDeps): Promise<LedgerFindings> {
  return runOperation(verifyLedger, { deps, input: {} });
}

Deno.test("verify finds nothing in a history with every kind of call", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  await makeHistory(admin.deps);
  const answer = await verify(admin.deps);
  assert.deepEqual(answer.differences, []);
  assert.deepEqual(answer.checked, {
    projects: 2,
    ledger_rows: 11,
    calls: 7,
    open_calls: 1,
    price_versions: 1,
    audit_rows: 3,
    sums: 6,
    archives: 0,
    seals: 0,
    memory: true,
  });
});

Deno.test("verify finds nothing in an empty database", async () => {
  await using admin = await openTestAdmin();
  assert.deepEqual((await verify(admin.deps)).differences, []);
});

Deno.test("verify finds nothing while calls open and close, and lets them do so", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  await runOperation(creditProject, { deps, input: { project: "paying", amount: "1000" } });
  let callId = 0;
  let isOver = false;
  async function callForever(): Promise<void> {
    while (!isOver) {
      const hold = deps.ledger.hold(openCall(deps, { callId: ++callId }))!;
      await new Promise((resolve) => setTimeout(resolve, 0));
      await deps.ledger.close(hold, outcome(deps, { billable: callId % 3 > 0 }));
    }
  }
  const callers = Array.from({ length: 8 }, callForever);
  while (callId < 500) await new Promise((resolve) => setTimeout(resolve, 1));
  const before = callId;
  for (let round = 0; round < 5; round++) {
    assert.deepEqual((await verify(deps)).differences, []);
  }
  assert.ok(callId > before, "calls went on");
  isOver = true;
  await Promise.all(callers);
  const answer = await verify(deps);
  assert.deepEqual(answer.differences, []);
  assert.equal(answer.checked.calls, callId);
});

/** A finished history in a file, to be copied and altered. */
async function writeHistory(path: string): Promise<void> {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE, path });
  await makeHistory(admin.deps);
  await admin.storage.writeSums();
}

/** Texts among the columns, by table. */
function readColumns(database: DatabaseSync, table: string): ReadonlyMap<string, string> {
  return new Map(
    database.prepare(`PRAGMA table_info(${table})`).all()
      .map(({ name, type }) => [name as string, type as string]),
  );
}

/** Does something to a database, around every guard of the schema. */
function plant(path: string, sql: (database: DatabaseSync) => string): void {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec("PRAGMA ignore_check_constraints = ON");
  const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  assert.notEqual(database.prepare(sql(database)).run().changes, 0);
  database.close();
}

/** Alters a column; gives the row's key as it is then. */
function alter(path: string, alteration: Alteration): string {
  const { table, column, where } = alteration;
  const key = { ledger: "seq", calls: "call_id", price_versions: "version" }[table] ?? "id";
  let id: unknown;
  plant(path, (database) => {
    id = database.prepare(`SELECT ${key} AS id FROM ${table} WHERE ${where}`).get()!.id;
    return alteringSql(alteration, readColumns(database, table).get(column) === "TEXT");
  });
  return String(alteration.isKey ? Number(id) + 1000 : id);
}

Deno.test("verify names every altered column, or at least its row", async (test) => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-verify-" });
  const original = `${folder}/original.db`;
  await writeHistory(original);
  const database = new DatabaseSync(original);
  const alterations = listAlterations((table) => [...readColumns(database, table).keys()]);
  database.close();
  assert.ok(alterations.length > 200, `${alterations.length} alterations`);
  for (const alteration of alterations) {
    const { table, column, where } = alteration;
    await test.step(`${table}.${column} where ${where}`, async () => {
      const path = `${folder}/altered.db`;
      await Deno.copyFile(original, path);
      const id = alter(path, alteration);
      const differences = await verifyFile(path);
      assert.ok(
        isFound(differences, { table, id, ...(isNamed(alteration) && { column }) }),
        JSON.stringify(differences, undefined, 1),
      );
    });
    for (const suffix of ["", "-wal", "-shm"]) {
      await Deno.remove(`${folder}/altered.db${suffix}`).catch(ignoreMissing);
    }
  }
  await Deno.remove(folder, { recursive: true });
});

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

async function verifyFile(path: string): Promise<readonly Difference[]> {
  await using admin = await openTestAdmin({ path });
  return (await verify(admin.deps)).differences;
}

Deno.test("verify tells what was expected and what was found", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-verify-" });
  const path = `${folder}/tollgate.db`;
  await writeHistory(path);
  alter(path, { table: "ledger", column: "amount_e8", where: "seq = 1", isKey: false });
  const differences = await verifyFile(path);
  assert.deepEqual(differences.filter(({ column }) => column !== null), [{
    table: "ledger",
    id: "1",
    column: "amount_e8",
    expected: "1000000000",
    found: "1000000001",
    detail: "the balances before and after this row differ by another amount",
  }]);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("verify finds sums that are not what their calls add up to, and says which", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-verify-" });
  const original = `${folder}/original.db`;
  await writeHistory(original);
  const tampered = async (statement: string) => {
    const path = `${folder}/altered-${crypto.randomUUID()}.db`;
    await Deno.copyFile(original, path);
    const database = new DatabaseSync(path);
    assert.equal(database.prepare(statement).run().changes, 1, statement);
    database.close();
    return await verifyFile(path);
  };
  const ofPaying = "WHERE project_id = 'paying'";
  for (const column of HOURLY_TABLES.usage_hourly.figures) {
    const sql = `UPDATE usage_hourly SET ${column} = ${column} + 7 ${ofPaying}`;
    const [difference, ...others] = await tampered(sql);
    assert.deepEqual(others, []);
    const { table, id, column: named, expected, found, detail } = difference!;
    assert.deepEqual([table, named], ["usage_hourly", column]);
    assert.match(id, /^\d{4}-\d\d-\d\dT\d\d:00Z paying /);
    assert.equal(BigInt(found!), BigInt(expected!) + 7n);
    assert.equal(detail, "the calls of this hour add up to this");
  }
  for (const column of HOURLY_TABLES.detail_hourly.figures) {
    const [first] = await tampered(
      `UPDATE detail_hourly SET ${column} = ${column} + 7 ${ofPaying}`,
    );
    assert.deepEqual([first!.table, first!.column], ["detail_hourly", column]);
  }
  const spent = await tampered(`UPDATE spend_hourly SET spent_e8 = spent_e8 + 7 ${ofPaying}`);
  assert.deepEqual(spent.map(({ table, column }) => [table, column]), [
    ["spend_hourly", "spent_e8"],
  ]);
  for (const table of ["usage_hourly", "detail_hourly", "spend_hourly"] as const) {
    const gone = await tampered(`DELETE FROM ${table} ${ofPaying}`);
    assert.equal(gone.length > 0, true);
    for (const difference of gone) {
      assert.deepEqual([difference.table, difference.found], [table, null]);
      assert.equal(difference.detail, "the calls of this hour have no sum");
    }
  }
  const [stray, ...others] = await tampered(
    "INSERT INTO usage_hourly VALUES (1, 'nobody', 'm', 'p', 'r', 1, 0, 0, 0, 0, 0, 0)",
  );
  assert.deepEqual([stray!.id, stray!.column, stray!.expected, stray!.found, others], [
    "1970-01-01T01:00Z nobody m p r",
    "calls",
    "0",
    "1",
    [],
  ]);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("verify compares the sums of many hours, and those of the running hour while calls close", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps, clock } = admin;
  await runOperation(creditProject, { deps, input: { project: "paying", amount: "100000000" } });
  let callId = 0;
  const call = async () => {
    const hold = deps.ledger.hold(openCall(deps, { callId: ++callId }))!;
    await deps.ledger.close(hold, outcome(deps, {}));
  };
  for (let hour = 0; hour < 130; hour++) {
    clock.advance(3_600_000);
    for (let count = 0; count < 1 + hour % 3; count++) await call();
  }
  // A clock that was set back for a while.
  const latest = clock.now();
  clock.setWall(latest - 20 * 3_600_000);
  for (let count = 0; count < 5; count++) await call();
  clock.setWall(latest);
  let isOver = false;
  const calling = (async () => {
    for (; !isOver; clock.advance(600_000)) {
      await call();
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let round = 0; round < 3; round++) {
    const { differences, checked } = await verify(deps);
    assert.deepEqual(differences, []);
    assert.equal(checked.sums >= 2 * 130, true);
  }
  isOver = true;
  await calling;
  assert.deepEqual((await verify(deps)).differences, []);
});

Deno.test("verify compares sums that cannot be written now as far as they are", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  await makeHistory(admin.deps);
  await admin.storage.writeSums();
  const { deps } = admin;
  await deps.ledger.close(deps.ledger.hold(openCall(deps, { callId: 20 }))!, outcome(deps, {}));
  const books = {
    ...admin.storage,
    writeSums: () => Promise.reject(new Error("database or disk is full")),
  };
  assert.deepEqual((await verify({ ...deps, books })).differences, []);
});

Deno.test("verify misses removed rows of the audit log, and sees altered ones", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-verify-" });
  const path = `${folder}/tollgate.db`;
  await writeHistory(path);
  const database = new DatabaseSync(path);
  database.exec("DROP TRIGGER audit_keeps_rows; DROP TRIGGER audit_keeps_columns");
  database.exec("DELETE FROM audit WHERE seq = 1; UPDATE audit SET user = 'eve' WHERE seq = 3");
  database.close();
  const nothing = { column: null, expected: null, found: null };
  assert.deepEqual(await verifyFile(path), [
    { table: "audit", id: "1", ...nothing, detail: "the row is missing" },
    {
      table: "audit",
      id: "3",
      ...nothing,
      detail: "the row was altered: its checksum does not fit its columns",
    },
  ]);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("verify misses removed and repeated ledger rows", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-verify-" });
  const original = `${folder}/original.db`;
  await writeHistory(original);
  const faults = [...ROW_FAULTS, {
    sql:
      "INSERT INTO ledger SELECT 12, project_id, kind, 0, balance_after_e8, call_id, reference, at, checksum FROM ledger WHERE seq = 11 - 1",
    found: { table: "ledger", id: "12", column: "call_id" },
  }];
  for (const { sql, found } of faults) {
    const path = `${folder}/altered-${crypto.randomUUID()}.db`;
    await Deno.copyFile(original, path);
    plant(path, () => sql);
    const differences = await verifyFile(path);
    assert.ok(isFound(differences, found), `${sql}: ${JSON.stringify(differences, undefined, 1)}`);
  }
  await Deno.remove(folder, { recursive: true });
});
