/**
 * A render Worker that dies, refuses or never answers takes its own film with it
 * and nothing else.
 *
 * @module
 */

import assert from "node:assert/strict";
import { until } from "../../support/until.ts";
import { assertBooksClosed, taskRows } from "../../support/films/film_books.ts";
import { FilmGateway } from "../../support/films/film_gateway.ts";

/** From its creation: 20 s of silence are allowed, and a start. */
const STALLED_FOR_AT_MOST_MS = 35_000;

Deno.test("a Worker that crashes fails its film alone, while another renders through", async () => {
  await using films = await FilmGateway.start({ args: ["--video-workers", "2"] });
  const through = await films.create({ model: "slow" });
  await until("it to render", async () => (await films.show(through)).progress > 0);
  for (const model of ["crash", "fail", "crash"]) {
    const film = await films.create({ model });
    const { status, error, progress } = await films.untilStatus(film);
    assert.equal(status, "failed");
    assert.equal(error.code, "video_generation_failed");
    assert.match(
      error.message,
      model === "crash" ? /^The renderer crashed/ : /^The film failed, as it was told to$/,
    );
    assert.ok(progress < 100);
    const { state, pricing } = await films.call(film);
    assert.deepEqual([state, pricing.charged_amount], ["released", "0.00000000"]);
    const content = await films.json(`/videos/${film.id}/content`);
    assert.deepEqual([content.status, content.body.error.code], [400, "video_not_ready"]);
  }
  assert.equal((await films.untilStatus(through)).status, "completed");
  // The Workers that died are replaced.
  for (const film of [await films.create(), await films.create(), await films.create()]) {
    assert.equal((await films.untilStatus(film)).status, "completed");
  }
  const failed = (await taskRows(films)).filter(({ status }) => status === "failed");
  // What broke the renderer once would do so again.
  assert.deepEqual(failed.map(({ attempts }) => attempts), [1, 1, 1]);
  const { status, warnings } = await (await fetch(`${films.url}/readyz`)).json();
  assert.deepEqual([status, warnings], ["ready", []]);
  await assertBooksClosed(films);
  assert.deepEqual(films.log.match(/^.*video_trouble.*$/gm), null);
});

Deno.test("a Worker that never answers is given up on, which is said, and others go on", async () => {
  await using films = await FilmGateway.start({ args: ["--video-workers", "2"] });
  const createdAt = performance.now();
  const stalled = await films.create({ model: "stall" });
  const deleted = await films.create({ model: "stall" });
  await until(
    "both to stall",
    async () =>
      (await films.show(stalled)).progress > 0 && (await films.show(deleted)).progress > 0,
  );
  // A film that is deleted is gone at once; its Worker is given up on soon after.
  assert.equal(await films.remove(deleted), 200);
  const other = await films.create();
  assert.equal((await films.untilStatus(other)).status, "completed");
  assert.equal((await films.show(stalled)).status, "in_progress");

  const { status, error } = await films.untilStatus(stalled);
  assert.ok(performance.now() - createdAt < STALLED_FOR_AT_MOST_MS);
  assert.equal(status, "failed");
  assert.match(error.message, /^The renderer stopped answering .* was given up on/);
  await until("it to be said", () => films.log.includes('"render_worker_abandoned"'));
  const { state, pricing } = await films.call(stalled);
  assert.deepEqual([state, pricing.charged_amount], ["released", "0.00000000"]);
  await assertWorkerEnded(films);

  const after = [await films.create(), await films.create()];
  for (const film of after) assert.equal((await films.untilStatus(film)).status, "completed");
  await assertBooksClosed(films, [deleted]);
  const { code } = await films.server.stop();
  assert.equal(code, 0, "a Worker that never answers keeps no server from stopping");
});

/** Some runtimes can end such a thread; where this one cannot, the operator is told. */
async function assertWorkerEnded(films: FilmGateway): Promise<void> {
  const { status, warnings } = await (await fetch(`${films.url}/readyz`)).json();
  assert.equal(status, "ready");
  if (warnings.length > 0) assert.match(warnings[0], /render Workers do not answer/);
}
