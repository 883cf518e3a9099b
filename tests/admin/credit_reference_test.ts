/**
 * References of credits are others' words: whatever is in them, the ledger stays right.
 *
 * @module
 */

import assert from "node:assert/strict";
import { creditProject } from "../../src/admin/accounts/credit_project.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { verifyLedger } from "../../src/admin/ledger_check/check_ledger.ts";
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
