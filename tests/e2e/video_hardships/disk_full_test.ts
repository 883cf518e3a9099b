/**
 * A full disk costs no caller money and no task its film: new ones are refused,
 * those under way wait, and room is noticed without a restart.
 *
 * @module
 */

import assert from "node:assert/strict";
import { sampleFilm, startFakeVideoServer } from "../../support/fake_video_server.ts";
import { needsSmallDisk, SmallDisk } from "../../support/small_disk.ts";
import { until } from "../../support/until.ts";
import { assertErrorBody } from "../bad_input/answer_checks.ts";
import { assertBooksClosed } from "../../support/films/film_books.ts";
import { FilmGateway, SMALL_FILM } from "../../support/films/film_gateway.ts";

const DISK_BYTES = 32 * 1024 ** 2;
/** Less than what is kept free for the database. */
const TOO_LITTLE_BYTES = 3 * 1024 ** 2;

Deno.test(
  "a create on a full disk is refused at once and costs nothing, until there is room",
  needsSmallDisk,
  async () => {
    await using disk = await SmallDisk.mount(DISK_BYTES);
    await using films = await FilmGateway.start({ dataDir: `${disk.folder}/data` });
    const first = await films.create();
    assert.equal((await films.untilStatus(first)).status, "completed");
    await disk.fill(TOO_LITTLE_BYTES);

    const before = await films.json("/key");
    for (let time = 0; time < 3; time++) {
      const refused = await films.fetch("/videos", {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": "only-once" },
        body: JSON.stringify(SMALL_FILM),
      });
      const body = await refused.text();
      assertErrorBody({ status: refused.status, body }, {
        status: 503,
        code: "storage_full",
        param: null,
      });
      assert.equal(refused.headers.get("x-should-retry"), "false");
      assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d?$/);
      const call = await films.json(`/calls/${refused.headers.get("x-request-id")}`);
      assert.equal(call.status, 404, "nothing was bought");
    }
    assert.deepEqual((await films.json("/key")).body, before.body);
    assert.equal((await films.json("/videos")).body.data.length, 1);
    // What is there can still be had.
    const content = await films.fetch(`/videos/${first.id}/content`);
    assert.equal(content.status, 200);
    await content.body?.cancel();

    await disk.clear();
    const created = await films.json("/videos", {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": "only-once" },
      body: JSON.stringify(SMALL_FILM),
    });
    assert.equal(created.status, 200, "the refusal does not stick to the key");
    const second = { id: created.body.id, requestId: created.requestId, project: "shop" } as const;
    assert.equal((await films.untilStatus(second)).status, "completed");
    await assertBooksClosed(films);
  },
);

Deno.test(
  "films under way when the disk fills wait for room and are made",
  needsSmallDisk,
  async () => {
    const film = sampleFilm(2_000_000);
    await using upstream = startFakeVideoServer({ manners: "openai", film });
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    upstream.behave({ steps: [{ status: "completed" }], gates: { content: gate } });
    await using disk = await SmallDisk.mount(DISK_BYTES);
    await using films = await FilmGateway.start({
      upstreamUrl: upstream.url,
      dataDir: `${disk.folder}/data`,
      args: ["--video-workers", "1"],
    });
    const downloading = await films.create({ model: "remote" });
    await upstream.received("content");
    // Last of all: it is made in a second, whatever the others take.
    const rendering = await films.create({ model: "slow", seconds: 1 });
    const waiting = await films.create();
    await until("it to render", async () => (await films.show(rendering)).progress > 0);
    await disk.fill();
    open();
    await films.server.waitForOutput(/"video_postponed".*disk_full/);
    for (const one of [rendering, downloading, waiting]) {
      assert.match((await films.show(one)).status, /queued|in_progress/);
    }
    assert.equal(
      (await fetch(`${films.url}/healthz`).then((answer) => answer.json())).status,
      "ok",
    );
    const polls = upstream.requestsFor("start").length;

    await disk.clear();
    for (const one of [rendering, downloading, waiting]) {
      const { status, error } = await films.untilStatus(one);
      assert.equal(status, "completed", JSON.stringify(error));
      const row = await films.admin("GET", `/videos/${one.id}`);
      assert.deepEqual([row.failures, row.restarts], [0, 0]);
    }
    assert.equal(upstream.requestsFor("start").length, polls, "the job is not started anew");
    await assertBooksClosed(films);
  },
);

Deno.test(
  "killed with a full disk, it loses nothing once there is room",
  needsSmallDisk,
  async () => {
    await using disk = await SmallDisk.mount(DISK_BYTES);
    await using films = await FilmGateway.start({ dataDir: `${disk.folder}/data` });
    const film = await films.create({ model: "slow" });
    await until("it to render", async () => (await films.show(film)).progress > 0);
    await disk.fill();
    await films.server.kill();
    await disk.clear();
    await films.restart();
    assert.equal((await films.untilStatus(film)).status, "completed");
    await assertBooksClosed(films);
  },
);
