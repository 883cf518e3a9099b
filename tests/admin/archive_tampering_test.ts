/**
 * Whatever is altered in an archive, or in what the database keeps of it, is found.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { archiveCalls, listArchives } from "../../src/admin/archives/archive_calls.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { verifyLedger } from "../../src/admin/ledger_check/check_ledger.ts";
import { examineArchive } from "../../src/app/archives/examine_archive.ts";
import { SeededRandom } from "../support/seeded_random.ts";
import { liveThroughMonths } from "./months_of_calls.ts";
import { CATALOGUE, openTestAdmin } from "./test_admin.ts";

/** A database of which two times two months are archived, in a folder with both archives. */
async function withArchives(
  run: (place: { path: string; archives: readonly [string, string] }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-archives-" });
  const path = `${folder}/tollgate.db`;
  const archives = [`${folder}/1.archive`, `${folder}/2.archive`] as const;
  try {
    {
      await using admin = await openTestAdmin({ catalogue: CATALOGUE, path });
      await liveThroughMonths(admin, new SeededRandom(7), { months: 7, most: 12 });
      for (const [index, before] of ["2026-03-01", "2026-05-01"].entries()) {
        const input = { before, file: archives[index]! };
        await runOperation(archiveCalls, { deps: admin.deps, input });
      }
      await admin.deps.storage.info();
    }
    await run({ path, archives });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Alters a copy of a file, around every guard, and gives the copy's path. */
async function altered(file: string, sql: string): Promise<string> {
  const copy = `${file}-${crypto.randomUUID()}`;
  await Deno.copyFile(file, copy);
  const database = new DatabaseSync(copy, { enableForeignKeyConstraints: false });
  database.exec("PRAGMA ignore_check_constraints = ON");
  for (
    const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
      .all()
  ) database.exec(`DROP TRIGGER ${name}`);
  database.exec(sql);
  database.close();
  return copy;
}

/** Every column of the first and the last row of each table. */
function alterationsOf(file: string): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const keys = { ledger: "seq", calls: "call_id", price_versions: "version" };
  const statements = Object.entries(keys).flatMap(([table, key]) => {
    const columns = database.prepare(`PRAGMA table_info(${table})`).all();
    return ["min", "max"].flatMap((end) =>
      columns.map(({ name, type }) => {
        const value = type === "TEXT"
          ? `coalesce(${name}, '') || 'x'`
          : name === key
          ? `${name} + 100000`
          : `coalesce(${name}, 0) + 1`;
        return `UPDATE ${table} SET ${name} = ${value} WHERE ${key} = (SELECT ${end}(${key}) FROM ${table})`;
      })
    );
  });
  database.close();
  return [
    ...statements,
    ...Object.entries(keys).map(([table, key]) =>
      `DELETE FROM ${table} WHERE ${key} = (SELECT max(${key}) FROM ${table})`
    ),
    "CREATE TEMP TABLE one AS SELECT * FROM calls LIMIT 1; " +
    "UPDATE one SET call_id = call_id + 100000; INSERT INTO calls SELECT * FROM one",
    "UPDATE archive SET document = replace(document, '\"calls\":', '\"calls\":1')",
    "UPDATE archive SET document = 'junk'",
    "UPDATE archive SET sha256 = replace(sha256, 'a', 'b')",
  ];
}

Deno.test("whatever is altered in an archive is found in it alone", async () => {
  await withArchives(async ({ archives: [, file] }) => {
    assert.deepEqual((await examineArchive(file)).differences, []);
    for (const sql of alterationsOf(file)) {
      const copy = await altered(file, sql);
      const { differences } = await examineArchive(copy);
      assert.notEqual(differences.length, 0, sql);
      await Deno.remove(copy);
    }
  });
});

Deno.test("an archive that proves itself, and is another one, is not the database's", async () => {
  await withArchives(async ({ path, archives: [first, second] }) => {
    await using admin = await openTestAdmin({ path });
    const { archives } = await runOperation(listArchives, { deps: admin.deps, input: {} });
    const proofs = [await examineArchive(first), await examineArchive(second)];
    assert.deepEqual(archives.map(({ sha256 }) => sha256), proofs.map(({ sha256 }) => sha256));
    // Rewritten as a whole, with a hash that fits: only the database can tell.
    const forged = await altered(first, "SELECT 1");
    const database = new DatabaseSync(forged);
    const { document } = database.prepare("SELECT document FROM archive").get()!;
    const text = String(document).replace(/"written_at":"[^"]*"/, '"written_at":"2026-02-02"');
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    const sha256 = new Uint8Array(digest).toHex();
    database.prepare("UPDATE archive SET document = ?, sha256 = ?").run(text, sha256);
    database.close();
    const proof = await examineArchive(forged);
    assert.deepEqual(proof.differences, []);
    assert.notEqual(proof.sha256, archives[0]!.sha256);
  });
});

/** What a hand could do to the database's side of an archive. */
const ALTERED_CHECKPOINTS = [
  "DELETE FROM checkpoints WHERE number = 1",
  "DELETE FROM checkpoints WHERE number = 2",
  "DELETE FROM checkpoints",
  "UPDATE checkpoints SET last_seq = last_seq - 1 WHERE number = 2",
  "UPDATE checkpoints SET last_seq = last_seq + 1 WHERE number = 2",
  "UPDATE checkpoints SET last_call_id = last_call_id + 1 WHERE number = 1",
  "UPDATE checkpoints SET calls = calls + 1 WHERE number = 1",
  "UPDATE checkpoints SET before_at = before_at + 1 WHERE number = 1",
  'UPDATE checkpoints SET document = replace(document, \'"closing_e8":"\', \'"closing_e8":"1\')',
  "UPDATE checkpoints SET sha256 = replace(sha256, 'a', 'b') WHERE number = 1",
  "UPDATE kept_references SET amount_e8 = amount_e8 + 1 WHERE checkpoint = 1",
  "UPDATE kept_references SET reference = reference || 'x'",
  "DELETE FROM kept_references WHERE checkpoint = 1",
  "INSERT INTO kept_references VALUES ('paying', 'another', 5, 2)",
  // Sums of archived days, against what the checkpoints state.
  "UPDATE usage_daily SET cost_e8 = cost_e8 + 1",
  "UPDATE usage_daily SET charged_e8 = charged_e8 + 1 WHERE project_id = 'paying'",
  "UPDATE usage_daily SET prompt_tokens = prompt_tokens + 1 WHERE project_id = 'paying'",
  "UPDATE usage_daily SET project_id = project_id || 'x' WHERE charged_e8 = 0 AND loss_e8 = 0",
  "DELETE FROM usage_daily WHERE day = (SELECT min(day) FROM usage_daily)",
  "INSERT INTO usage_hourly SELECT day * 24, 'other', model, provider, route, 1, 0, 0, 0, 0, 0, 0 FROM usage_daily LIMIT 1",
  "DELETE FROM ledger WHERE seq = (SELECT min(seq) FROM ledger)",
  "UPDATE projects SET avail_e8 = avail_e8 + 1 WHERE id = 'paying'",
];

Deno.test("whatever is altered of what the database keeps of archives is found", async (test) => {
  await withArchives(async ({ path }) => {
    for (const sql of ["SELECT 1", ...ALTERED_CHECKPOINTS]) {
      await test.step(sql, async () => {
        const copy = await altered(path, sql);
        await using admin = await openTestAdmin({ path: copy });
        const { differences } = await runOperation(verifyLedger, { deps: admin.deps, input: {} });
        assert.equal(differences.length > 0, sql !== "SELECT 1", JSON.stringify(differences));
      });
    }
  });
});

Deno.test("where an archive's file was written may be noted anew, as it may be moved", async () => {
  await withArchives(async ({ path }) => {
    const copy = await altered(path, "UPDATE checkpoints SET file = '/elsewhere.db'");
    await using admin = await openTestAdmin({ path: copy });
    assert.deepEqual(
      (await runOperation(verifyLedger, { deps: admin.deps, input: {} })).differences,
      [],
    );
  });
});

Deno.test("an archive says which format it has: older ones are read, a newer one is not taken for altered", async () => {
  await withArchives(async ({ archives: [file] }) => {
    const [first] = new DatabaseSync(file, { readOnly: true }).prepare("PRAGMA user_version").all();
    // Rows say what has no column of their own: readers of format 2 find that such rows do not fit.
    assert.equal(first!.user_version, 3);
    const older = await altered(file, "PRAGMA user_version = 2");
    assert.deepEqual((await examineArchive(older)).differences, []);
    const newer = await altered(file, "PRAGMA user_version = 4");
    await assert.rejects(() => examineArchive(newer), {
      message: /has format 4 and this program knows formats up to 3: use a newer tollgate$/,
    });
  });
});

/** Gives database and archives what a program wrote that stated no usage of each project. */
function makeFormat1(path: string, archives: readonly string[]): void {
  const database = new DatabaseSync(path);
  database.exec("DROP TRIGGER checkpoints_keep_columns");
  let previous: string | null = null;
  for (const [index, file] of archives.entries()) {
    const archive = new DatabaseSync(file);
    const document = JSON.parse(
      archive.prepare("SELECT document FROM archive").get()!.document as string,
    );
    for (const project of Object.values(document.projects as Record<string, { usage?: unknown }>)) {
      assert.notEqual(project.usage, undefined);
      delete project.usage;
    }
    const text: string = JSON.stringify({ ...document, previous });
    const sha256: string = createHash("sha256").update(text).digest("hex");
    archive.prepare("UPDATE archive SET document = ?, sha256 = ?").run(text, sha256);
    archive.exec("PRAGMA user_version = 1");
    archive.close();
    database.prepare("UPDATE checkpoints SET document = ?, sha256 = ? WHERE number = ?")
      .run(text, sha256, index + 1);
    previous = sha256;
  }
  database.close();
}

Deno.test("archives of format 1 prove themselves, and what they state is compared as before", async () => {
  await withArchives(async ({ path, archives }) => {
    makeFormat1(path, archives);
    for (const file of archives) assert.deepEqual((await examineArchive(file)).differences, []);
    const verify = async (sql: string) => {
      const copy = await altered(path, sql);
      await using admin = await openTestAdmin({ path: copy });
      return (await runOperation(verifyLedger, { deps: admin.deps, input: {} })).differences;
    };
    assert.deepEqual(await verify("SELECT 1"), []);
    const [difference] = await verify(
      "UPDATE usage_daily SET sale_e8 = sale_e8 + 7 WHERE day = (SELECT min(day) FROM usage_daily)",
    );
    assert.deepEqual([difference!.table, difference!.id, difference!.column], [
      "usage_daily",
      "all projects before 2026-05-01",
      "sale_e8",
    ]);
  });
});
