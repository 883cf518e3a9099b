/**
 * Uploaded files through their operations: listed, shown, deleted, and kept where a batch reads them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { listAudit } from "../../src/admin/operations.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { deleteFile, listFiles, showFile } from "../../src/admin/files.ts";
import { makeBatch, makeFile } from "./changing_inputs.ts";
import { CATALOGUE, openTestAdmin, type TestAdmin } from "./test_admin.ts";

const ids = async ({ deps }: TestAdmin, input: object) =>
  (await runOperation(listFiles, { deps, input })).data.map(({ id }) => id);

Deno.test("files of all projects are listed newest first, page after page", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const first = await makeFile(admin, { letter: "a" });
  const second = await makeFile(admin, { letter: "b", projectId: "paying" });
  const third = await makeFile(admin, { letter: "c" });
  assert.deepEqual(await ids(admin, {}), [third, second, first]);
  assert.deepEqual(await ids(admin, { limit: 1 }), [third]);
  assert.deepEqual(await ids(admin, { limit: 2, after: third }), [second, first]);
  assert.deepEqual(await ids(admin, { project: "free" }), [third, first]);
  assert.deepEqual(await ids(admin, { project: "free", after: third }), [first]);
  for (const after of ["none", `file-${"z".repeat(26)}`]) {
    await assert.rejects(ids(admin, { after }), { param: "after" });
  }
  // The cursor of a list is of that list.
  await assert.rejects(ids(admin, { project: "free", after: second }), { param: "after" });
  await assert.rejects(ids(admin, { project: "nobody" }), { error: "not_found" });
});

Deno.test("a file is shown with what it is for, where it lies and who reads it", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const file_id = await makeFile(admin, { letter: "a" });
  const shown = await runOperation(showFile, { deps, input: { file_id } });
  assert.deepEqual(shown, {
    id: file_id,
    project: "free",
    purpose: "batch",
    filename: "a.jsonl",
    bytes: 12,
    sha256: "0".repeat(64),
    created_at: "2026-01-01T00:00:00.000Z",
    expires_at: "2026-01-01T01:00:00.000Z",
    read_by: [],
    path: deps.uploads.placeOf((await deps.storage.uploads.find(file_id))!),
  });
  const batch = await makeBatch(admin);
  const read = await runOperation(showFile, { deps, input: { file_id } });
  assert.deepEqual(read.read_by, [batch]);
  for (const file_id of ["none", "../tollgate.db", `file-${"z".repeat(26)}`]) {
    await assert.rejects(runOperation(showFile, { deps, input: { file_id } }), {
      error: "not_found",
      message: /see `tollgate files list`/,
    });
  }
});

Deno.test("a file is deleted with its bytes and a note, unless a batch still reads it", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const file_id = await makeFile(admin, { letter: "a" });
  const path = deps.uploads.placeOf((await deps.storage.uploads.find(file_id))!);
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, "a line");
  const batch = await makeBatch(admin);
  const another = await makeBatch(admin);
  await assert.rejects(runOperation(deleteFile, { deps, input: { file_id } }), (error: Error) => {
    assert.equal((error as unknown as { error: string }).error, "conflict");
    assert.ok(error.message.includes(`tollgate batches cancel ${batch}`), error.message);
    assert.ok(error.message.includes("and 1 more"), error.message);
    return true;
  });
  assert.equal(await Deno.readTextFile(path), "a line");
  assert.deepEqual(await ids(admin, {}), [file_id]);
  for (const id of [batch, another]) {
    const { batch: open } = (await admin.batches.find(id))!;
    const ended = { ...open, status: "cancelled", endedAt: deps.clock.now() } as const;
    await admin.storage.commitBatch([{ kind: "finish_batch", batch: ended, files: [] }]);
  }
  const answer = await runOperation(deleteFile, { deps, input: { file_id } });
  assert.deepEqual(answer, { id: file_id, deleted: true });
  await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  assert.deepEqual(await ids(admin, {}), []);
  const { data: [row] } = await runOperation(listAudit, { deps, input: { limit: 1 } });
  assert.deepEqual([row!.operation, row!.subject], ["files.delete", `file:${file_id}`]);
  assert.equal((row!.before as { filename: string }).filename, "a.jsonl");
  await assert.rejects(runOperation(deleteFile, { deps, input: { file_id } }), {
    error: "not_found",
  });
});

Deno.test("a member sees and deletes the files of his project, and others' are not there", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const own = await makeFile(admin, { letter: "a", projectId: "paying" });
  const other = await makeFile(admin, { letter: "b", projectId: "free" });
  const origin = { ...deps.origin, rights: { role: "member", project: "paying" } as const };
  const { data } = await runOperation(listFiles, { deps, input: {}, origin });
  assert.deepEqual(data.map(({ id }) => id), [own]);
  for (const file_id of [other, `file-${"z".repeat(26)}`]) {
    const none = {
      error: "not_found",
      message: `There is no file '${file_id}': see \`tollgate files list\``,
    };
    const asked = { deps, input: { file_id }, origin };
    await assert.rejects(runOperation(showFile, asked), none);
    await assert.rejects(runOperation(deleteFile, asked), none);
  }
  await runOperation(deleteFile, { deps, input: { file_id: own }, origin });
  assert.deepEqual(await ids(admin, {}), [other]);
});
