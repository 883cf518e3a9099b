/**
 * @module
 */

import assert from "node:assert/strict";
import { Worker } from "node:worker_threads";
import { startJob } from "../../../src/app/jobs/jobs.ts";
import type { JobReply, JobStart } from "../../../src/app/jobs/worker_protocol.ts";
import { withDatabasePath } from "../../storage/sqlite/temporary_database.ts";

Deno.test("the backups' Worker stays after its reply until it is ended", async () => {
  await withDatabasePath(async (path) => {
    await Deno.writeTextFile(path, "junk");
    const job = { kind: "check", database: path } as const;
    const start: JobStart = { job, stop: new Int32Array(new SharedArrayBuffer(4)) };
    const entry = new URL("../../../src/app/worker.ts", import.meta.url);
    const worker = new Worker(entry, { workerData: start });
    let hasEnded = false;
    worker.on("exit", () => hasEnded = true);
    const reply = await new Promise<JobReply>((resolve) => worker.on("message", resolve));
    assert.ok("error" in reply);
    // A second one that starts, works and is ended takes longer than the end of one that is done.
    await assert.rejects(startJob(job).done, { name: reply.error.name });
    assert.equal(hasEnded, false);
    await worker.terminate();
  });
});

Deno.test("stop() does not wait for what SQLite does in one go", async () => {
  await withDatabasePath(async (path) => {
    // Opening it lasts until somebody writes.
    const { success } = await new Deno.Command("mkfifo", { args: [path] }).output();
    assert.ok(success);
    const job = startJob({ kind: "check", database: path });
    const failed = assert.rejects(job.done, /The gateway is stopping/);
    await job.stop();
    await failed;
    using writer = await Deno.open(path, { read: true, write: true });
    assert.ok(writer);
  });
});
