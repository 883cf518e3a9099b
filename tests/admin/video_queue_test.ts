/**
 * The video queue through its operations: paused, resumed, and told of.
 *
 * @module
 */

import assert from "node:assert/strict";
import { moveVideo, pauseVideos, resumeVideos, showQueue } from "../../src/admin/video_queue.ts";
import { showVideo } from "../../src/admin/videos.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { makeVideo, SCENE } from "./changing_inputs.ts";
import { turnOf } from "../../src/domain/video_task.ts";
import { failVideo } from "./retried_videos.ts";
import { openTestAdmin, type TestAdmin } from "./test_admin.ts";

const ROUTE = "builtin/film";

async function auditRows({ deps }: TestAdmin, operation: string) {
  return await deps.storage.audit.list({ limit: 10, operation, subject: undefined });
}

Deno.test("a pause is kept, shown wherever the film is, noted with its reason, and taken back", async () => {
  await using admin = await openTestAdmin({ catalogue: SCENE });
  const { deps } = admin;
  const video_id = await makeVideo(admin);
  const show = () => runOperation(showVideo, { deps, input: { video_id } });
  assert.equal((await show()).paused, null);

  const reason = "<b>new</b> driver";
  const input = { route: ROUTE, reason: `  ${reason}  ` };
  const paused = await runOperation(pauseVideos, { deps, input });
  const since = new Date(deps.clock.now()).toISOString();
  const pause = { part: "route", id: ROUTE, reason, since };
  assert.deepEqual(paused, {
    pauses: [pause],
    routes: [{ route: ROUTE, model: "film", waiting: 1, under_way: 0, paused: true }],
  });
  const shown = await show();
  assert.deepEqual(shown.paused, pause);
  assert.deepEqual([shown.status, shown.queue], [
    "queued",
    { position: 1, waiting: 1, starts_at: null },
  ]);
  assert.deepEqual(await deps.storage.videos.pauses(), [
    { part: "route", id: ROUTE, reason, since: deps.clock.now() },
  ]);

  // Members know that their film waits, not what operators say to each other.
  const rights = { role: "member", project: "free" } as const;
  const own = await runOperation(showVideo, {
    deps: { ...deps, origin: { ...deps.origin, rights } },
    input: { video_id },
  });
  assert.deepEqual(own.paused, { ...pause, reason: null });
  assert.ok(!JSON.stringify(own).includes("driver"));

  // The same once more changes nothing, nor does no word; another reason keeps the time.
  await runOperation(pauseVideos, { deps, input });
  admin.clock.setWall(deps.clock.now() + 60_000);
  const silent = await runOperation(pauseVideos, { deps, input: { route: ROUTE } });
  assert.deepEqual(silent.pauses, [pause]);
  const again = await runOperation(pauseVideos, { deps, input: { route: ROUTE, reason: "heat" } });
  assert.deepEqual(again.pauses, [{ ...pause, reason: "heat" }]);
  const rows = await auditRows(admin, "videos.pause");
  assert.deepEqual(rows.map(({ subject, before, after }) => ({ subject, before, after })), [
    { subject: `queue:route ${ROUTE}`, before: { reason }, after: { reason: "heat" } },
    {
      subject: `queue:route ${ROUTE}`,
      before: { paused: false, reason: null },
      after: { paused: true, reason },
    },
  ]);

  // Each is taken back by itself.
  await runOperation(pauseVideos, { deps, input: {} });
  const rest = await runOperation(resumeVideos, { deps, input: { route: ROUTE } });
  assert.deepEqual(rest.pauses.map(({ part }) => part), ["queue"]);
  assert.equal((await show()).paused!.part, "queue");
  await runOperation(resumeVideos, { deps, input: {} });
  assert.equal((await show()).paused, null);
  await runOperation(resumeVideos, { deps, input: {} });
  assert.equal((await auditRows(admin, "videos.resume")).length, 2);
  assert.deepEqual((await runOperation(showQueue, { deps, input: {} })).pauses, []);
});

Deno.test("what makes no films cannot be paused, and a wrong reason changes nothing", async () => {
  await using admin = await openTestAdmin({ catalogue: SCENE });
  const { deps } = admin;
  const cases: readonly [object, string, RegExp][] = [
    [{ model: "small" }, "invalid_value", /model small as it makes none: its kind is chat/],
    [{ route: "one/small" }, "invalid_value", /route one\/small as it makes none/],
    [{ route: "builtin/flim" }, "not_found", /builtin\/film/],
    [{ model: "nothing" }, "not_found", /nothing/],
    [{ model: "film", route: ROUTE }, "invalid_value", /not both/],
    [{ reason: "x".repeat(201) }, "invalid_value", /200/],
    [{ reason: "a\nb" }, "invalid_value", /one line/],
    [{ reason: "a\u202eb" }, "invalid_value", /one line/],
  ];
  for (const [input, code, message] of cases) {
    await assert.rejects(runOperation(pauseVideos, { deps, input }), { code, message });
  }
  await assert.rejects(runOperation(resumeVideos, { deps, input: { route: "no/such" } }), {
    code: "not_found",
  });
  assert.deepEqual(deps.videos.pauses.list, []);
  assert.deepEqual(await deps.storage.videos.pauses(), []);
  assert.deepEqual(await auditRows(admin, "videos.pause"), []);
});

Deno.test("a film is moved among its project's, is stored there, and its place follows", async () => {
  await using admin = await openTestAdmin({ catalogue: SCENE });
  const { deps } = admin;
  const films: string[] = [];
  for (const [at, letter] of [..."abcd"].entries()) {
    const id = `video_${letter.repeat(26)}`;
    films.push(await makeVideo(admin, { id, callId: 900 + at }));
  }
  const theirs = await makeVideo(admin, {
    ...{ id: `video_${"z".repeat(26)}`, callId: 950, projectId: "paying" },
  });
  const order = async () => {
    const places: [number, string][] = [];
    for (const id of films) {
      const { queue } = await runOperation(showVideo, { deps, input: { video_id: id } });
      places.push([queue!.position, id[6]!]);
    }
    return places.sort(([one], [other]) => one - other).map(([, letter]) => letter).join("");
  };
  const move = (letter: string, to: string) =>
    runOperation(moveVideo, {
      deps,
      input: { video_id: `video_${letter.repeat(26)}`, to } as never,
    });
  assert.equal(await order(), "abcd");
  for (
    const [letter, to, expected] of [
      ["c", "front", "cabd"],
      ["d", "up", "cadb"],
      ["c", "down", "acdb"],
      ["a", "up", "acdb"],
      ["a", "back", "cdba"],
      ["b", "up", "cbda"],
      ["d", "front", "dcba"],
    ] as const
  ) {
    await move(letter, to);
    assert.equal(await order(), expected, `${letter} ${to}`);
  }
  const their = await runOperation(showVideo, { deps, input: { video_id: theirs } });
  assert.equal(their.queue!.position, 2, "the other project's turn is as it was");
  const rows = await auditRows(admin, "videos.move");
  assert.equal(rows.length, 6, "one that is there already is not moved");
  assert.equal(rows[0]!.subject, `video:${films[3]}`);
  assert.deepEqual(rows[0]!.after, { moved: "front" });
  const stored = await deps.storage.videos.open(0, 10);
  const byTurn = stored.filter(({ projectId }) => projectId === "free")
    .sort((one, other) => turnOf(one) - turnOf(other));
  assert.equal(byTurn.map(({ id }) => id[6]).join(""), "dcba");

  // What is ordered after a move comes behind all that were there, also behind what went to the back.
  films.push(await makeVideo(admin, { id: `video_${"e".repeat(26)}`, callId: 904 }));
  assert.equal(await order(), "dcbae");
  await move("a", "down");
  assert.equal(await order(), "dcbea");
  films.push(await makeVideo(admin, { id: `video_${"f".repeat(26)}`, callId: 905 }));
  assert.equal(await order(), "dcbeaf");
  for (const letter of "fae") await move(letter, "back");
  assert.equal(await order(), "dcbfae");

  // Two that go to the front do not come to one place.
  await Promise.all([move("a", "front"), move("b", "front")]);
  assert.equal(await order(), "badcfe");
  await failVideo(admin, films[0]!);
  await assert.rejects(move("a", "front"), { code: "conflict", message: /it is failed/ });
});
