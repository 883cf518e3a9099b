import assert from "node:assert/strict";
import { archiveCalls, listArchives } from "../../src/admin/archives/archive_calls.ts";
import { showCall } from "../../src/admin/calls.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { reportUsage } from "../../src/admin/usage.ts";
import { verifyLedger } from "../../src/admin/ledger_check/check_ledger.ts";
import { examineArchive } from "../../src/app/archives/examine_archive.ts";
import { keepArchiving } from "../../src/app/archives/keep_archiving.ts";
import { restoreBackup } from "../../src/app/backups/restore_backup.ts";
import { liveThroughMonths } from "../admin/months_of_calls.ts";
import { CATALOGUE, openTestAdmin } from "../admin/test_admin.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { until } from "../support/until.ts";

const silent = { info: () => {}, warn: () => {}, error: () => {} };

Deno.test("keepArchiving() archives each month that is old enough, and no other", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  await liveThroughMonths(admin, new SeededRandom(3), { months: 6, most: 20 });
  const events: Record<string, unknown>[] = [];
  const log = {
    ...silent,
    info: (_event: string, fields: Record<string, unknown> = {}) => void events.push(fields),
    error: (event: string, fields?: Record<string, unknown>) => {
      throw new Error(`${event}: ${JSON.stringify(fields)}`);
    },
  };
  // It is July: April ended two months ago.
  const archiving = keepArchiving(admin.deps, { settings: { afterMonths: 2 }, log });
  const isLast = ({ file }: Record<string, unknown>) => String(file).includes("2026-04");
  await until("April is archived", () => events.some(isLast));
  await until("it rests", () => !admin.deps.archives.isUnderWay);
  archiving.stop();
  assert.deepEqual(archiving.warnings(), []);
  const { archives } = await runOperation(listArchives, { deps: admin.deps, input: {} });
  const folder = admin.path.slice(0, admin.path.lastIndexOf("/"));
  assert.equal(archives.at(-1)!.file, `${folder}/archives/tollgate-calls-to-2026-04.db`);
  assert.equal(archives.at(-1)!.before, "2026-05-01T00:00:00.000Z");
  for (const { file } of archives) assert.deepEqual((await examineArchive(file)).differences, []);
  assert.deepEqual(
    (await runOperation(verifyLedger, { deps: admin.deps, input: {} })).differences,
    [],
  );
});

Deno.test("keepArchiving() archives nothing by itself, and says what keeps it from it", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  await liveThroughMonths(admin, new SeededRandom(3), { months: 6, most: 5 });
  const idle = keepArchiving(admin.deps, { settings: {}, log: silent });
  idle.stop();
  await until("it rests", () => !admin.deps.archives.isUnderWay);
  assert.deepEqual(
    (await runOperation(listArchives, { deps: admin.deps, input: {} })).archives,
    [],
  );
  const errors: unknown[] = [];
  const settings = { afterMonths: 1, folder: "/not/there" };
  const archiving = keepArchiving(admin.deps, {
    settings,
    log: { ...silent, error: (event, fields) => void errors.push(event, fields?.message) },
  });
  await until("it fails", () => errors.length > 0);
  archiving.stop();
  assert.equal(errors[0], "archiving_failed");
  assert.match(String(errors[1]), /there is no folder \/not\/there/);
  // Where things are is in the log: anybody may ask for the warnings.
  assert.deepEqual(archiving.warnings(), [
    "calls are not archived: the log says why (archiving_failed)",
  ]);
  assert.deepEqual(
    (await runOperation(verifyLedger, { deps: admin.deps, input: {} })).differences,
    [],
  );
});

Deno.test("an archived call is shown from its archive, and reports tell where single calls are", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  await liveThroughMonths(admin, new SeededRandom(5), { months: 5, most: 10 });
  const [first] = await deps.storage.calls.slice(0, 1);
  const input = { request_id: first!.requestId };
  const show = () => runOperation(showCall, { deps, input });
  const before = await show();
  assert.equal(before.archive, null);
  const file = `${admin.path}.archive`;
  await runOperation(archiveCalls, { deps, input: { before: "2026-04-01", file } });
  assert.deepEqual(await show(), { ...before, archive: file });
  const archives = [{ before: "2026-04-01T00:00:00.000Z", file }];
  const report = (span: object) => runOperation(reportUsage, { deps, input: span });
  assert.deepEqual((await report({})).archives, archives);
  assert.deepEqual((await report({ from: "2026-03-31" })).archives, archives);
  // Where it is on the machine is for those who run that.
  const asViewer = { deps, origin: { ...deps.origin, rights: { role: "viewer" } } } as const;
  const name = file.slice(file.lastIndexOf("/") + 1);
  const reported = await runOperation(reportUsage, { ...asViewer, input: {} });
  assert.deepEqual(reported.archives, [{ ...archives[0], file: name }]);
  assert.equal((await runOperation(showCall, { ...asViewer, input })).archive, name);
  assert.deepEqual((await report({ from: "2026-04-01" })).archives, []);
  // Of a day with archived calls there is only the whole, and the refusal says so.
  const day = new Date(first!.openedAt).toISOString().slice(0, 10);
  await assert.rejects(report({ from: `${day}T05:00:00Z` }), {
    error: "invalid_value",
    message: new RegExp(
      `Cannot report a part of ${day}: .* by whole days .* from ${day}, with all`,
    ),
  });
  await assert.rejects(report({ to: `${day}T05:00:00Z` }), { error: "invalid_value" });
  assert.equal((await report({ from: day, to: day })).data.length > 0, true);
  // Moved away, it is named, as the only place where the call can be.
  await Deno.rename(file, `${file}.moved`);
  await assert.rejects(show(), {
    error: "not_found",
    message: /it is in archive 1, written to \/.*\.archive, which cannot be read there/,
  });
  await assert.rejects(runOperation(showCall, { ...asViewer, input }), {
    error: "not_found",
    message: new RegExp(`it is in archive 1, written to ${name}, which`),
  });
  assert.deepEqual(
    (await runOperation(listArchives, { deps, input: {} })).archives[0]!.is_in_place,
    false,
  );
  assert.deepEqual((await runOperation(verifyLedger, { deps, input: {} })).differences, []);
});

Deno.test("a backup from before an archive is restored, and archiving again takes up the same file", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-archive-restore-" });
  const path = `${dataDir}/tollgate.db`;
  const [file, backup] = [`${dataDir}/calls.archive`, `${dataDir}/backup.db`];
  const input = { before: "2026-04-01", file };
  {
    await using admin = await openTestAdmin({ catalogue: CATALOGUE, path });
    await liveThroughMonths(admin, new SeededRandom(9), { months: 6, most: 10 });
    assert.equal((await admin.deps.backups.create({ file: backup })).archives, 0);
    await runOperation(archiveCalls, { deps: admin.deps, input });
    const after = await admin.deps.backups.create({ file: `${backup}.after` });
    assert.deepEqual([after.archives, after.differences], [1, []]);
  }
  const { sha256 } = await examineArchive(file);
  const now = Date.UTC(2026, 6, 2);
  const options = { dataDir, mayReplace: true, acceptsDifferences: false, now };
  await restoreBackup({ ...options, file: backup });
  {
    await using admin = await openTestAdmin({ path });
    const { deps, clock } = admin;
    clock.setWall(now);
    const verified = await runOperation(verifyLedger, { deps, input: {} });
    assert.deepEqual([verified.differences, verified.checked.archives], [[], 0]);
    const again = await runOperation(archiveCalls, { deps, input });
    assert.equal(again.sha256, sha256);
    assert.deepEqual((await runOperation(verifyLedger, { deps, input: {} })).differences, []);
  }
  await restoreBackup({ ...options, file: `${backup}.after`, now: now + 5_000 });
  {
    await using admin = await openTestAdmin({ path });
    const { differences, checked } = await runOperation(verifyLedger, {
      deps: admin.deps,
      input: {},
    });
    assert.deepEqual([differences, checked.archives], [[], 1]);
  }
  await Deno.remove(dataDir, { recursive: true });
});
