/**
 * The video queue and its pauses, as commands print them.
 *
 * @module
 */

import type { ShownPause } from "../../admin/base/shown_pause.ts";
import type { QueueRow } from "../../admin/video_queue.ts";
import type { Facts } from "./table.ts";

/** Such as `route gpu/film since 2026-11-22T10:00:00.000Z: new driver`. */
export function pauseText({ part, id, reason, since }: ShownPause): string {
  const what = id === null ? "the whole queue" : `${part} ${id}`;
  return `${what} since ${since}${reason === null ? "" : `: ${reason}`}`;
}

/** Each pause and each route, line by line. */
export function queueFacts({ pauses, routes }: QueueRow): Facts {
  return [
    ...pauses.map((pause): Facts[number] => ["paused", pauseText(pause)]),
    ...(pauses.length === 0 ? [["paused", "nothing"] as Facts[number]] : []),
    ...routes.map(({ route, waiting, under_way: underWay, paused }): Facts[number] => [
      route,
      `${waiting} waiting, ${underWay} under way${paused ? ", paused" : ""}`,
    ]),
  ];
}
