/**
 * Archives random months at random times, and looks at the books before, meanwhile and after.
 *
 * @module
 */

import assert from "node:assert/strict";
import { archiveCalls, listArchives } from "../../src/admin/archives/archive_calls.ts";
import { creditProject } from "../../src/admin/accounts/credit_project.ts";
import { reportUsage } from "../../src/admin/usage.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { verifyLedger } from "../../src/admin/ledger_check/check_ledger.ts";
import { examineArchive } from "../../src/app/archives/examine_archive.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { liveThroughMonths, monthStart } from "./months_of_calls.ts";
import { CATALOGUE, openTestAdmin, type TestAdmin } from "./test_admin.ts";

/** Whatever the seed decides, everything adds up. */
export async function archiveRandomMonths(seed: number): Promise<void> {
  const random = new SeededRandom(seed);
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps, clock } = admin;
  const credits = await liveThroughMonths(admin, random, { months: 9, most: 40 });
  const usage = () =>
    runOperation(reportUsage, { deps, input: { by: ["day", "project", "model"] } });
  const [usageBefore, balances] = [await usage(), await deps.storage.accounts.loadBalances()];
  const { checked: all } = await runOperation(verifyLedger, { deps, input: {} });
  const folder = admin.path.slice(0, admin.path.lastIndexOf("/"));
  const files: string[] = [];
  let archivedCalls = 0;
  for (let month = 1 + random.integer(0, 2); month <= 8; month += random.integer(1, 3)) {
    const file = `${folder}/to-${month}.archive`;
    const outlook = await archive(admin, { before: dateOf(monthStart(month)), dry_run: true });
    if (outlook.ledger_rows === 0) continue;
    const answer = await archive(admin, { before: dateOf(monthStart(month)), file });
    files.push(file);
    archivedCalls += answer.calls;
    assert.equal(answer.number, files.length);
    assert.deepEqual([answer.calls, answer.ledger_rows], [outlook.calls, outlook.ledger_rows]);
    assert.deepEqual(await differences(admin), []);
    assert.equal(await deps.storage.checkpoints.hasLeftovers(), false);
  }
  assert.ok(files.length > 0);
  const { checked } = await runOperation(verifyLedger, { deps, input: {} });
  assert.equal(checked.archives, files.length);
  assert.equal(checked.calls, all.calls - archivedCalls);
  // A report over archived months is the same, and says where they are.
  const { archives: told, ...reported } = await usage();
  assert.deepEqual({ ...reported, archives: [] }, usageBefore);
  assert.deepEqual(told.map(({ file }) => file), files);
  assert.deepEqual(await deps.storage.accounts.loadBalances(), balances);
  // Each archive proves itself, and is the one that the ledger goes on from.
  const { archives } = await runOperation(listArchives, { deps, input: {} });
  for (const [index, file] of files.entries()) {
    const proof = await examineArchive(file);
    assert.deepEqual(proof.differences, []);
    assert.equal(proof.sha256, archives[index]!.sha256);
  }
  // Every credit is as safe to repeat as ever, and an archived reference names no other amount.
  for (const { reference, amount } of credits) {
    await runOperation(creditProject, { deps, input: { project: "paying", amount, reference } });
    await assert.rejects(
      runOperation(creditProject, {
        deps,
        input: { project: "paying", amount: "77", reference },
      }),
      { error: "conflict" },
    );
  }
  assert.deepEqual(await deps.storage.accounts.loadBalances(), balances);
  // Life goes on, and the next archive follows.
  await liveThroughMonths(admin, random, { months: 3, most: 20 });
  assert.deepEqual(await differences(admin), []);
  const last = `${folder}/last.archive`;
  clock.setWall(monthStart(14));
  await archive(admin, { before: dateOf(monthStart(13)), file: last });
  assert.deepEqual(await differences(admin), []);
  assert.deepEqual((await examineArchive(last)).differences, []);
  assert.equal((await runOperation(verifyLedger, { deps, input: {} })).checked.calls, 0);
}

function archive({ deps }: TestAdmin, input: { before: string; file?: string; dry_run?: boolean }) {
  return runOperation(archiveCalls, { deps, input });
}

async function differences({ deps }: TestAdmin) {
  return (await runOperation(verifyLedger, { deps, input: {} })).differences;
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
