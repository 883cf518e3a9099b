/**
 * Creating tasks in a world of videos: what `createVideo` needs, and requests.
 *
 * @module
 */

import type { Project, ProjectKey } from "../../src/domain/account.ts";
import type { VideoTask } from "../../src/domain/video_task.ts";
import { isOpen } from "../../src/domain/video_task.ts";
import { UNLIMITED_PERMIT } from "../../src/limits/permit.ts";
import { takePlace } from "../../src/planning/take_permit.ts";
import { Limiter } from "../../src/limits/limiter.ts";
import { OpenTaskLimits } from "../../src/limits/open_tasks.ts";
import { RouteCapacity } from "../../src/limits/route_capacity.ts";
import type { CreateVideoRequest } from "../../src/videos/task/create_request.ts";
import type { CreateVideoDeps } from "../../src/videos/create_video.ts";
import { CreatesUnderWay } from "../../src/videos/creates_under_way.ts";
import { DiskRoom } from "../../src/videos/keep/disk_room.ts";
import { ReferenceLine } from "../../src/videos/reference_line.ts";
import { NO_WISHES } from "./no_wishes.ts";
import type { VideoWorld } from "./video_world.ts";

/** What `createVideo` works with in a world that has started; parts may be others. */
export function createDeps(
  world: VideoWorld,
  parts: Partial<CreateVideoDeps> & { readonly freeBytes?: () => number } = {},
): CreateVideoDeps {
  const { book, ledger } = world.boot;
  const { clock } = world.timeline;
  const openTasks = new OpenTaskLimits();
  book.subscribe((before, after) => {
    if (before === undefined || !isOpen(before)) return;
    if (after === undefined || !isOpen(after)) openTasks.release(before);
  });
  const { freeBytes = () => 10_000_000_000, ...rest } = parts;
  return {
    book,
    ledger,
    clock,
    openTasks,
    catalogue: world.holder,
    health: world.health,
    capacity: new RouteCapacity({ clock }),
    limiter: new Limiter({ clock }),
    underWay: new CreatesUnderWay(),
    videos: world.storage.videos,
    webhooks: world.storage.webhooks,
    films: world.files,
    room: new DiskRoom({ book, files: { partBytes: () => 0 }, freeBytes }),
    quota: { promise: () => Promise.resolve(() => {}) },
    references: new ReferenceLine({ check: () => Promise.resolve({ type: "image/png" }) }),
    random: () => 0,
    allowsPrivateCallbacks: false,
    isStopping: () => false,
    ...rest,
  };
}

let lastCallId = 1_000;

/** Who asks, where it matters. */
export interface Asking {
  readonly project?: Partial<Project>;
  readonly key?: Partial<ProjectKey>;
}

/** A request of project `p` for 4 seconds of 640x360; its fingerprint is its prompt. */
export function createRequest(
  world: VideoWorld,
  parts: Partial<CreateVideoRequest> = {},
  { project = {}, key = {} }: Asking = {},
): CreateVideoRequest {
  const callId = ++lastCallId;
  const prompt = parts.prompt ?? "A lighthouse at night";
  return {
    identity: { requestId: `req_aaaaaaaaaaaa${callId.toString(36)}`, callId },
    caller: {
      project: {
        id: "p",
        unlimited: false,
        disabled: false,
        models: ["*"],
        limits: {},
        budgets: {},
        quotas: {},
        createdAt: 0,
        ...project,
      },
      key: {
        id: "key_1",
        projectId: project.id ?? "p",
        name: "test",
        hash: "h",
        prefix: "sk-tg-x",
        disabled: false,
        models: undefined,
        limits: {},
        budgets: {},
        createdAt: 0,
        expiresAt: undefined,
        ...key,
      },
    },
    permit: UNLIMITED_PERMIT,
    model: "film",
    prompt,
    size: "640x360",
    seconds: 4,
    wishes: NO_WISHES,
    fields: {},
    reference: undefined,
    callbackUrl: undefined,
    isRetry: false,
    fingerprint: prompt,
    arrivedAt: world.timeline.clock.monotonic(),
    ...parts,
  };
}

/** The same request with its place, where limits matter. */
export function placed(deps: CreateVideoDeps, request: CreateVideoRequest): CreateVideoRequest {
  return { ...request, permit: takePlace(deps.limiter, request.caller) };
}

/** An answer that names the task. */
export const plainAnswer = {
  write: ({ id }: VideoTask) => `task ${id}`,
  toRecord: undefined,
};
