/**
 * What somebody with a database shell may do to the audit log, and whether it is seen.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import { audited } from "../../conformance/storage_audit_suite.ts";
import { commitEach, sampleProject, words } from "../../conformance/storage_samples.ts";
import { withDatabasePath, withRawDatabase } from "./temporary_database.ts";

const ROWS = 5;
const WITHOUT_GUARDS = "DROP TRIGGER audit_keeps_rows; DROP TRIGGER audit_keeps_columns;";

function makeProject(id: string) {
  return audited([{ kind: "create_project", project: sampleProject({ id }) }], {
    subject: `project:${id}`,
    before: { a: 1 },
  });
}

/** A log of five rows, given to whoever tampers; then the faults that are found. */
async function faultsAfter(tamper: (database: DatabaseSync) => void): Promise<readonly string[]> {
  let found: readonly string[] = [];
  await withDatabasePath(async (path) => {
    const first = createSqliteStorage(path);
    const entries = Array.from({ length: ROWS }, (_, index) => makeProject(`p${index}`));
    assert.deepEqual(words(await commitEach(first, entries)), entries.map(() => "ok"));
    await first.close();
    await withRawDatabase(path, tamper);
    const second = createSqliteStorage(path);
    const { faults } = await second.audit.check(undefined, 100);
    found = faults.map(({ seq, detail }) => `${seq}: ${detail}`);
    await second.close();
  });
  return found;
}

Deno.test("the audit log is append-only", async () => {
  const faults = await faultsAfter((database) => {
    for (
      const sql of [
        "UPDATE audit SET operation = 'x'",
        "UPDATE audit SET checksum = 0 WHERE seq = 5",
        "DELETE FROM audit",
        "DELETE FROM audit WHERE seq = 5",
        "UPDATE OR REPLACE audit SET seq = 2 WHERE seq = 1",
      ]
    ) assert.throws(() => database.exec(sql), /the audit log is append-only/, sql);
    assert.equal(database.prepare("SELECT count(*) AS n FROM audit").get()!.n, ROWS);
  });
  assert.deepEqual(faults, []);
});

Deno.test("the audit log takes no row that tells nothing", async () => {
  await faultsAfter((database) => {
    const row = (change: string) =>
      `INSERT INTO audit SELECT 9, at, channel, user, address, operation, subject, before, after,
       request_id, previous, checksum FROM (SELECT *, ${change} FROM audit WHERE seq = 1)`;
    assert.doesNotThrow(() =>
      database.exec(`${row("1")}; ${WITHOUT_GUARDS}
      DELETE FROM audit WHERE seq = 9`)
    );
    for (
      const set of [
        "channel = ''",
        "operation = ''",
        "subject = 'shop'",
        "subject = ':shop'",
        "before = '['",
        "after = '[]'",
        "before = NULL, after = NULL",
        "at = -1",
        "user = ''",
        "seq = 0",
      ]
    ) {
      const sql = `UPDATE audit SET ${set} WHERE seq = 5`;
      assert.throws(() => database.exec(sql), /CHECK constraint failed/, set);
    }
  });
});

Deno.test("check() sees every altered column of every row", async () => {
  const columns = [
    ["at", "at + 1"],
    ["channel", "'admin_api'"],
    ["user", "'bob'"],
    ["user", "NULL"],
    ["address", "'::1'"],
    ["operation", "operation || 'x'"],
    ["subject", "subject || 'x'"],
    ["before", `'{"a":2}'`],
    ["before", "NULL"],
    ["after", `'{"unlimited":true}'`],
    ["request_id", "NULL"],
  ] as const;
  const altered = "the row was altered: its checksum does not fit its columns";
  for (const [column, value] of columns) {
    const faults = await faultsAfter((database) =>
      database.exec(`${WITHOUT_GUARDS} UPDATE audit SET ${column} = ${value} WHERE seq = 3`)
    );
    assert.deepEqual(faults, [`3: ${altered}`], column);
  }
  assert.deepEqual(
    await faultsAfter((database) =>
      database.exec(`${WITHOUT_GUARDS} UPDATE audit SET checksum = checksum + 1 WHERE seq = 3`)
    ),
    [`3: ${altered}`, "4: the row does not follow the one before it"],
  );
});

/** What is done behind the guards, and what is seen. */
const GONE: readonly (readonly [sql: string, faults: readonly string[]])[] = [
  ["DELETE FROM audit WHERE seq = 1", ["1: the row is missing"]],
  ["DELETE FROM audit WHERE seq IN (2, 3)", ["2: the rows up to 3 are missing"]],
  ["DELETE FROM audit WHERE seq = 5", ["5: the row is missing"]],
  ["DELETE FROM audit WHERE seq > 2", ["3: the rows up to 5 are missing"]],
  ["DELETE FROM audit", ["1: the rows up to 5 are missing"]],
  [
    "DELETE FROM audit WHERE seq = 3; UPDATE audit SET seq = seq - 1 WHERE seq > 3",
    [
      "3: the row does not follow the one before it",
      "3: the row was altered: its checksum does not fit its columns",
      "4: the row was altered: its checksum does not fit its columns",
      "5: the row is missing",
    ],
  ],
  [
    "INSERT INTO audit SELECT 6, at, channel, user, address, operation, subject, before, after, " +
    "request_id, checksum, 1 FROM audit WHERE seq = 5",
    [
      "6: the row was altered: its checksum does not fit its columns",
      "6: the row is not the one that was written last",
    ],
  ],
  ["DELETE FROM meta WHERE name = 'audit_last'", [
    "5: the row is not the one that was written last",
  ]],
];

for (const [sql, expected] of GONE) {
  Deno.test(`check() sees what is gone or added after ${sql}`, async () => {
    const faults = await faultsAfter((database) => database.exec(`${WITHOUT_GUARDS} ${sql}`));
    assert.deepEqual(faults, expected);
  });
}

Deno.test("append() does not hide that the last row was removed", async () => {
  await withDatabasePath(async (path) => {
    const first = createSqliteStorage(path);
    await commitEach(first, [makeProject("a"), makeProject("b")]);
    await first.close();
    await withRawDatabase(path, (database) => {
      database.exec(`${WITHOUT_GUARDS} DELETE FROM audit WHERE seq = 2`);
    });
    const second = createSqliteStorage(path);
    await commitEach(second, [makeProject("c")]);
    assert.deepEqual((await second.audit.check(undefined, 100)).faults, [
      { seq: 2, detail: "the row is missing" },
    ]);
    await second.close();
  });
});
