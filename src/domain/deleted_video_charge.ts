/**
 * What a film costs that its owner deletes while it is made.
 *
 * @module
 */

import type { StoredCall, VideoWork } from "./call.ts";

/**
 * - `free`: nothing; what an upstream has begun is the operator's loss.
 * - `progress`: as many percent of its price as it says that are done.
 * - `full`: its price.
 */
export const DELETED_VIDEO_CHARGES = ["free", "progress", "full"] as const;

/** See {@linkcode DELETED_VIDEO_CHARGES}. */
export type DeletedVideoCharge = typeof DELETED_VIDEO_CHARGES[number];

/** The film of a call, as whoever looks the call up sees it. */
export interface BilledVideo extends VideoWork {
  /**
   * Of a film that was deleted before it was there: what was charged of it. `free` also where
   * nothing of it was made yet.
   */
  readonly deleted?: DeletedVideoCharge;
}

/** The film that a call bought, and what became of its price if it was deleted; other calls have none. */
export function billedVideo(call: StoredCall): BilledVideo | undefined {
  const { video } = call;
  if (video === undefined || call.state === "open" || call.result !== "client_aborted") {
    return video;
  }
  if (call.state === "released") return { ...video, deleted: "free" };
  return { ...video, deleted: video.percent === undefined ? "full" : "progress" };
}
