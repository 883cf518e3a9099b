/**
 * Films that failed, and what orders them again as a running gateway does.
 *
 * @module
 */

import { NO_WORK } from "../../src/domain/work.ts";
import { Limiter } from "../../src/limits/limiter.ts";
import { OpenTaskLimits } from "../../src/limits/open_tasks.ts";
import { RouteCapacity } from "../../src/limits/route_capacity.ts";
import { createVideo } from "../../src/videos/create_video.ts";
import { CreatesUnderWay } from "../../src/videos/creates_under_way.ts";
import { DiskRoom } from "../../src/videos/keep/disk_room.ts";
import { ReferenceLine } from "../../src/videos/reference_line.ts";
import type { TestAdmin } from "./test_admin.ts";

const NUMBERED = 10;

/** Ends a task as one whose work failed, and that nobody pays. */
export async function failVideo({ book, clock }: TestAdmin, id: string): Promise<void> {
  await book.change(id, () => ({
    set: { status: "in_progress", attempt: 1, startedAt: clock.now() },
  }));
  await book.change(id, () => ({
    set: {
      status: "failed",
      error: { code: "video_failed", message: "it broke" },
      costE8: 0n,
      saleE8: 0n,
    },
    close: {
      result: "upstream_failed",
      billable: false,
      work: NO_WORK,
      usageSource: "none",
      costE8: 0n,
      saleE8: 0n,
      firstByteMs: undefined,
      attempts: 1,
      errorCode: "video_failed",
    },
  }));
}

/** Lets tasks be created from now on, as they are by callers. */
export function takeCreates(
  { deps, videos, book, files, storage, clock, health }: TestAdmin,
): void {
  // Behind the calls that tests number themselves.
  for (let used = 0; used < NUMBERED; used++) deps.requestIds.next();
  const underWay = new CreatesUnderWay();
  const limiter = new Limiter({ clock });
  const openTasks = new OpenTaskLimits();
  const capacity = new RouteCapacity({ clock });
  videos.takeCreates((request, answer) =>
    createVideo(
      {
        ...{ book, clock, health, underWay, limiter, openTasks, capacity, films: files },
        ledger: deps.ledger,
        catalogue: deps.catalogue,
        videos: storage.videos,
        webhooks: storage.webhooks,
        room: new DiskRoom({ book, files: { partBytes: () => 0 }, freeBytes: () => 1e10 }),
        quota: { promise: () => Promise.resolve(() => {}) },
        references: new ReferenceLine({ check: () => Promise.resolve({ type: "image/png" }) }),
        random: () => 0,
        allowsPrivateCallbacks: false,
        isStopping: () => false,
      },
      request,
      answer,
    )
  );
}
