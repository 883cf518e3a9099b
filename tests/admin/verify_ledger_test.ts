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
import type { OpenCall } from "../../src/domain/call.ts";
import { NO_WORK } from "../../src/domain/work.ts";
import { HOURLY_TABLES } from "../../src/storage/ports/sums.ts";
import { openCall, outcome } from "./ledger_calls.ts";
import { CATALOGUE, openTestAdmin } from "./test_admin.ts";

/** Ids of the calls below. */
const SETTLED = 1, EXCESS = 2, LOST = 3, UNLIMITED = 4, ABANDONED = 5, OPEN = 6, NOTHING = 7;

/** One call of every kind, and two credits. */
async function makeHistory(deps: AdminDeps): Promise<void> {
  await runOperation(creditProject, {
    deps,
    input: { project: "paying", amount: "10", reference: "first" },
  });
  const open = (parts: Partial<OpenCall>) => deps.ledger.hold(openCall(deps, parts))!;
  const settled = open({ callId: SETTLED });
  await deps.ledger.close(settled, outcome(deps, {}));
  const abandoned = open({ callId: ABANDONED, heldE8: 777n });
  open({ callId: OPEN });
  const calls = [
    [open({ callId: EXCESS, heldE8: 1000n }), {}],
    [open({ callId: LOST }), { billable: false }],
    [open({ callId: UNLIMITED, projectId: "free", unlimited: true, heldE8: 0n }), {}],
  ] as const;
  // Nothing is left to be charged beyond a hold.
  const { avail } = deps.ledger.balanceOf("paying");
  const released = open({ callId: NOTHING, heldE8: avail });
  for (const [hold, end] of calls) await deps.ledger.close(hold, outcome(deps, end));
  await deps.ledger.reap([abandoned.call]);
  await deps.ledger.close(
    released,
    outcome(deps, { work: NO_WORK, source: "none", billable: false }),
  );
  await runOperation(creditProject, { deps, input: { project: "paying", amount: "2.5" } });
  await deps.commits.flush();
}

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

interface Alteration {
  readonly table: string;
  readonly column: string;
  readonly where: string;
}

interface Altered extends Alteration {
  readonly id: string;
}

/** The alterations to try: every column of one row of every kind. */
function listAlterations(path: string): readonly Altered[] {
  const database = new DatabaseSync(path);
  const rows:
    readonly (readonly [table: string, key: string, ids: readonly (number | string)[]])[] = [
      ["ledger", "seq", [1, 2, 3, 4, 6, 7, 11]],
      ["calls", "call_id", [SETTLED, EXCESS, LOST, UNLIMITED, ABANDONED, OPEN]],
      ["price_versions", "version", [1]],
      ["projects", "id", ["'paying'"]],
    ];
  const alterations: Altered[] = [];
  for (const [table, key, ids] of rows) {
    const columns = database.prepare(`PRAGMA table_info(${table})`).all()
      .map(({ name }) => name as string)
      // Settings of projects have no second source to be compared with.
      .filter((name) => table !== "projects" || name.endsWith("_e8"))
      // Whose a call was while it was open says nothing about money.
      .filter((name) => name !== "session_id");
    for (const id of ids) {
      for (const column of columns) {
        const altered = column === key ? Number(id) + 1000 : String(id).replaceAll("'", "");
        alterations.push({ table, column, where: `${key} = ${id}`, id: String(altered) });
      }
    }
  }
  database.close();
  return alterations;
}

/** Changes one column by one unit (or one character), around every guard of the schema. */
function alter(path: string, { table, column, where }: Alteration): void {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec("PRAGMA ignore_check_constraints = ON");
  const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  const type = database.prepare("SELECT type FROM pragma_table_info(?) WHERE name = ?")
    .get(table, column)!.type;
  const isKey = ["seq", "call_id", "version"].includes(column) &&
    where.startsWith(`${column} =`);
  const value = column === "cost" || column === "sale"
    ? `replace(${column}, '00000000"', '00000001"')`
    : type === "TEXT"
    ? `coalesce(${column}, '') || 'x'`
    : `coalesce(${column}, 0) + ${isKey ? 1000 : 1}`;
  const { changes } = database.prepare(`UPDATE ${table} SET ${column} = ${value} WHERE ${where}`)
    .run();
  assert.equal(changes, 1);
  database.close();
}

/** Columns of which arithmetic alone names the altered one, by table and kind of row. */
const NAMED: readonly (readonly [table: string, where: RegExp, column: RegExp])[] = [
  ["ledger", /./, /^(seq|balance_after_e8)$/],
  ["ledger", /^seq = (2|3|4|6|7)$/, /^(amount_e8|at|kind|project_id)$/],
  ["ledger", /^seq = 1$/, /^amount_e8$/],
  ["calls", /^call_id = [1-4]$/, /^(cost_e8|charged_e8|loss_e8)$/],
  ["calls", /^call_id = [14]$/, /^sale_e8$/],
  ["projects", /./, /./],
];

Deno.test("verify names every altered column, or at least its row", async (test) => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-verify-" });
  const original = `${folder}/original.db`;
  await writeHistory(original);
  const alterations = listAlterations(original);
  assert.ok(alterations.length > 200, `${alterations.length} alterations`);
  for (const alteration of alterations) {
    const { table, column, where, id } = alteration;
    await test.step(`${table}.${column} where ${where}`, async () => {
      const path = `${folder}/altered.db`;
      await Deno.copyFile(original, path);
      alter(path, alteration);
      const differences = await verifyFile(path);
      const isNamed = NAMED.some(([named, row, columns]) =>
        named === table && row.test(where) && columns.test(column)
      );
      assert.ok(
        differences.some((found) =>
          found.table === table && found.id === id && (!isNamed || found.column === column)
        ),
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
  alter(path, { table: "ledger", column: "amount_e8", where: "seq = 1" });
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
  const statements = [
    ["DELETE FROM ledger WHERE seq = 2", "calls", String(SETTLED), "state"],
    ["DELETE FROM ledger WHERE seq = 11", "projects", "paying", "avail_e8"],
    ["DELETE FROM ledger WHERE kind = 'loss' AND call_id = 3", "calls", String(LOST), "loss_e8"],
    [
      "INSERT INTO ledger SELECT 12, project_id, kind, 0, balance_after_e8, call_id, reference, at, checksum FROM ledger WHERE seq = 11 - 1",
      "ledger",
      "12",
      "call_id",
    ],
    ["DELETE FROM calls WHERE call_id = 1", "ledger", "2", "call_id"],
    ["DELETE FROM price_versions", "calls", "1", "price_version"],
    ["DELETE FROM projects WHERE id = 'paying'", "projects", "paying", "id"],
  ] as const;
  for (const [statement, table, id, column] of statements) {
    const path = `${folder}/altered-${crypto.randomUUID()}.db`;
    await Deno.copyFile(original, path);
    const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    database.exec(
      "DROP TRIGGER ledger_keeps_rows; DROP TRIGGER price_versions_keep_rows; DROP TRIGGER calls_keep_rows",
    );
    database.exec(statement);
    database.close();
    const differences = await verifyFile(path);
    assert.ok(
      differences.some((found) =>
        found.table === table && found.id === id && found.column === column
      ),
      `${statement}: ${JSON.stringify(differences, undefined, 1)}`,
    );
  }
  await Deno.remove(folder, { recursive: true });
});
