/**
 * The video queue paused by the operator: in force over `kill -9`, and told of everywhere.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as seven from "openai7";
import { runTollgate } from "../../support/executable.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { clientOf, create, untilEnded } from "./scene.ts";

const ORDER = { model: "video-2", size: "640x360", seconds: "1" };
const REASON = "new driver until noon";

Deno.test("a paused queue takes films, makes none over kill -9, and makes them when it is resumed", async () => {
  await using gateway = await serveGateway();
  const { dataDir, key } = gateway.server;
  const client = clientOf(seven, { url: gateway.url, key });
  const before = await create(client, { ...ORDER, prompt: "before" });
  assert.equal((await untilEnded(client, before.id)).status, "completed");
  const paused = await gateway.cli("videos", "pause", "--reason", REASON);
  assert.deepEqual(
    paused.pauses.map(({ part, id, reason }: Record<string, unknown>) => ({
      ...{ part, id, reason },
    })),
    [{ part: "queue", id: null, reason: REASON }],
  );
  const made = await create(client, { ...ORDER, prompt: "a fox" });
  assert.equal(made.status, "queued");
  const { signal } = await gateway.server.kill();
  assert.equal(signal, "SIGKILL");

  // Nobody serves: the command in process tells the same.
  const { stdout } = await runTollgate(["videos", "queue", "--data-dir", dataDir]);
  assert.match(stdout, new RegExp(`^paused +the whole queue since .*: ${REASON}$`, "m"));
  assert.match(stdout, /^builtin\/video-2 +1 waiting, 0 under way, paused$/m);

  await using again = await serveGateway({ dataDir });
  const after = clientOf(seven, { url: again.url, key });
  const second = await create(after, { ...ORDER, prompt: "another fox" });
  const shown = await again.cli("videos", "show", second.id);
  assert.deepEqual([shown.status, shown.queue.position, shown.queue.starts_at], [
    "queued",
    2,
    null,
  ]);
  assert.equal(shown.paused.reason, REASON);
  assert.equal((await after.videos.retrieve(made.id)).status, "queued");

  const ready = await (await fetch(`${again.url}/readyz`)).json();
  assert.equal(ready.status, "ready");
  assert.match(ready.warnings.join("\n"), /queue of all films is paused since .*videos resume/);
  assert.ok(!JSON.stringify(ready).includes(REASON), "reasons are the operators'");
  const doctor = await runTollgate(["doctor", "--data-dir", dataDir]);
  assert.match(doctor.stdout, new RegExp(`paused since .*: ${REASON}`));
  assert.match(doctor.stdout, /tollgate videos resume/);

  await again.cli("videos", "resume");
  for (const { id } of [made, second]) {
    assert.equal((await untilEnded(after, id)).status, "completed");
  }
  assert.deepEqual((await again.cli("videos", "queue")).pauses, []);
});
