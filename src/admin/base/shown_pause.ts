/**
 * A pause of the video queue, as it is shown.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import type { VideoPause } from "../../domain/video_pause.ts";
import type { ChangeOrigin } from "./deps.ts";
import { shownTime, timeToJson } from "./fields.ts";

export const shownPause = z.object({
  part: z.enum(["queue", "model", "route"]).describe("What is paused; queue for everything"),
  id: z.string().nullable().describe("Of the model or route"),
  reason: z.string().nullable().describe("The operator's words; a member is told none"),
  since: shownTime,
});

export type ShownPause = Shown<typeof shownPause>;

/** Reasons are among those who run the gateway: members are told no more than that there is a pause. */
export function shownPauseOf(
  { origin: { rights } }: { readonly origin: Pick<ChangeOrigin, "rights"> },
  pause: VideoPause,
): ShownPause {
  return {
    part: pause.part,
    id: pause.part === "queue" ? null : pause.id,
    reason: rights.role === "member" ? null : pause.reason ?? null,
    since: timeToJson(pause.since),
  };
}
