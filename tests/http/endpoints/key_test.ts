/**
 * What `GET /v1/key` tells of unfinished video tasks.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { getJson } from "../../support/model_menu.ts";

// Nobody listens there: a task waits for its next attempt, and so stays open.
const CATALOGUE = `
providers:
  - { id: wan, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1" }
models:
  - { id: film, kind: video, routes: [{ id: wan/film, provider: wan, free: true }] }
projects:
  - { id: default, unlimited: true, limits: { open_video_tasks: 2 } }
`;

async function createFilm(gateway: TestGateway, key: string): Promise<Response> {
  return await fetch(`${gateway.url}/v1/videos`, {
    method: "POST",
    headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "film", prompt: "a kite" }),
  });
}

Deno.test("GET key tells how many video tasks may still be opened, and create obeys that", async () => {
  await using gateway = await startTestGateway({ catalogue: CATALOGUE });
  const key = await gateway.key("default");
  const left = async () => {
    const { body } = await getJson(gateway, "/v1/key", key);
    assert.equal(body.limits.open_video_tasks, null);
    assert.equal(body.remaining.open_video_tasks, null);
    assert.equal(body.project.limits.open_video_tasks, 2);
    return body.project.remaining.open_video_tasks;
  };
  assert.equal(await left(), 2);
  const first = await createFilm(gateway, key);
  const { id } = await first.json();
  assert.equal(first.status, 200);
  assert.equal(await left(), 1);
  await (await createFilm(gateway, key)).body?.cancel();
  assert.equal(await left(), 0);
  const refused = await createFilm(gateway, key);
  const { error } = await refused.json();
  assert.deepEqual([refused.status, error.code], [429, "POOL_LIMIT_EXCEEDED"]);
  assert.match(error.message, /limit of 2 unfinished video tasks is reached/);
  assert.ok(Number(refused.headers.get("retry-after")) >= 1);
  const deleted = await fetch(`${gateway.url}/v1/videos/${id}`, {
    method: "DELETE",
    headers: { "authorization": `Bearer ${key}` },
  });
  await deleted.body?.cancel();
  assert.equal(deleted.status, 200);
  assert.equal(await left(), 1);
});
