/**
 * Commands on video tasks and webhook secrets, in process and through a server.
 *
 * @module
 */

import assert from "node:assert/strict";
import { NO_WORK } from "../../src/domain/work.ts";
import { openTestAdmin } from "../admin/test_admin.ts";
import { sampleTask, taskCall } from "../conformance/storage_video_samples.ts";
import { startTestGateway } from "../support/gateway.ts";
import { type CommandRun, runCommand, withDataDir } from "./run_in_process.ts";

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: video-2
    kind: video
    routes:
      - id: builtin/video-2
        provider: builtin
        sale: { second: { "1280x720": "0.02" } }
        video: { sizes: [1280x720], seconds: [4, 8] }
projects:
  - { id: shop, unlimited: true }
  - { id: other, unlimited: true }
`;

const PROMPT = `A kite 🪁 over\n the harbour \u001b[2J, ${"and on ".repeat(30)}`;

/** A data dir with a failed task of `other` and two finished ones of `shop`; their ids, oldest first. */
async function makeTasks(dataDir: string): Promise<readonly string[]> {
  await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
  await using admin = await openTestAdmin({
    catalogue: CATALOGUE,
    path: `${dataDir}/tollgate.db`,
  });
  await admin.files.prepare();
  const ids: string[] = [];
  for (const callId of [1, 2, 3]) {
    const projectId = callId === 1 ? "other" : "shop";
    const task = sampleTask({
      callId,
      projectId,
      requestId: `req_aaaaaaaaaaaa${callId}`,
      prompt: PROMPT,
    });
    const priceVersion = admin.deps.catalogue.current.route("builtin/video-2")!.prices.version;
    const call = taskCall(task, { heldE8: 0n, unlimited: true, priceVersion });
    assert.ok(await admin.book.create(task, { call, idempotency: undefined }));
    const isFailed = callId === 1;
    const priced = isFailed ? { costE8: 0n, saleE8: 0n } : { costE8: 0n, saleE8: 8_000_000n };
    await admin.book.change(task.id, () => ({
      set: { status: "in_progress", attempt: 1, startedAt: task.createdAt + 1 },
    }));
    if (!isFailed) await Deno.writeTextFile(admin.files.contentPath(task.id), "film");
    await admin.book.change(task.id, () => ({
      set: isFailed ? { status: "failed", error: { code: "video_failed", message: "it broke" } } : {
        status: "completed",
        progress: 100,
        completedAt: task.createdAt + 2,
        file: { bytes: 4, sha256: "b".repeat(64), hasThumbnail: false, key: undefined },
        ...priced,
      },
      close: {
        result: isFailed ? "upstream_failed" : "completed",
        billable: !isFailed,
        work: NO_WORK,
        usageSource: isFailed ? "none" : "reported",
        firstByteMs: undefined,
        attempts: 1,
        errorCode: isFailed ? "video_failed" : undefined,
        ...priced,
      },
    }));
    ids.push(task.id);
  }
  return ids;
}

async function administer(
  ids: readonly string[],
  { dataDir, run }: { dataDir: string; run: (...args: string[]) => Promise<CommandRun> },
): Promise<void> {
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, "--json");
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => ids.indexOf(id) + 1);
  assert.deepEqual(idsOf(await json("videos", "list")), [3, 2, 1]);
  assert.deepEqual(idsOf(await json("videos", "list", "--project", "shop")), [3, 2]);
  assert.deepEqual(idsOf(await json("videos", "list", "--status", "failed")), [1]);
  assert.deepEqual(idsOf(await json("videos", "list", "--limit", "1", "--after", ids[2]!)), [2]);
  const bad = await run("videos", "list", "--status", "done");
  assert.equal(bad.code, 2);

  const table = (await run("videos", "list")).stdout;
  assert.match(table, new RegExp(`^${ids[1]}  shop +video-2  completed  1280x720 +4  `, "m"));
  assert.match(table, /A kite 🪁 over the harbour .*…$/m);
  assert.equal(table.split("\n").length, 5);
  assert.ok(!table.includes("\u001b"));
  assert.equal((await json("videos", "show", ids[1]!)).prompt, PROMPT);
  const shown = (await run("videos", "show", ids[1]!)).stdout;
  assert.match(shown, new RegExp(`^file +${dataDir}/videos/${ids[1]}\\.mp4$`, "m"));
  assert.match(shown, /^sale +0\.08000000 USD$/m);
  assert.match(shown, /^expires +never$/m);
  const failed = (await run("videos", "show", ids[0]!)).stdout;
  assert.match(failed, /^error +video_failed: it broke$/m);
  assert.doesNotMatch(failed, /^(file|sha256|completed|expires) /m);
  assert.match((await run("calls", "show", "req_aaaaaaaaaaaa2")).stdout, /^film +1280x720, 4 s$/m);
  assert.deepEqual((await json("ledger", "verify")).differences, []);

  assert.deepEqual(await json("videos", "delete", ids[1]!), { id: ids[1], deleted: true });
  await assert.rejects(Deno.stat(`${dataDir}/videos/${ids[1]}.mp4`), Deno.errors.NotFound);
  const again = await run("videos", "delete", ids[1]!);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /There is no video task .*: see `tollgate videos list`/);

  const film = await run("routes", "explain", "video-2", "--size", "1280x720", "--seconds", "8");
  assert.match(film.stdout, /^A film of 1280x720, 8 s\n\n# +ROUTE/);
  assert.match(film.stdout, /builtin\/video-2 +builtin +0\.16000000/);
  const none = await run("routes", "explain", "video-2", "--size", "1x1");
  assert.match(none.stdout, /size_not_offered +offers 1280x720/);

  const first = await json("projects", "webhook-secret", "shop");
  assert.match(first.secret, /^whsec_/);
  const second = await run("projects", "webhook-secret", "shop");
  assert.match(second.stdout, /^secret +whsec_[A-Za-z0-9+/]{43}=$/m);
  assert.ok(!second.stdout.includes(first.secret));
  assert.match(second.stderr, /shown this once: keep it now/);
  assert.match(second.stderr, /The one before signs too until \d{4}-/);
  assert.equal((await run("projects", "webhook-secret", "nobody")).code, 1);

  const limited = await json("projects", "set", "shop", "--open-video-tasks", "3");
  assert.deepEqual(limited.limits, { open_video_tasks: 3 });
  assert.match(
    (await run("projects", "list")).stdout,
    /^shop .* 3 open videos +- +0 B of 256 MiB +-$/m,
  );
  await json("projects", "set", "shop", "--open-video-tasks", "none");
}

Deno.test("video commands work in process when no server runs", async () => {
  await withDataDir(async (dataDir) => {
    const ids = await makeTasks(dataDir);
    await administer(ids, {
      dataDir,
      run: (...args) => runCommand([...args, "--data-dir", dataDir]),
    });
  });
});

Deno.test("video commands work through the server that has the data dir", async () => {
  await withDataDir(async (dataDir) => {
    const ids = await makeTasks(dataDir);
    await using _gateway = await startTestGateway({ dataDir });
    await administer(ids, {
      dataDir,
      run: (...args) => runCommand([...args, "--data-dir", dataDir]),
    });
  });
});
