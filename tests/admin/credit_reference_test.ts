/**
 * References of credits are others' words: whatever is in them, the ledger stays right.
 *
 * @module
 */

import assert from "node:assert/strict";
import { creditProject } from "../../src/admin/accounts/credit_project.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { DatabaseSync } from "node:sqlite";
import { verifyLedger } from "../../src/admin/ledger_check/check_ledger.ts";
import { LEDGER_COLUMNS } from "../../src/storage/rows/ledger_row.ts";
import { type ColumnValue, rowChecksum } from "../../src/storage/rows/row_checksum.ts";
import { CATALOGUE, openTestAdmin } from "./test_admin.ts";

Deno.test("a reference that is no proper text is stored as one, credits once, and the ledger is right", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  for (const reference of ["\ud800", "tail \udfff", "a\0b", "\ufeff"]) {
    const input = { project: "paying", amount: "1", reference };
    assert.equal((await runOperation(creditProject, { deps, input })).repeated, false);
    assert.equal((await runOperation(creditProject, { deps, input })).repeated, true);
  }
  const { differences } = await runOperation(verifyLedger, { deps, input: {} });
  assert.deepEqual(differences, []);
});

Deno.test("a credit of an earlier version, whose reference was cut in half of a pair, is right until it is altered", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-half-" });
  try {
    const path = `${folder}/tollgate.db`;
    await using admin = await openTestAdmin({ catalogue: CATALOGUE, path });
    const { deps } = admin;
    const input = { project: "paying", amount: "1", reference: "thanks \ud83d" };
    await runOperation(creditProject, { deps, input });
    const differences = async () =>
      (await runOperation(verifyLedger, { deps, input: {} })).differences;
    using database = new DatabaseSync(path);
    const read = database.prepare(`SELECT ${LEDGER_COLUMNS.join(", ")} FROM ledger`);
    read.setReadBigInts(true);
    const row = LEDGER_COLUMNS.map((column) => read.get()![column] as ColumnValue);
    const at = LEDGER_COLUMNS.indexOf("reference");
    assert.equal(row[at], "thanks \ufffd");
    const triggers = database.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'ledger'",
    ).all();
    for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
    // As it took the checksum of what it was given.
    database.prepare("UPDATE ledger SET checksum = ?").run(
      rowChecksum(row.with(at, "thanks \ud83d")),
    );
    assert.deepEqual(await differences(), []);
    for (
      const change of ["reference = 'thanks ?'", "at = at + 1", "reference = reference || '!'"]
    ) {
      database.exec(`UPDATE ledger SET ${change}`);
      assert.deepEqual(
        (await differences()).map(({ detail }) => detail),
        ["the row was altered: its checksum does not fit its columns"],
        change,
      );
      database.prepare("UPDATE ledger SET reference = ?, at = ?").run(row[at]!, row.at(-1)!);
      assert.deepEqual(await differences(), []);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
