/**
 * `tollgate videos …` and the API tell the same of the same tasks, whether a
 * server runs or not.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as seven from "openai7";
import { runTollgate } from "../../support/executable.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { clientOf, create, untilEnded, type Video } from "./scene.ts";

const SMALL = { size: "640x360", seconds: "1" };

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: video-2
    kind: video
    routes:
      - { id: builtin/video-2, provider: builtin, sale: { second: "0.10" } }
  - id: failing
    kind: video
    routes:
      - id: builtin/failing
        provider: builtin
        upstream_model: "video-2:fail"
        sale: { free: true }
projects:
  - { id: default, unlimited: true }
  - { id: shop, unlimited: true }
`;

Deno.test("videos list|show|delete tell what the API tells, with a server and without", async () => {
  await using gateway = await serveGateway({ catalogue: CATALOGUE });
  const { url, server: { key, dataDir } } = gateway;
  const mine = clientOf(seven, { url, key });
  const shop = clientOf(seven, { url, key: await gateway.key("shop") });
  const made = await create(mine, { model: "video-2", prompt: "A kite\nover the sea", ...SMALL });
  const failed = await create(mine, { model: "failing", prompt: "Never", ...SMALL });
  const theirs = await create(shop, { model: "video-2", prompt: "A shop window", ...SMALL });
  const videos: Video[] = [
    await untilEnded(shop, theirs.id),
    await untilEnded(mine, failed.id),
    await untilEnded(mine, made.id),
  ];

  const command = async (...args: string[]) => {
    const { code, stdout, stderr } = await runTollgate([...args, "--data-dir", dataDir]);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const compare = async (expected: readonly Video[]) => {
    const rows = await gateway.cli("videos", "list") as Record<string, unknown>[];
    assert.deepEqual(rows.map(asApi), expected.map(comparable));
    const table = await command("videos", "list");
    assert.equal(table.trimEnd().split("\n").length, expected.length + 1);
    for (const video of expected) {
      assert.deepEqual(asApi(await gateway.cli("videos", "show", video.id)), comparable(video));
      assert.match(table, new RegExp(`^${video.id} .* ${video.status} `, "m"));
    }
    const text = await command("videos", "show", made.id);
    assert.match(text, /^status +completed$/m);
    assert.match(text, new RegExp(`^file +${dataDir}/videos/${made.id}\\.mp4$`, "m"));
  };
  await compare(videos);
  const own = await gateway.cli("videos", "list", "--project", "shop") as { id: string }[];
  assert.deepEqual(own.map(({ id }) => id), [theirs.id]);

  // Deleted by the operator: gone for the caller at once, with its files.
  await gateway.cli("videos", "delete", failed.id);
  await assert.rejects(mine.videos.retrieve(failed.id), { status: 404, code: "video_not_found" });
  assert.deepEqual((await mine.videos.list()).data.map(({ id }) => id), [made.id]);
  const { file } = await gateway.cli("videos", "show", made.id);
  assert.equal((await Deno.stat(file.path)).size, file.bytes);

  const { code } = await gateway.server.stop();
  assert.equal(code, 0);
  const left = videos.filter(({ id }) => id !== failed.id);
  await compare(left);
  await gateway.cli("videos", "delete", made.id);
  await assert.rejects(Deno.stat(file.path), Deno.errors.NotFound);
  const rest: string[] = [];
  for await (const { name } of Deno.readDir(`${dataDir}/videos`)) rest.push(name);
  assert.deepEqual(rest.sort(), [`${theirs.id}.mp4`, `${theirs.id}.webp`]);

  await using again = await serveGateway({ dataDir });
  const after = clientOf(seven, { url: again.url, key });
  assert.deepEqual((await after.videos.list()).data, []);
  await assert.rejects(after.videos.retrieve(made.id), { status: 404 });
  assert.deepEqual((await again.cli("ledger", "verify")).differences, []);
});

/** What both tell, in the API's words. */
function comparable(video: Video): object {
  return {
    id: video.id,
    model: video.model,
    status: video.status,
    progress: video.progress,
    created_at: video.created_at,
    completed_at: video.completed_at,
    expires_at: video.expires_at,
    prompt: video.prompt,
    size: video.size,
    seconds: video.seconds,
    error: video.error,
    provider: video.provider,
    route: video.route,
    sale: video.pricing?.sale_amount,
  };
}

// deno-lint-ignore no-explicit-any -- what a command printed
function asApi(row: any): object {
  const toSeconds = (time: string | null) => time && Math.floor(Date.parse(time) / 1000);
  return {
    id: row.id,
    model: row.model,
    status: row.status,
    progress: row.progress,
    created_at: toSeconds(row.created_at),
    completed_at: row.status === "completed" ? toSeconds(row.completed_at) : null,
    expires_at: toSeconds(row.expires_at),
    prompt: row.prompt,
    size: row.size,
    seconds: String(row.seconds),
    error: row.error,
    provider: row.provider,
    route: row.route,
    sale: row.sale ?? undefined,
  };
}
