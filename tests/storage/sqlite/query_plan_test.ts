import assert from "node:assert/strict";
import type { VideoStatus } from "../../../src/domain/video_task.ts";
import type { Entry } from "../../../src/storage/ports/entry.ts";
import { openDatabase } from "../../../src/storage/sqlite/database.ts";
import { prepareWaiting } from "../../../src/storage/sqlite/statements.ts";
import { createStores } from "../../../src/storage/sqlite/stores.ts";
import { sampleResponse } from "../../conformance/storage_responses_suite.ts";
import { NOON_ISH, sampleProject } from "../../conformance/storage_samples.ts";
import {
  claimedTask,
  createEntry,
  nextTask,
  releasedTaskCall,
  sampleAnswer,
  sampleMessage,
  sampleTask,
} from "../../conformance/storage_video_samples.ts";
import { listening, planOf } from "./query_plans.ts";
import { withDatabasePath } from "./temporary_database.ts";

const PROJECTS = 1_000;
const TASKS = 10_000;

/** Each reads an index of nothing but what it asks for. */
const ALLOWED = [
  // The bytes of all films that are kept, by project.
  /^SCAN video_tasks USING COVERING INDEX video_tasks_films: SELECT .* GROUP BY project_id$/,
  // What is put in comes from a body, and no body has many items.
  /^SCAN item VIRTUAL TABLE INDEX \d+:: INSERT OR IGNORE INTO stored_response_items/,
  // Archived calls whose films are kept: some of them, when calls are archived.
  /^SCAN kept_calls: DELETE FROM calls WHERE call_id IN \( SELECT .* LIMIT \?\)$/,
  // Answers in the background that have not ended, oldest first.
  /^SCAN stored_responses USING INDEX stored_responses_unfinished: .* LIMIT \?$/,
  // The sessions of those.
  /^SCAN stored_responses USING INDEX stored_responses_unfinished: SELECT session_id FROM /,
  // What a recursive question has found so far, which is bounded by its number of turns.
  /^SCAN turns: WITH RECURSIVE turns\(.* turns\.place < :most \)/,
];

interface Plan {
  readonly sql: string;
  /** What SQLite says it will do, a line each. */
  readonly plan: readonly string[];
}

/**
 * Whether a statement reads a table from end to end, sorts what it has read, or
 * walks over tasks of other projects and states to those it asks for.
 */
function readsTooMuch({ sql, plan }: Plan): boolean {
  const isOurs = /video_tasks|webhook_messages|webhook_secrets|stored_/.test(sql);
  if (!isOurs) return false;
  const text = sql.replaceAll(/\s+/g, " ");
  if (plan.some((line) => line.includes("TEMP B-TREE"))) return true;
  const scans = plan.filter((line) => line.startsWith("SCAN") && !line.startsWith("SCAN calls"));
  if (scans.some((line) => !ALLOWED.some((form) => form.test(`${line}: ${text}`)))) return true;
  const asked = / WHERE .*project_id = \?/.test(text)
    ? "project_id=?"
    : / WHERE .*status = \?/.test(text)
    ? "status=?"
    : "";
  const isOneRow = plan.length === 1 && plan[0]!.endsWith("(id=?)");
  return text.startsWith("SELECT") && !isOneRow && !plan.some((line) => line.includes(asked));
}

/** 10,000 queued tasks over 1,000 projects. */
function tasksOfManyProjects(): Entry[] {
  const projects = Array.from({ length: PROJECTS }, (_, index): Entry => ({
    kind: "create_project",
    project: sampleProject({ id: `p${index}` }),
  }));
  const tasks = Array.from({ length: TASKS }, (_, index) =>
    createEntry(
      sampleTask({ callId: index + 1, projectId: `p${index % PROJECTS}` }),
      { heldE8: 0n },
    ));
  return [...projects, ...tasks];
}

Deno.test("with 10,000 queued tasks of 1,000 projects no statement reads a whole table", async () => {
  await withDatabasePath((path) => {
    const database = openDatabase(path);
    const prepared = new Set<string>();
    const heard = listening(database, prepared);
    const stores = createStores(heard, path);
    prepareWaiting(heard);
    const results = stores.commitBatch(tasksOfManyProjects());
    assert.equal(results.every(({ ok }) => ok), true);
    // As an operator's shell may: the plans must not depend on what it has counted.
    for (const analysed of [false, true]) {
      if (analysed) database.exec("ANALYZE");
      for (const order of ["asc", "desc"] as const) {
        for (const projectId of [undefined, "p7"]) {
          for (const status of [undefined, "queued"] as (VideoStatus | undefined)[]) {
            const query = { projectId, status, order, limit: 5 };
            const found = stores.videos.list(query);
            assert.equal(found.length, 5);
            assert.equal(
              found.every((task) => task.projectId === (projectId ?? task.projectId)),
              true,
            );
          }
        }
      }
      const page = { state: undefined, after: undefined, limit: 5 };
      stores.webhooks.list({ ...page, projectId: undefined });
      stores.webhooks.list({ ...page, projectId: "p7", state: "waiting" });
      stores.webhooks.ofVideo("video_x");
      const plans = [...prepared].map((sql) => ({ sql, plan: planOf(database, sql) }));
      assert.deepEqual(plans.filter(readsTooMuch), []);
    }
    database.close();
  });
});

Deno.test("entries about one task of 10,000 read no other", async () => {
  await withDatabasePath((path) => {
    const database = openDatabase(path);
    const stores = createStores(database, path);
    stores.commitBatch(tasksOfManyProjects());
    const task = sampleTask({ callId: 5_000, projectId: `p${4_999 % PROJECTS}` });
    const claimed = claimedTask(task);
    const entries: Entry[] = [
      { kind: "change_video", task: claimed, webhook: sampleMessage() },
      { kind: "change_video", task: nextTask(claimed, { progress: 5 }) },
      {
        kind: "delete_video",
        taskId: task.id,
        revision: 3,
        close: releasedTaskCall(task, { heldE8: 0n }),
      },
      { kind: "store_answer", record: sampleAnswer() },
      { kind: "forget", answersExpiredAt: NOON_ISH, messagesDoneBefore: NOON_ISH },
    ];
    assert.deepEqual(stores.commitBatch(entries).map(({ ok }) => ok), entries.map(() => true));
    assert.equal(stores.videos.open(0, 2 * TASKS).length, TASKS - 1);
    assert.deepEqual(stores.calls.abandonedCalls(0, 10), []);
    database.close();
  });
});

Deno.test("entries about one answer of 10,000 read no other", async () => {
  await withDatabasePath((path) => {
    const database = openDatabase(path);
    const prepared = new Set<string>();
    const heard = listening(database, prepared);
    const stores = createStores(heard, path);
    prepareWaiting(heard);
    const kept = (callId: number): Entry => ({
      kind: "put_response",
      response: sampleResponse({
        callId,
        projectId: `p${callId % PROJECTS}`,
        body: JSON.stringify({ output: [{ id: `msg_${callId}` }, { id: "msg" }] }),
      }),
    });
    stores.commitBatch(Array.from({ length: TASKS }, (_, index) => kept(index + 1)));
    const plans = [...prepared].filter((sql) => sql.includes("stored_response"))
      .map((sql) => ({ sql, plan: planOf(database, sql) }));
    assert.equal(plans.length >= 8, true);
    assert.deepEqual(plans.filter(readsTooMuch), []);
    // Deleting follows the reference of the items.
    const byCall = planOf(database, "DELETE FROM stored_response_items WHERE call_id = ?");
    assert.match(byCall.join(), /USING (?:COVERING )?INDEX stored_response_items_call/);
    assert.deepEqual(
      stores.responses.owners({ projectId: "p7", itemIds: ["msg_1007", "msg", "msg_1"] }),
      ["resp_1007", "resp_9007", undefined],
    );
    stores.commitBatch([
      { kind: "delete_response", responseId: "resp_9007", projectId: "p7" },
      { kind: "forget", answersExpiredAt: NOON_ISH, messagesDoneBefore: NOON_ISH },
    ]);
    assert.deepEqual(stores.responses.owners({ projectId: "p7", itemIds: ["msg"] }), [
      "resp_8007",
    ]);
    database.close();
  });
});
