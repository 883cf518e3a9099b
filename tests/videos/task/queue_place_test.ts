/**
 * Places in the queue, and how long they are waited for.
 *
 * @module
 */

import assert from "node:assert/strict";
import { placeInQueue, waitAt } from "../../../src/videos/task/queue_place.ts";
import { sampleTask } from "../../conformance/storage_video_samples.ts";
import type { VideoTask } from "../../../src/domain/video_task.ts";

function task(callId: number, projectId: string, more: Partial<VideoTask> = {}): VideoTask {
  return sampleTask({
    id: `video_${callId}`,
    callId,
    projectId,
    route: "a/film",
    seconds: 4,
    ...more,
  });
}

const WORKED = { status: "in_progress", lease: { session: 1 as never, until: 1 } } as const;

Deno.test("placeInQueue() follows those that were moved, within their project", () => {
  const open = [
    ...[1, 2, 3].map((callId) => task(callId, "flood")),
    task(4, "flood", { movedTo: 0 }),
    task(5, "late"),
  ];
  const place = (callId: number) =>
    placeInQueue(open.find((one) => one.callId === callId)!, open)?.position;
  assert.deepEqual([4, 1, 2, 3].map(place), [2, 3, 4, 5]);
  assert.equal(place(5), 2, "the other project has its turn as before");
});

Deno.test("placeInQueue() counts what begins before, projects taking turns", () => {
  const open = [
    task(1, "flood", WORKED),
    ...[2, 3, 4, 5, 6].map((callId) => task(callId, "flood")),
    task(7, "late"),
    task(8, "late"),
    task(9, "other", { route: "b/film" }),
  ];
  const place = (callId: number) =>
    placeInQueue(open.find((one) => one.callId === callId)!, open)?.position;
  // One of the other's for each of its own.
  assert.deepEqual([2, 3, 7, 8].map(place), [2, 4, 2, 4]);
  assert.deepEqual([4, 5, 6].map(place), [5, 6, 7]);
  assert.equal(place(9), 1);
  assert.equal(place(1), undefined, "it was begun");
  const { waiting, underWay, filmSecondsAhead } = placeInQueue(open[1]!, open)!;
  assert.deepEqual([waiting, underWay, filmSecondsAhead], [7, 1, 2 + 4]);
});

Deno.test("waitAt() goes by what the route took lately, and says nothing of one that made nothing", () => {
  const made = (route: string, tookMs: number, seconds: number) => ({
    route,
    seconds,
    startedAt: 1_000,
    completedAt: 1_000 + tookMs,
  });
  const place = { position: 3, waiting: 5, underWay: 2, filmSecondsAhead: 12 };
  const lately = [made("a/film", 8_000, 4), made("a/film", 4_000, 8), made("b/film", 90_000, 4)];
  assert.equal(waitAt(place, "a/film", lately), 6_000);
  assert.equal(waitAt({ ...place, underWay: 0 }, "a/film", lately), 12_000);
  assert.equal(waitAt(place, "c/film", lately), undefined);
});
