/**
 * The video queue as a whole: what waits where, and its pauses.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../documents/shown.ts";
import { type PausedPart, pausedPartWords, type VideoPause } from "../domain/video_pause.ts";
import { GatewayError } from "../errors.ts";
import { requireModel } from "./catalogue/models.ts";
import { requireRoute } from "./catalogue/routes.ts";
import { commitDifference, noteOf, oneAtATime } from "./base/commit_change.ts";
import type { AdminDeps } from "./base/deps.ts";
import { shownCount } from "./base/fields.ts";
import { defineOperation } from "./base/operation.ts";
import { shownPause, shownPauseOf } from "./base/shown_pause.ts";
import { byVideo, noVideo, requireVideo } from "./videos.ts";
import { reasonField } from "./base/reason_field.ts";

const shownQueue = z.object({
  pauses: z.array(shownPause).describe("In force, oldest first"),
  routes: z.array(z.object({
    route: z.string(),
    model: z.string().nullable().describe("null where the route is gone from the catalogue"),
    waiting: shownCount.describe("Films that wait for an attempt"),
    under_way: shownCount.describe("Films that are worked on"),
    paused: z.boolean().describe("Whether nothing begins there, for whichever pause"),
  })).describe("Routes of video models, and those that still have films"),
});

export type QueueRow = Shown<typeof shownQueue>;

const partFields = {
  model: z.string().min(1).optional().describe("only films of this logical model"),
  route: z.string().min(1).optional().describe("only films of this route"),
};

/** As a command and the API ask for it. */
type PartInput = z.output<z.ZodObject<typeof partFields>>;

export const showQueue = defineOperation({
  name: "videos.queue",
  method: "GET",
  path: "/video-queue",
  role: "viewer",
  summary: "Show how many films wait and are worked on by route, and what is paused.",
  input: z.strictObject({}),
  output: shownQueue,
  errors: [],
  run: (deps) => Promise.resolve(queueRow(deps)),
});

export const pauseVideos = defineOperation({
  name: "videos.pause",
  method: "POST",
  path: "/video-queue/pause",
  role: "operator",
  changes: "queue",
  summary: "Begin no more films, of all or of one model or route; those under way go on.",
  input: z.strictObject({ ...partFields, reason: reasonField.optional() }),
  output: shownQueue,
  errors: ["not_found"],
  run: (deps, { reason, ...input }) =>
    oneAtATime(deps, async (deps) => {
      const part = filmPart(deps, input);
      const before = pauseOf(deps, part);
      return await change(deps, part, {
        ...part,
        reason: reason ?? before?.reason,
        since: before?.since ?? deps.clock.now(),
      });
    }),
});

export const resumeVideos = defineOperation({
  name: "videos.resume",
  method: "POST",
  path: "/video-queue/resume",
  role: "operator",
  changes: "queue",
  summary: "Take a pause of the video queue back; others stay in force.",
  input: z.strictObject(partFields),
  output: shownQueue,
  errors: ["not_found"],
  run: (deps, input) =>
    oneAtATime(deps, async (deps) => {
      const named = namedPart(deps, input);
      // A part that is gone from the catalogue may still be paused.
      const part = pauseOf(deps, named) === undefined ? filmPart(deps, input) : named;
      return await change(deps, part, undefined);
    }),
});

export const moveVideo = defineOperation({
  name: "videos.move",
  method: "POST",
  path: "/videos/{video_id}/move",
  role: "operator",
  changes: "video",
  summary:
    "Move a film that waits among its project's for the same route; projects take turns all the same.",
  input: byVideo.extend({
    to: z.enum(["front", "up", "down", "back"]).describe(
      "before all others, one place up or down, or behind all others",
    ),
  }),
  output: z.object({
    id: z.string(),
    position: shownCount.nullable().describe(
      "Then: 1 for the next one of its route; projects take turns; null where it has begun since",
    ),
    waiting: shownCount.nullable().describe("Films that wait for its route"),
  }),
  errors: ["not_found", "conflict"],
  // One at a time: two that go to the front must not come to the same place.
  run: (deps, { video_id, to }) =>
    oneAtATime(deps, async (deps) => {
      const before = await deps.videos.placeOf(await requireVideo(deps, video_id));
      const moved = await deps.videos.move(video_id, {
        to,
        noteOf: ({ id }) =>
          noteOf(deps, {
            id,
            before: { position: before?.position ?? null },
            after: { moved: to },
          }),
      });
      if (moved === undefined) throw noVideo(video_id);
      const place = await deps.videos.placeOf(moved);
      return {
        id: moved.id,
        position: place?.position ?? null,
        waiting: place?.waiting ?? null,
      };
    }),
});

/** Replaces the pause of a part, if that makes a difference, and gives the queue as it is then. */
async function change(
  deps: AdminDeps,
  part: PausedPart,
  after: VideoPause | undefined,
): Promise<QueueRow> {
  const { pauses } = deps.videos;
  const before = pauseOf(deps, part);
  const others = pauses.list.filter((one) => one !== before);
  const next = after === undefined ? others : [...others, after];
  next.sort((one, other) => one.since - other.since);
  const words = (pause: VideoPause | undefined) => ({
    paused: pause !== undefined,
    reason: pause?.reason ?? null,
  });
  await commitDifference(deps, {
    id: part.part === "queue" ? "films" : pausedPartWords(part),
    before: words(before),
    after: words(after),
    entries: [{ kind: "put_video_pauses", pauses: next }],
    put: () => pauses.replace(next),
  });
  return queueRow(deps);
}

function pauseOf({ videos }: AdminDeps, part: PausedPart): VideoPause | undefined {
  const words = pausedPartWords(part);
  return videos.pauses.list.find((pause) => pausedPartWords(pause) === words);
}

/** What is named, whether or not there is such a thing. */
function namedPart({ catalogue }: AdminDeps, { model, route }: PartInput): PausedPart {
  if (model !== undefined && route !== undefined) {
    throw new GatewayError(
      "invalid_value",
      "Name a model or a route, not both: a model's pause holds for all of its routes",
      { param: "route" },
    );
  }
  if (route !== undefined) return { part: "route", id: route };
  if (model === undefined) return { part: "queue" };
  return { part: "model", id: catalogue.current.model(model)?.id ?? model };
}

/** What is named, which makes films. */
function filmPart(deps: AdminDeps, input: PartInput): PausedPart {
  const part = namedPart(deps, input);
  if (part.part === "queue") return part;
  const modelId = part.part === "route" ? requireRoute(deps, part.id).modelId : part.id;
  const { kind } = requireModel(deps, modelId);
  if (kind === "video") return part;
  throw new GatewayError(
    "invalid_value",
    `Cannot pause or resume films of ${
      pausedPartWords(part)
    } as it makes none: its kind is ${kind}`,
    { param: part.part },
  );
}

function queueRow(deps: AdminDeps): QueueRow {
  const { catalogue: { current }, videos } = deps;
  const counts = new Map(videos.queues().map((queue) => [queue.route, queue]));
  const ofVideos = current.catalogue.models.filter(({ kind }) => kind === "video")
    .flatMap(({ routes }) => routes.map(({ id }) => id));
  return {
    pauses: videos.pauses.list.map((pause) => shownPauseOf(deps, pause)),
    routes: [...new Set([...ofVideos, ...counts.keys()])].map((route) => ({
      route,
      model: current.route(route)?.modelId ?? null,
      waiting: counts.get(route)?.waiting ?? 0,
      under_way: counts.get(route)?.underWay ?? 0,
      paused: videos.pauses.of(route) !== undefined,
    })),
  };
}
