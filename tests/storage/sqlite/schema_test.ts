import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import type { Storage } from "../../../src/storage/ports/storage.ts";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import { sampleResponse } from "../../conformance/storage_responses_suite.ts";
import {
  fundProject,
  NOON_ISH,
  sampleCatalogue,
  sampleClosedCall,
  sampleKey,
  sampleOpenCall,
} from "../../conformance/storage_samples.ts";
import {
  claimedTask,
  closedTaskCall,
  completedTask,
  createEntry,
  failedTask,
  numberedId,
  sampleAnswer,
  sampleMessage,
  sampleTask,
} from "../../conformance/storage_video_samples.ts";
import { withDatabasePath, withRawDatabase } from "./temporary_database.ts";

/**
 * One row or more of every table: call 1 is open, call 2 settled; task 3 is queued,
 * task 4 at work, task 5 completed, task 6 failed.
 */
async function fill(storage: Storage): Promise<void> {
  await fundProject(storage, 1_000n);
  const results = await storage.commitBatch([
    { kind: "create_key", key: sampleKey() },
    { kind: "write_catalogue", catalogue: sampleCatalogue(), at: NOON_ISH },
    { kind: "hold", call: sampleOpenCall() },
    {
      kind: "close",
      call: sampleClosedCall({ callId: 2, lossE8: 3n, errorCode: "upstream_error" }),
    },
    { kind: "credit", projectId: "acme", amountE8: 5n, reference: "inv", at: NOON_ISH },
    ...[3, 4, 5, 6].map((callId) => createEntry(sampleTask({ callId }))),
    { kind: "change_video", task: RUNNING },
    { kind: "change_video", task: claimedTask(sampleTask({ callId: 5 })) },
    {
      kind: "change_video",
      task: completedTask(claimedTask(sampleTask({ callId: 5 }))),
      close: closedTaskCall(sampleTask({ callId: 5 })),
      webhook: sampleMessage(),
    },
    { kind: "change_video", task: failedTask(sampleTask({ callId: 6 })) },
    {
      kind: "put_webhook_secret",
      secret: { projectId: "acme", secret: "whsec_b25l", createdAt: 1, previous: undefined },
    },
    { kind: "store_answer", record: sampleAnswer() },
    {
      kind: "put_response",
      response: sampleResponse({ body: `{"output":[{"id":"msg_1"}]}`, previousId: "resp_0" }),
    },
  ]);
  assert.equal(results.every((result) => result.ok), true);
}

const RUNNING = claimedTask(sampleTask({ callId: 4 }), {
  progress: 50,
  job: { id: "job_1", keyReference: "env:KEY", startedAt: NOON_ISH },
});

async function withFilledDatabase(
  run: (database: DatabaseSync, path: string) => Promise<void> | void,
): Promise<void> {
  await withDatabasePath(async (path) => {
    const storage = createSqliteStorage(path);
    await fill(storage);
    await storage.writeSums();
    await storage.close();
    await withRawDatabase(path, (database) => run(database, path));
  });
}

/** Statements that no state of the books allows. */
const IMPOSSIBLE = [
  "UPDATE projects SET avail_e8 = -1",
  "UPDATE projects SET held_e8 = -1",
  "UPDATE projects SET avail_e8 = 999999999999999999, held_e8 = 1",
  "UPDATE projects SET unlimited = 2",
  "UPDATE projects SET models = 'all'",
  "UPDATE projects SET limits = '[]'",
  "UPDATE projects SET avail_e8 = 'much'",
  "UPDATE projects SET avail_e8 = 0.5",
  "UPDATE projects SET id = ''",
  "UPDATE keys SET hash = 'short'",
  "UPDATE keys SET disabled = 2",
  "UPDATE keys SET models = '{}'",
  "UPDATE routes SET enabled = 2",
  "UPDATE routes SET document = '{'",
  "UPDATE calls SET state = 'paid' WHERE call_id = 2",
  "UPDATE calls SET state = 'settled' WHERE call_id = 1",
  "UPDATE calls SET state = 'open' WHERE call_id = 2",
  "UPDATE calls SET state = 'released' WHERE call_id = 2",
  "UPDATE calls SET closed_at = NULL WHERE call_id = 2",
  "UPDATE calls SET result = NULL WHERE call_id = 2",
  "UPDATE calls SET usage_source = NULL WHERE call_id = 2",
  "UPDATE calls SET charged_e8 = held_e8 + 1 WHERE call_id = 2",
  "UPDATE calls SET charged_e8 = 1 WHERE call_id = 1",
  "UPDATE calls SET cost_e8 = 1 WHERE call_id = 1",
  "UPDATE calls SET unlimited = 1 WHERE call_id = 2",
  "UPDATE calls SET unlimited = 1 WHERE call_id = 1",
  "UPDATE calls SET held_e8 = -1 WHERE call_id = 1",
  "UPDATE calls SET charged_e8 = -1 WHERE call_id = 2",
  "UPDATE calls SET loss_e8 = -1 WHERE call_id = 2",
  "UPDATE calls SET cost_e8 = -1 WHERE call_id = 2",
  "UPDATE calls SET sale_e8 = -1 WHERE call_id = 2",
  "UPDATE calls SET prompt_tokens = -1 WHERE call_id = 2",
  "UPDATE calls SET attempts = -1 WHERE call_id = 2",
  "UPDATE calls SET images = 1.5 WHERE call_id = 2",
  "UPDATE calls SET call_id = 0 WHERE call_id = 1",
  "UPDATE usage_hourly SET calls = 0",
  "UPDATE usage_hourly SET charged_e8 = -1",
  "INSERT INTO ledger VALUES (9, 'acme', 'gift', 1, 1, NULL, NULL, 1, 0)",
  "INSERT INTO ledger VALUES (9, 'acme', 'credit', -1, 1, NULL, NULL, 1, 0)",
  "INSERT INTO ledger VALUES (9, 'acme', 'credit', 1, -1, NULL, NULL, 1, 0)",
  "INSERT INTO ledger VALUES (9, 'acme', 'credit', 1, 1, 2, NULL, 1, 0)",
  "INSERT INTO ledger VALUES (9, 'acme', 'settle', 1, 1, NULL, NULL, 1, 0)",
  "INSERT INTO ledger VALUES (9, 'acme', 'settle', 1, 1, 2, 'inv-2', 1, 0)",
  "INSERT INTO ledger VALUES (9, 'acme', 'release', 1, 1, 2, NULL, 1, 0)",
  "INSERT INTO ledger VALUES (9, 'acme', 'loss', 0, 1, 2, NULL, 1, 0)",
  "INSERT INTO ledger VALUES (0, 'acme', 'credit', 1, 1, NULL, NULL, 1, 0)",
  "INSERT INTO price_versions VALUES (0, 'r', 'USD', NULL, NULL, 1, 0)",
  "INSERT INTO price_versions VALUES (9, 'r', 'USD', '{', NULL, 1, 0)",
  "UPDATE calls SET video_seconds = NULL WHERE call_id = 3",
  "UPDATE calls SET video_size = NULL WHERE call_id = 3",
  "UPDATE calls SET video_seconds = 0 WHERE call_id = 3",
  ...impossibleChanges({
    queued: [
      "status = 'done'",
      "progress = -1",
      "progress = 101",
      "progress = 0.5",
      "attempt = -1",
      "not_before = -1",
      "seconds = 0",
      "prompt = 'a' || char(0)",
      "wishes = '[]'",
      "fields = '{'",
      "model = ''",
      "is_id_used = 2",
      "completed_at = 1",
      `file_bytes = 1, file_sha256 = '${"a".repeat(64)}', file_has_thumbnail = 0`,
      "file_removed_at = 1",
      "error_code = 'a', error_message = 'b'",
      "lease_boot_id = 'b'",
      "lease_until = 1",
      "job_id = 'j'",
      "job_key_reference = 'env:KEY'",
      "cost_e8 = -1",
      "sale_e8 = 1000000000000000000",
      "status = 'failed'",
    ],
    in_progress: [
      "status = 'completed'",
      "status = 'completed', completed_at = 1, lease_boot_id = NULL, lease_until = NULL",
      "status = 'failed', error_code = 'a', error_message = 'b'",
      "job_started_at = NULL",
    ],
    completed: [
      "completed_at = NULL",
      "file_bytes = 0",
      "file_bytes = NULL",
      "file_sha256 = NULL",
      "file_sha256 = 'short'",
      "file_has_thumbnail = NULL",
      "lease_boot_id = 'b', lease_until = 1",
    ],
    failed: ["error_code = NULL", "error_message = NULL", "file_removed_at = 1"],
  }),
  "UPDATE webhook_messages SET id = 'evt_1'",
  "UPDATE webhook_messages SET state = 'lost'",
  "UPDATE webhook_messages SET tries = -1",
  "UPDATE webhook_messages SET url = ''",
  "UPDATE webhook_secrets SET secret = ''",
  "UPDATE webhook_secrets SET previous_secret = 'x'",
  "UPDATE webhook_secrets SET previous_until = 1",
  "UPDATE stored_answers SET status = 100",
  "UPDATE stored_answers SET key = ''",
  "UPDATE stored_answers SET request_id = ''",
  "UPDATE stored_answers SET stream_route = 'remote/m'",
  "UPDATE stored_responses SET call_id = 0",
  "UPDATE stored_responses SET id = ''",
  "UPDATE stored_responses SET project_id = 'a' || char(0)",
  "UPDATE stored_responses SET status = 'done'",
  "UPDATE stored_responses SET status = 'queued'",
  "UPDATE stored_responses SET status = 'in_progress'",
  "UPDATE stored_responses SET is_background = 2",
  "UPDATE stored_responses SET previous_id = ''",
  "UPDATE stored_responses SET input = '['",
  "UPDATE stored_responses SET body = ''",
  "UPDATE stored_responses SET expires_at = -1",
  "UPDATE stored_response_items SET item_id = ''",
];

/** Statements that change one task each, as its writer would, to what no task can be. */
function impossibleChanges(
  changes: { readonly [status: string]: readonly string[] },
): string[] {
  return Object.entries(changes).flatMap(([status, assignments]) =>
    assignments.map((assignment) =>
      `UPDATE video_tasks SET revision = revision + 1, ${assignment} WHERE status = '${status}'`
    )
  );
}

/** Ids that no generator makes. */
const STRANGE_IDS = [
  "",
  "video_",
  numberedId("video_", 1).slice(1),
  `${numberedId("video_", 1)}a`,
  numberedId("video_", 1).toUpperCase(),
  numberedId("video_", 1).replace("z", "1"),
  numberedId("video_", 1).replace("z", "\0"),
  `${numberedId("video_", 1)}\0`,
  `evt_${"a".repeat(28)}`,
];

Deno.test("the schema refuses ids of another form", async () => {
  await withFilledDatabase((database) => {
    database.exec("DROP TRIGGER video_tasks_go_forward");
    const rename = database.prepare("UPDATE video_tasks SET id = ? WHERE status = 'queued'");
    for (const id of STRANGE_IDS) {
      assert.throws(() => rename.run(id), /CHECK constraint failed/, JSON.stringify(id));
    }
    assert.equal(rename.run(numberedId("video_", 77)).changes, 1);
  });
});

/** Changes of task 4, at work with 50 %, that only a task's writer could get wrong. */
const BACKWARD = [
  "progress = 60",
  "progress = 60, revision = revision",
  "progress = 60, revision = revision - 1",
  "progress = 60, revision = revision + 2",
  "progress = 49, revision = revision + 1",
  "attempt = 0, revision = revision + 1",
  "status = 'queued', revision = revision + 1",
  "call_id = 1, revision = revision + 1",
  "project_id = 'other', revision = revision + 1",
];

Deno.test("a stored video task never goes back", async () => {
  await withFilledDatabase((database) => {
    database.exec("PRAGMA foreign_keys = OFF");
    for (const assignment of BACKWARD) {
      assert.throws(
        () => database.exec(`UPDATE video_tasks SET ${assignment} WHERE call_id = 4`),
        /a video task never goes back/,
        assignment,
      );
    }
    for (const ended of ["completed", "failed"]) {
      const reopened = `UPDATE video_tasks SET revision = revision + 1, status = 'in_progress',
        completed_at = NULL, file_bytes = NULL, file_sha256 = NULL, file_has_thumbnail = NULL,
        error_code = NULL, error_message = NULL WHERE status = '${ended}'`;
      assert.throws(() => database.exec(reopened), /a video task never goes back/);
    }
    database.exec(
      "UPDATE video_tasks SET progress = 60, revision = revision + 1 WHERE call_id = 4",
    );
  });
});

Deno.test("a video task has a call and a project, and a listed item an answer", async () => {
  await withFilledDatabase((database) => {
    for (
      const sql of [
        "DELETE FROM projects",
        "INSERT INTO webhook_secrets VALUES ('nobody', 'whsec_x', 1, NULL, NULL)",
        "UPDATE stored_response_items SET call_id = 99",
      ]
    ) assert.throws(() => database.exec(sql), /FOREIGN KEY constraint failed/, sql);
  });
});

Deno.test("the schema's checks refuse every impossible state", async () => {
  await withFilledDatabase((database) => {
    // The checks alone: it would refuse some of the same.
    database.exec("DROP TRIGGER video_tasks_go_forward");
    for (const sql of IMPOSSIBLE) {
      assert.throws(
        () => database.exec(sql),
        /CHECK constraint failed|cannot store (TEXT|REAL) value/,
        sql,
      );
    }
    assert.throws(
      () =>
        database.exec("INSERT INTO ledger VALUES (9, 'acme', 'credit', 1, 1, NULL, 'inv', 1, 0)"),
      /UNIQUE constraint failed: ledger.project_id, ledger.reference/,
    );
  });
});

Deno.test("the ledger and price versions are append-only", async () => {
  await withFilledDatabase((database) => {
    for (
      const sql of [
        "UPDATE ledger SET amount_e8 = 1",
        "DELETE FROM ledger",
        "UPDATE price_versions SET sale = NULL",
        "DELETE FROM price_versions",
      ]
    ) assert.throws(() => database.exec(sql), /append-only/, sql);
    assert.throws(() => database.exec("DELETE FROM calls WHERE call_id = 1"), /calls stay/);
    assert.equal(database.prepare("SELECT count(*) AS n FROM ledger").get()!.n, 5);
  });
});

const KEYS = { calls: "call_id", ledger: "seq", price_versions: "version" } as const;

Deno.test("alteredRows() notices a change by one unit of every column", async () => {
  await withFilledDatabase(async (database, path) => {
    const storage = createSqliteStorage(path);
    // Without the guards: what a hand with a database shell could do.
    database.exec("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF");
    for (
      const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        .all()
    ) {
      database.exec(`DROP TRIGGER ${name}`);
    }
    const altered = async (table: keyof typeof KEYS) =>
      (await storage.ledger.alteredRows(table, 0, 100)).altered;
    for (const [table, key] of Object.entries(KEYS) as [keyof typeof KEYS, string][]) {
      assert.deepEqual(await altered(table), []);
      const rows = database.prepare(`SELECT ${key} AS id FROM ${table}`).all();
      const columns = database.prepare(`PRAGMA table_info(${table})`).all();
      assert.equal(columns.length >= 7 && rows.length >= 1, true);
      for (const { id } of rows) {
        for (const { name, type } of columns) {
          // Whose an open call is says nothing about money.
          if (name === "session_id") continue;
          const set = (value: string, row: number) =>
            database.prepare(`UPDATE ${table} SET ${name} = ${value} WHERE ${key} = ?`).run(row);
          const kept = database.prepare(`SELECT quote(${name}) AS v FROM ${table} WHERE ${key} = ?`)
            .get(id!)!.v as string;
          const shown = name === key ? Number(id) + 100 : Number(id);
          if (name === key) set(`${name} + 100`, Number(id));
          else if (type === "TEXT") set(`coalesce(${name}, '') || 'x'`, shown);
          else set(`coalesce(${name}, 0) + 1`, shown);
          assert.deepEqual(await altered(table), [{ table, id: `${shown}` }], `${table}.${name}`);
          set(kept, shown);
          assert.deepEqual(await altered(table), [], `${table}.${name} restored`);
        }
      }
    }
    await storage.close();
  });
});

/** Capabilities, kinds and their like grow: the code has them in one table each. */
const OPEN: readonly string[] = [
  "UPDATE models SET kind = 'image'",
  "UPDATE calls SET result = 'won' WHERE call_id = 2",
  "UPDATE calls SET usage_source = 'guessed' WHERE call_id = 2",
  "UPDATE calls SET video_size = 'a', video_seconds = 1 WHERE call_id = 1",
  "UPDATE calls SET capability = 'telepathy'",
  "UPDATE webhook_messages SET event = 'video.queued'",
];

Deno.test("the schema lists no vocabulary that grows, and is whole without", async () => {
  await withFilledDatabase((database) => {
    for (const statement of OPEN) {
      assert.ok(database.prepare(statement).run().changes > 0, statement);
    }
    assert.equal(database.prepare("PRAGMA integrity_check").get()!.integrity_check, "ok");
  });
});
