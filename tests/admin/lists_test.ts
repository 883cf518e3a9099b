/**
 * Every list of administration has one shape and a cursor.
 *
 * @module
 */

import { makeBatch, makeFile, makeJob } from "./changing_inputs.ts";
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { MadeBackups } from "../../src/app/backups/made_backups.ts";
import * as z from "zod";
import type { AdminDeps } from "../../src/admin/base/deps.ts";
import type { Operation } from "../../src/admin/base/operation.ts";
import { createToken } from "../../src/admin/accounts/tokens.ts";
import { OPERATIONS } from "../../src/admin/operations.ts";
import { type Page, pageAnswer } from "../../src/admin/base/page.ts";
import { createKey, deleteKey } from "../../src/admin/accounts/keys.ts";
import { createProject } from "../../src/admin/accounts/projects.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import type { RequestIds } from "../../src/domain/ids.ts";
import {
  createEntry,
  numberedId,
  sampleMessage,
  sampleTask,
} from "../conformance/storage_video_samples.ts";
import { CATALOGUE, openTestAdmin, type TestAdmin } from "./test_admin.ts";

type Row = Readonly<Record<string, unknown>>;

/** Things to find: what answers a list is told by its name. */
const LISTS = OPERATIONS.filter(({ name }) => name.endsWith(".list"));

const anyPage = pageAnswer(z.record(z.string(), z.unknown()));

async function pageFrom(
  deps: AdminDeps,
  operation: Operation,
  input: object,
): Promise<Page<Row>> {
  const answer = await runOperation(operation, { deps, input });
  assert.deepEqual(anyPage.parse(answer), answer);
  return anyPage.parse(answer);
}

/** At least two of everything that there is a list of. */
async function openFullAdmin(): Promise<TestAdmin> {
  const admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps, clock, storage } = admin;
  for (const project of ["free", "paying", "free"]) {
    await runOperation(createKey, { deps, input: { project } });
  }
  clock.advance(1);
  await runOperation(createKey, { deps, input: { project: "free" } });
  await runOperation(createProject, { deps, input: { id: "another" } });
  const results = await storage.commitBatch(
    [1, 2, 3].flatMap((number) => {
      const identity = (deps.requestIds as RequestIds).next();
      const task = sampleTask({ ...identity, projectId: "free" });
      const { id: videoId, projectId } = task;
      const webhook = sampleMessage({ id: numberedId("evt_", number), projectId, videoId });
      const changed = { ...task, revision: task.revision + 1 };
      return [
        createEntry(task, { heldE8: 0n }),
        { kind: "change_video", task: changed, webhook },
      ];
    }),
  );
  assert.deepEqual(results.filter(({ ok }) => !ok), []);
  for (let batch = 0; batch < 3; batch++) await makeBatch(admin);
  for (const name of ["anna", "ben", "eve"]) {
    await runOperation(createToken, { deps, input: { name, role: "viewer" } });
  }
  await makeScheduledBackups(admin);
  for (const letter of ["a", "b", "c"]) await makeFile(admin, { letter });
  for (const name of ["one", "two", "three"]) await makeJob(admin, name);
  return admin;
}

/** As a server leaves them that makes them by itself. */
async function makeScheduledBackups({ path, clock }: TestAdmin): Promise<void> {
  const folder = dirname(path);
  const backups = [1, 2, 3].map((at) => ({
    ...{ file: `${folder}/backup-${at}.db`, at: clock.now() + at, bytes: 3 },
    ...{ sha256: "00", isGood: true },
  }));
  for (const { file } of backups) await Deno.writeTextFile(file, "abc");
  await new MadeBackups(folder).write({ backups, gone: {} });
}

/** A database's server as those see it who have these sessions there. */
function serverOf(sessions: readonly number[]): NonNullable<AdminDeps["databaseServer"]> {
  return {
    own: sessions[0]!,
    facts: () => Promise.reject(new Error("Nobody asks for these")),
    nodes: () =>
      Promise.resolve(sessions.map((session) => ({
        session,
        node: `node_${session}`,
        label: `tollgate serve on machine ${session}`,
        slot: session,
        program: "0.1.0",
        begunAt: session,
        beat: undefined,
        leased: { projects: 0, leftE8: 0n, heldE8: 0n },
      }))),
  };
}

function idOf(row: Row): string {
  return String(row.id ?? row.number ?? row.request_id);
}

Deno.test("every list has the same shape, and pages that together are the whole", async () => {
  await using admin = await openFullAdmin();
  const deps = { ...admin.deps, databaseServer: serverOf([1, 2, 3]) };
  assert.equal(LISTS.length >= 7, true);
  for (const operation of LISTS) {
    const page = (input: object) => pageFrom(deps, operation, input);
    const whole = await page({ limit: "1000" });
    const { name } = operation;
    assert.deepEqual(Object.keys(whole), ["object", "data", "first_id", "last_id", "has_more"]);
    assert.equal(whole.object, "list");
    assert.equal(whole.has_more, false);
    assert.equal(whole.data.length >= 2, true, name);
    for (const limit of [1, 2]) {
      const rows: Row[] = [];
      let after: string | undefined;
      for (let hasMore = true; hasMore;) {
        const { data, first_id, last_id, has_more } = await page({
          limit,
          ...(after !== undefined && { after }),
        });
        assert.equal(data.length <= limit, true);
        assert.equal(first_id, idOf(data[0]!));
        assert.equal(last_id, idOf(data.at(-1)!));
        rows.push(...data);
        hasMore = has_more;
        after = last_id!;
      }
      assert.deepEqual(rows, whole.data, `${name} in pages of ${limit}`);
      assert.deepEqual(
        await page({ after }),
        { object: "list", data: [], first_id: null, last_id: null, has_more: false },
        name,
      );
    }
    for (
      const limit of [
        0,
        1001,
        1.5,
        "x",
        "",
        " 5",
        "5 ",
        "+5",
        "05",
        "5e0",
        "0x5",
        "5.0",
        true,
        null,
      ]
    ) {
      await assert.rejects(page({ limit }), { error: "invalid_value", param: "limit" }, name);
      if (typeof limit !== "string") continue;
      await assert.rejects(page({ limit }), /limit: Expected a whole number, in digits alone/);
    }
  }
});

Deno.test("no operation answers a bare array", async () => {
  await using admin = await openFullAdmin();
  for (const operation of OPERATIONS) {
    if (operation.method !== "GET" || operation.path.includes("{")) continue;
    const input = operation.name === "keys.find" ? { begins: "key_" } : {};
    const answer = await runOperation(operation, { deps: admin.deps, input });
    assert.equal(Array.isArray(answer), false, operation.name);
  }
});

Deno.test("a list that cannot go on behind what is gone says so", async () => {
  await using admin = await openFullAdmin();
  const { deps } = admin;
  const run = (name: string, input: object) =>
    pageFrom(deps, LISTS.find((operation) => operation.name === name)!, input);
  const [key] = (await run("keys.list", { project: "free" })).data;
  await runOperation(deleteKey, { deps, input: { key_id: idOf(key!) } });
  for (const { name } of LISTS) {
    for (const after of [idOf(key!), "4711000"]) {
      await assert.rejects(run(name, { after }), {
        error: "invalid_value",
        param: "after",
        message: /to go on behind: 'after' takes the last_id of the page before; if that is gone/,
      }, `${name} ${after}`);
    }
  }
  assert.equal((await run("keys.list", {})).data.length, 3);
  assert.equal((await run("keys.list", { project: "paying" })).data.length, 1);
});
