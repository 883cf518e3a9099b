/**
 * The program under a supervisor that speaks systemd's notify protocol.
 *
 * @module
 */

import assert from "node:assert/strict";
import { chunk, finishChunk, usageChunk } from "../../support/chat_bodies.ts";
import { startTollgate } from "../../support/executable.ts";
import { sseReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { HeldThread, needsHeldThread } from "../../support/held_thread.ts";
import { NotifyReceiver } from "../../support/notify_socket.ts";
import { pricedCatalogue, startStream } from "../../support/paying_gateway.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { until } from "../../support/until.ts";

/** Two signs of life in each of these. */
const WATCHDOG_MS = 400;

Deno.test("READY comes when a call is answered, and not while the start still waits", async () => {
  using supervisor = new NotifyReceiver();
  const folder = await Deno.makeTempDir({ prefix: "tollgate-ready-" });
  try {
    // A command has the data dir, and a server waits for it to end.
    await Deno.mkdir(`${folder}/data`, { mode: 0o700 });
    await Deno.writeTextFile(`${folder}/data/lock`, JSON.stringify({ pid: 1, kind: "cli" }));
    const lock = await Deno.open(`${folder}/data/lock`, { read: true, write: true });
    await lock.lock(true);
    const starting = startTollgate({
      dataDir: `${folder}/data`,
      expectKey: true,
      env: { NOTIFY_SOCKET: supervisor.path, TMPDIR: folder },
    });
    const first = await supervisor.heard("STATUS=Starting");
    assert.ok(Number(first.get("EXTEND_TIMEOUT_USEC")) >= 30_000_000);
    assert.equal(supervisor.count("READY=1"), 0);
    lock.close();
    const ready = await supervisor.heard("READY=1");
    const [, url] = /^Serving at (http:\/\/127\.0\.0\.1:\d+)\/v1; 0 calls and 0 films under way$/
      .exec(ready.get("STATUS") ?? "") ?? [];
    const answer = await fetch(`${url}/readyz`);
    assert.deepEqual([answer.status, (await answer.json()).status], [200, "ready"]);
    await using server = await starting;
    assert.equal(server.baseUrl, url);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["data"]);
    assert.equal((await server.stop()).code, 0);
    assert.equal(supervisor.count("READY=1"), 1);
    assert.equal(supervisor.count("WATCHDOG=1"), 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a server that cannot start never says READY", async () => {
  using supervisor = new NotifyReceiver();
  await using other = await startTollgate();
  await assert.rejects(startTollgate({
    dataDir: other.dataDir,
    env: { NOTIFY_SOCKET: supervisor.path },
  }));
  await supervisor.heard("STATUS=Starting");
  assert.equal(supervisor.count("READY=1"), 0);
});

Deno.test("STOPPING comes with SIGTERM, before the calls under way have ended", async () => {
  using supervisor = new NotifyReceiver();
  const gate = Promise.withResolvers<void>();
  await using upstream = await startFakeUpstream(sseReply([
    chunk({ role: "assistant", content: "Hi" }),
    gate.promise,
    chunk({ content: " and bye" }),
    finishChunk(),
    usageChunk(10, 5),
    "[DONE]",
  ]));
  await using gateway = await serveGateway({
    catalogue: pricedCatalogue(upstream.url),
    args: ["--drain-timeout-ms", "20000"],
    env: { NOTIFY_SOCKET: supervisor.path },
  });
  const stream = await startStream(gateway, gateway.server.key);
  assert.equal(supervisor.count("STOPPING=1"), 0);
  const stopped = gateway.server.stop();
  const stopping = await supervisor.heard("STOPPING=1");
  assert.match(stopping.get("STATUS") ?? "", /^Stopping when 1 call under way has ended/);
  assert.equal(stopping.get("EXTEND_TIMEOUT_USEC"), "35000000");
  gate.resolve();
  assert.match(await stream.rest(), / and bye.*\[DONE\]/s);
  assert.equal((await stopped).code, 0);
  assert.equal(supervisor.messages.at(-1), stopping);
});

Deno.test("SIGHUP is a reload from RELOADING to READY, and says when the file was refused", async () => {
  using supervisor = new NotifyReceiver();
  const folder = await Deno.makeTempDir({ prefix: "tollgate-reload-" });
  try {
    const file = `${folder}/models.yaml`;
    const good = pricedCatalogue("http://127.0.0.1:9/v1");
    await Deno.writeTextFile(file, good);
    await using server = await startTollgate({
      args: ["--catalog", file],
      env: { NOTIFY_SOCKET: supervisor.path },
    });
    await supervisor.heard("READY=1");
    const refused = /; the catalogue file was refused, the log says why$/;
    for (const [text, remark] of [[good, false], ["models: 3", true], [good, false]] as const) {
      await Deno.writeTextFile(file, text);
      const before = supervisor.messages.length;
      server.process.kill("SIGHUP");
      const ready = await supervisor.heard("READY=1", before);
      const [reloading] = supervisor.messages.slice(before);
      assert.equal(reloading?.get("RELOADING"), "1");
      assert.equal(refused.test(ready.get("STATUS") ?? ""), remark);
      const health = await fetch(`${server.baseUrl}/readyz`);
      assert.equal(health.status, 200);
      await health.body?.cancel();
    }
    await server.stop();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

for (
  const { part, thread, answers } of [
    { part: "event loop", thread: "", answers: false },
    { part: "database", thread: "worker-", answers: true },
  ]
) {
  Deno.test(
    `the watchdog is fed until the ${part} hangs, and again afterwards`,
    needsHeldThread,
    async () => {
      using supervisor = new NotifyReceiver();
      await using server = await startTollgate({
        env: { NOTIFY_SOCKET: supervisor.path, WATCHDOG_USEC: String(WATCHDOG_MS * 1_000) },
      });
      await until("signs of life", () => supervisor.count("WATCHDOG=1") >= 3);
      const held = await HeldThread.hold(server.process.pid, thread);
      try {
        const before = supervisor.count("WATCHDOG=1");
        const since = performance.now();
        assert.equal(await answersWithin(server.baseUrl, WATCHDOG_MS), answers);
        await until("six times the watchdog's", () => performance.now() - since > 6 * WATCHDOG_MS);
        // One may have been on its way.
        assert.ok(supervisor.count("WATCHDOG=1") <= before + 1, "it was fed all the same");
      } finally {
        await held[Symbol.asyncDispose]();
      }
      const after = supervisor.count("WATCHDOG=1");
      await until("signs of life again", () => supervisor.count("WATCHDOG=1") > after + 1);
      assert.ok(await answersWithin(server.baseUrl, 30_000));
      assert.equal((await server.stop()).code, 0);
    },
  );
}

async function answersWithin(baseUrl: string, ms: number): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(ms) });
    await response.body?.cancel();
    return response.status === 200;
  } catch (error) {
    if (error instanceof DOMException && error.name === "TimeoutError") return false;
    throw error;
  }
}
