import assert from "node:assert/strict";
import { openDatabase } from "../../../src/storage/sqlite/database.ts";
import { MIGRATIONS, schemaVersion } from "../../../src/storage/sqlite/migrations.ts";
import type { VideoTask } from "../../../src/domain/video_task.ts";
import { createStores } from "../../../src/storage/sqlite/stores.ts";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import {
  CALL_COLUMNS,
  closedCallValues,
  openCallValues,
} from "../../../src/storage/rows/call_row.ts";
import { ledgerValues } from "../../../src/storage/rows/ledger_row.ts";
import { rowChecksum } from "../../../src/storage/rows/row_checksum.ts";
import {
  fundProject,
  NOON_ISH,
  sampleClosedCall,
  sampleOpenCall,
  sampleProject,
  words,
} from "../../conformance/storage_samples.ts";
import { sampleResponse } from "../../conformance/storage_responses_suite.ts";
import {
  createEntry,
  releasedTaskCall,
  sampleAnswer,
  sampleTask,
} from "../../conformance/storage_video_samples.ts";
import { withDatabasePath, withRawDatabase } from "./temporary_database.ts";

const CURRENT = MIGRATIONS.length;
const NEXT = [...MIGRATIONS, "ALTER TABLE projects ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'"];

async function writeDatabase(path: string): Promise<void> {
  const storage = createSqliteStorage(path);
  await fundProject(storage, 42n);
  await storage.close();
}

function files(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

Deno.test("openDatabase() writes the current schema into a new file, without a backup", async () => {
  await withDatabasePath(async (path, folder) => {
    openDatabase(path).close();
    assert.deepEqual(files(folder), ["tollgate.db"]);
    await withRawDatabase(path, (database) => {
      assert.equal(schemaVersion(database), CURRENT);
      const tables = database.prepare("PRAGMA table_list").all()
        .filter(({ schema, name }) => schema === "main" && !String(name).startsWith("sqlite_"));
      assert.equal(tables.length >= 10, true);
      for (const table of tables) assert.equal(table.strict, 1, String(table.name));
    });
  });
});

Deno.test("openDatabase() backs an older file up, checks the copy, then migrates", async () => {
  await withDatabasePath(async (path, folder) => {
    await writeDatabase(path);
    const before = Deno.readFileSync(path);
    const database = openDatabase(path, { migrations: NEXT });
    assert.equal(schemaVersion(database), CURRENT + 1);
    assert.deepEqual(
      { ...database.prepare("SELECT id, avail_e8, colour FROM projects").get() },
      { id: "acme", avail_e8: 42, colour: "red" },
    );
    database.close();
    const copy = `${path}.backup-v${CURRENT}`;
    assert.deepEqual(files(folder), ["tollgate.db", `tollgate.db.backup-v${CURRENT}`]);
    assert.deepEqual(Deno.readFileSync(copy), before);
    assert.equal(Deno.statSync(copy).mode! & 0o777, 0o600);
    const restored = createSqliteStorage(copy);
    assert.equal((await restored.accounts.loadBalances())[0]!.avail, 42n);
    await restored.close();
  });
});

Deno.test("openDatabase() copies what only the write-ahead log has into the backup", async () => {
  await withDatabasePath(async (path, folder) => {
    const storage = createSqliteStorage(path);
    await fundProject(storage, 42n);
    Deno.mkdirSync(`${folder}/killed`);
    const killed = `${folder}/killed/tollgate.db`;
    for (const suffix of ["", "-wal"]) Deno.copyFileSync(`${path}${suffix}`, `${killed}${suffix}`);
    await storage.close();
    openDatabase(killed, { migrations: NEXT }).close();
    await withRawDatabase(`${killed}.backup-v${CURRENT}`, (copy) => {
      assert.equal(copy.prepare("SELECT avail_e8 AS a FROM projects").get()!.a, 42);
    });
  });
});

/** A database as a program of schema version 1 has left it, with calls of every state. */
function writeVersion1(path: string): void {
  const database = openDatabase(path, { migrations: MIGRATIONS.slice(0, 1) });
  database.exec(`
    INSERT INTO projects (id, unlimited, disabled, models, limits, created_at, avail_e8, held_e8)
    VALUES ('acme', 0, 0, '["*"]', '{}', 1, 870, 100)`);
  const version1Columns = CALL_COLUMNS.slice(0, -4);
  const insertCall = database.prepare(
    `INSERT INTO calls (${version1Columns.join(", ")}, checksum)
     VALUES (${version1Columns.map(() => "?").join(", ")}, ?)`,
  );
  for (
    const values of [
      openCallValues(sampleOpenCall()),
      closedCallValues(sampleClosedCall({ callId: 2 })),
      openCallValues(sampleOpenCall({ callId: 3, capability: "videos", heldE8: 0n })),
    ]
  ) {
    const plain = values.slice(0, version1Columns.length);
    insertCall.run(...plain, rowChecksum(plain));
  }
  const insertLedger = database.prepare("INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const common = { projectId: "acme", reference: undefined, at: NOON_ISH };
  insertLedger.run(...ledgerValues({
    ...common,
    seq: 1,
    kind: "credit",
    amountE8: 1_000n,
    balanceAfterE8: 1_000n,
    callId: undefined,
  }));
  insertLedger.run(...ledgerValues({
    ...common,
    seq: 2,
    kind: "settle",
    amountE8: 30n,
    balanceAfterE8: 970n,
    callId: 2,
  }));
  database.close();
}

Deno.test("a database of schema version 1 keeps its rows and its checksums, and goes on", async () => {
  await withDatabasePath(async (path, folder) => {
    writeVersion1(path);
    const before = Deno.readFileSync(path);
    const storage = createSqliteStorage(path);
    assert.deepEqual(Deno.readFileSync(`${path}.backup-v1`), before);
    assert.deepEqual(files(folder).filter((name) => name.includes("backup")), [
      "tollgate.db.backup-v1",
    ]);
    assert.equal((await storage.info()).schemaVersion, CURRENT);
    assert.deepEqual(await storage.calls.slice(0, 10), [
      { ...sampleOpenCall(), state: "open" },
      sampleClosedCall({ callId: 2 }),
      { ...sampleOpenCall({ callId: 3, capability: "videos", heldE8: 0n }), state: "open" },
    ]);
    const altered = async () => [
      ...(await storage.ledger.alteredRows("calls", 0, 100)).altered,
      ...(await storage.ledger.alteredRows("ledger", 0, 100)).altered,
    ];
    assert.deepEqual(await altered(), []);
    const results = await storage.commitBatch([
      { kind: "close", call: sampleClosedCall() },
      createEntry(sampleTask({ callId: 4 })),
    ]);
    assert.deepEqual(words(results), ["ok", "ok"]);
    assert.deepEqual(await storage.accounts.loadBalances(), [
      { projectId: "acme", avail: 840n, held: 100n },
    ]);
    assert.deepEqual(await altered(), []);
    await withRawDatabase(path, (database) => {
      database.exec("UPDATE calls SET video_size = '1x1', video_seconds = 1 WHERE call_id = 3");
      database.exec("UPDATE calls SET video_size = NULL, video_seconds = NULL WHERE call_id = 4");
    });
    assert.deepEqual((await altered()).map(({ id }) => id), ["3", "4"]);
    await storage.close();
  });
});

Deno.test("calls that are older than the sums of spending are added to them, each once", async () => {
  for (const covered of [0, 2]) {
    await withDatabasePath(async (path) => {
      writeVersion1(path);
      await withRawDatabase(path, (database) => {
        database.exec(`INSERT INTO meta VALUES ('usage_covers_ledger_seq', '${covered}')`);
      });
      for (const start of ["first", "second"]) {
        const storage = createSqliteStorage(path);
        assert.deepEqual(await storage.spending.sums({ month: 0, day: 0, hour: 0 }), [
          { projectId: "acme", keyId: "key_1", hourE8: 30n, dayE8: 30n, monthE8: 30n },
        ], `${start} start with ${covered} rows covered`);
        await storage.close();
      }
    });
  }
});

/**
 * A database as a program of schema version 2 has left it, with a settled call, a task and an
 * answer. The stores of today write it beside, and version 2 gets what it has columns for.
 */
function writeVersion2(path: string, task: VideoTask): void {
  const today = openDatabase(`${path}.today`);
  const results = createStores(today, `${path}.today`).commitBatch([
    { kind: "create_project", project: sampleProject() },
    { kind: "credit", projectId: "acme", amountE8: 1_000n, reference: undefined, at: NOON_ISH },
    { kind: "close", call: sampleClosedCall({ callId: 2 }) },
    createEntry(task),
  ]);
  assert.deepEqual(words(results), ["ok", "ok", "ok", "ok"]);
  const database = openDatabase(path, { migrations: MIGRATIONS.slice(0, 2) });
  for (const table of ["projects", "ledger", "calls", "video_tasks"]) {
    const columns = database.prepare("SELECT name FROM pragma_table_info(?)").all(table)
      .map(({ name }) => String(name));
    const insert = database.prepare(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    );
    const select = today.prepare(`SELECT ${columns.join(", ")} FROM ${table}`);
    for (const row of select.all()) insert.run(...columns.map((column) => row[column]!));
  }
  const { projectId, path: answered, key, fingerprint, status, body, createdAt, expiresAt } =
    sampleAnswer();
  database.prepare(
    `INSERT INTO stored_answers
     (project_id, path, key, fingerprint, status, body, created_at, expires_at, video_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(projectId, answered, key, fingerprint, status, body!, createdAt, expiresAt, task.id);
  assert.equal(schemaVersion(database), 2);
  database.close();
  today.close();
  Deno.removeSync(`${path}.today`);
}

Deno.test("a database of schema version 2 keeps its tasks and answers, and keeps responses", async () => {
  await withDatabasePath(async (path, folder) => {
    const task = sampleTask({ callId: 3 });
    writeVersion2(path, task);
    const before = Deno.readFileSync(path);
    const storage = createSqliteStorage(path);
    assert.deepEqual(Deno.readFileSync(`${path}.backup-v2`), before);
    assert.deepEqual(files(folder).filter((name) => name.includes("backup")), [
      "tollgate.db.backup-v2",
    ]);
    assert.equal((await storage.info()).schemaVersion, CURRENT);
    assert.deepEqual(await storage.calls.find(2), sampleClosedCall({ callId: 2 }));
    assert.deepEqual(await storage.videos.find(task.id), task);
    const { requestId } = task;
    assert.deepEqual(await storage.answers.find(sampleAnswer()), sampleAnswer({ requestId }));
    assert.deepEqual(await storage.responses.unfinished(0, 10), []);
    const response = sampleResponse({ callId: 4 });
    const results = await storage.commitBatch([
      { kind: "close", call: sampleClosedCall({ callId: 4 }), response },
    ]);
    assert.deepEqual(words(results), ["ok"]);
    assert.deepEqual(
      await storage.responses.find({ projectId: "acme", responseId: response.id }),
      response,
    );
    const deleted = await storage.commitBatch([
      { kind: "delete_video", taskId: task.id, revision: 1, close: releasedTaskCall(task) },
    ]);
    assert.deepEqual(words(deleted), ["ok"]);
    assert.equal(await storage.answers.find(sampleAnswer()), undefined, "it goes with its task");
    await storage.close();
  });
});

Deno.test("what an older database keeps is added up once, and counted on from there", async () => {
  await withDatabasePath(async (path) => {
    const database = openDatabase(path, { migrations: MIGRATIONS.slice(0, 6) });
    database.exec(`
      INSERT INTO stored_responses (call_id, id, project_id, status, is_background, input, body,
        created_at, expires_at)
      VALUES (1, 'resp_1', 'acme', 'completed', 0, '["漢"]', '{}', 1, 9),
        (2, 'resp_2', 'acme', 'queued', 1, '[]', '{}', 1, 9),
        (3, 'resp_3', 'other', 'failed', 1, '[]', '{}', 1, 9);
      INSERT INTO stored_answers (project_id, path, key, fingerprint, request_id, status, body,
        created_at, expires_at)
      VALUES ('acme', '/responses', 'k', 'f', 'r', 200, '"漢"', 1, 9),
        ('acme', '/responses', 'not kept', 'f', 'r', 200, NULL, 1, 9),
        ('third', '/responses', 'not kept', 'f', 'r', 200, NULL, 1, 9)`);
    database.close();
    const storage = createSqliteStorage(path);
    assert.deepEqual((await storage.kept.load()).projects, [
      { projectId: "acme", answers: 5 + 2 * 512, responses: 13, unfinished: 4 },
      { projectId: "other", answers: 0, responses: 4, unfinished: 0 },
      { projectId: "third", answers: 512, responses: 0, unfinished: 0 },
    ]);
    await storage.commitBatch([{ kind: "forget", answersExpiredAt: 9, messagesDoneBefore: 0 }]);
    assert.deepEqual((await storage.kept.load()).projects, [
      { projectId: "acme", answers: 0, responses: 0, unfinished: 0 },
      { projectId: "other", answers: 0, responses: 0, unfinished: 0 },
      { projectId: "third", answers: 0, responses: 0, unfinished: 0 },
    ]);
    await storage.close();
  });
});

Deno.test("openDatabase() leaves the old schema when a migration fails", async () => {
  await withDatabasePath(async (path) => {
    await writeDatabase(path);
    const broken = [...MIGRATIONS, `${NEXT.at(-1)}; INSERT INTO nowhere VALUES (1)`];
    assert.throws(() => openDatabase(path, { migrations: broken }), {
      name: "StorageOpenError",
      message: /nowhere/,
    });
    const database = openDatabase(path);
    assert.equal(schemaVersion(database), CURRENT);
    assert.equal(database.prepare("SELECT avail_e8 AS a FROM projects").get()!.a, 42);
    database.close();
  });
});

Deno.test("openDatabase() refuses a newer schema, names both versions, changes nothing", async () => {
  await withDatabasePath(async (path, folder) => {
    await writeDatabase(path);
    openDatabase(path, { migrations: NEXT }).close();
    Deno.removeSync(`${path}.backup-v${CURRENT}`);
    const before = Deno.readFileSync(path);
    assert.throws(() => openDatabase(path), {
      name: "StorageOpenError",
      message: new RegExp(
        `^[^\\n]*schema version ${CURRENT + 1} [^\\n]*up to ${CURRENT}\\.[^\\n]*newer tollgate`,
      ),
    });
    assert.deepEqual(Deno.readFileSync(path), before);
    assert.equal(files(folder).some((name) => name.includes("backup")), false);
  });
});

Deno.test("what a provider's kind alone has is put together under the file's keys", async () => {
  const common = {
    kind: "openai_compatible",
    baseUrl: "http://h",
    apiKeys: [],
    headers: {},
    timeouts: { idleMs: 1 },
  };
  const stored = [
    { id: "both", ...common, videoForm: "json", outputLimitField: "max_tokens" },
    { id: "builtin", ...common, kind: "builtin" },
    { id: "one", ...common, videoForm: "multipart" },
  ];
  await withDatabasePath(async (path) => {
    const older = openDatabase(path, { migrations: MIGRATIONS.slice(0, 17) });
    const insert = older.prepare("INSERT INTO providers (id, position, document) VALUES (?, ?, ?)");
    stored.forEach((one, position) => insert.run(one.id, position, JSON.stringify(one)));
    older.exec("INSERT INTO meta VALUES ('currency', 'USD')");
    older.close();
    const storage = createSqliteStorage(path);
    assert.deepEqual((await storage.catalogue.load())?.providers, [
      { id: "both", ...common, own: { video_form: "json", output_limit_field: "max_tokens" } },
      { id: "builtin", ...common, kind: "builtin" },
      { id: "one", ...common, own: { video_form: "multipart" } },
    ]);
    await storage.close();
  });
});
