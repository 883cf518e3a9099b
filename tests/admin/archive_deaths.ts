/**
 * Archiving by a process that dies, and what must hold then: each row is in the database or in a
 * whole archive, nothing differs, and the same command goes on.
 *
 * @module
 */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { archiveCalls, listArchives } from "../../src/admin/archives/archive_calls.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { reportUsage } from "../../src/admin/usage.ts";
import { verifyLedger } from "../../src/admin/ledger_check/check_ledger.ts";
import { examineArchive } from "../../src/app/archives/examine_archive.ts";
import { SqliteArchiveFile } from "../../src/storage/sqlite/maintenance/archive_file.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { liveThroughMonths } from "./months_of_calls.ts";
import { CATALOGUE, openTestAdmin, type TestAdmin } from "./test_admin.ts";

const CHILD = new URL("./archive_until_killed.ts", import.meta.url).pathname;
const BEFORE = "2026-07-01";

async function callIds({ deps }: TestAdmin): Promise<number[]> {
  return (await deps.storage.calls.slice(0, 100_000)).map(({ callId }) => callId);
}

function archivedIds(file: string): number[] {
  using archive = new SqliteArchiveFile(file);
  return archive.calls(0, 100_000).map(({ callId }) => callId);
}

/** Lets a process archive until it dies at a point; gives whether it came to its end. */
async function archiveAndDie(path: string, file: string, point: readonly string[]) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--quiet", "-A", CHILD, path, file, BEFORE, ...point],
    stdout: "piped",
    stderr: "inherit",
  });
  const { stdout, signal, code } = await child.output();
  const isDone = new TextDecoder().decode(stdout).includes("done");
  assert.deepEqual([isDone, code], isDone ? [true, 0] : [false, 137], `${point} ${signal}`);
  return isDone;
}

/**
 * Archives once for each point at which a process dies: `part`, or before or after a step.
 *
 * @returns The states that were found after a death, and how often all was dropped and not summed up.
 */
export async function archiveAndDieAt(points: readonly (readonly string[])[]) {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-archive-crash-" });
  const original = `${folder}/original.db`;
  let all: number[];
  let usage: unknown;
  let balances: unknown;
  {
    await using admin = await openTestAdmin({ catalogue: CATALOGUE, path: original });
    await liveThroughMonths(admin, new SeededRandom(11), { months: 8, most: 160 });
    all = await callIds(admin);
    usage = await runOperation(reportUsage, { deps: admin.deps, input: { by: ["day", "model"] } });
    balances = await admin.deps.storage.accounts.loadBalances();
  }
  const seen = new Set<string>();
  let compacted = 0;
  for (const point of points) {
    const place = `${folder}/${point.join("-")}`;
    await Deno.mkdir(place);
    const [path, file] = [`${place}/tollgate.db`, `${place}/calls.archive`];
    await Deno.copyFile(original, path);
    let deaths = 0;
    // A second one dies at the same point of what is left, if it comes there.
    while (!await archiveAndDie(path, file, deaths < 2 ? point : ["1000", "after"])) {
      deaths++;
      await using admin = await openTestAdmin({ path });
      const { differences } = await runOperation(verifyLedger, { deps: admin.deps, input: {} });
      assert.deepEqual(differences, [], point.join(" "));
      const { archives } = await runOperation(listArchives, { deps: admin.deps, input: {} });
      const live = await callIds(admin);
      // It has died with nothing left to do.
      if (archives.length === 1 && !await admin.deps.storage.checkpoints.hasLeftovers()) break;
      const { lastSeq } = (await admin.deps.storage.checkpoints.list())[0] ?? { lastSeq: 0 };
      const [oldest] = await admin.deps.storage.ledger.slice(0, 1);
      // Every row is dropped, and some of the sums are still by the hour.
      if (archives.length === 1 && (oldest === undefined || oldest.seq > lastSeq)) compacted++;
      seen.add(`${archives.length} ${existsSync(file)} ${live.length === all.length}`);
      if (archives.length === 0) assert.deepEqual(live, all);
      else {
        assert.deepEqual((await examineArchive(file)).differences, []);
        const both = new Set([...live, ...archivedIds(file)]);
        assert.deepEqual([...both].sort((a, b) => a - b), all);
      }
    }
    await using admin = await openTestAdmin({ path });
    const { differences, checked } = await runOperation(verifyLedger, {
      deps: admin.deps,
      input: {},
    });
    assert.deepEqual([differences, checked.archives], [[], 1]);
    const proof = await examineArchive(file);
    assert.deepEqual(proof.differences, []);
    assert.equal(
      (await runOperation(listArchives, { deps: admin.deps, input: {} })).archives[0]!.sha256,
      proof.sha256,
    );
    const live = await callIds(admin);
    assert.deepEqual([...archivedIds(file), ...live].sort((a, b) => a - b), all);
    const reported = await runOperation(reportUsage, {
      deps: admin.deps,
      input: { by: ["day", "model"] },
    });
    assert.deepEqual(reported.archives.map((archive) => archive.file), [file]);
    assert.deepEqual({ ...reported, archives: [] }, usage);
    assert.deepEqual(await admin.deps.storage.accounts.loadBalances(), balances);
    const names = [...Deno.readDirSync(place)].map(({ name }) => name);
    assert.deepEqual(names.filter((name) => name.includes(".part")), []);
    admin.clock.setWall(Date.UTC(2026, 11, 24));
    const idle = await runOperation(archiveCalls, {
      deps: admin.deps,
      input: { before: BEFORE, file },
    });
    assert.deepEqual([idle.number, idle.file, idle.calls, idle.ledger_rows], [null, null, 0, 0]);
    assert.equal(
      (await runOperation(listArchives, { deps: admin.deps, input: {} })).archives.length,
      1,
    );
  }
  await Deno.remove(folder, { recursive: true });
  return { seen: [...seen].sort(), compacted };
}
