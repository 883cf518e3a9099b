/**
 * A video task as callers see it: OpenAI's Video with all of its keys, null where
 * they do not apply, and the gateway's additions.
 *
 * @module
 */

import * as z from "zod";
import { answerFields } from "../../dialects/base/answer.ts";
import { formatAmount } from "../../domain/money.ts";
import type { VideoTask } from "../../domain/video_task.ts";

const seconds = z.lazy(() => z.int().min(0).describe("Unix time in seconds"));

/** Section 2.4 of the service specification, with the keys that OpenAI's schema requires. */
export const videoViewSchema = z.lazy(() =>
  z.object({
    id: z.string(),
    object: z.literal("video"),
    model: z.string().describe("The logical model"),
    status: z.enum(["queued", "in_progress", "completed", "failed"]),
    progress: z.int().min(0).max(100),
    created_at: seconds,
    completed_at: seconds.nullable(),
    expires_at: seconds.nullable().describe("When the film is removed; null for never"),
    prompt: z.string(),
    size: z.string(),
    seconds: z.string(),
    remixed_from_video_id: z.null(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    output: z.string().optional().describe("A link to the film that needs no key"),
    provider: z.string(),
    route: z.string(),
    pricing: answerFields.pricing.optional().describe("Known once the task has ended"),
  })
);

export type VideoView = z.infer<typeof videoViewSchema>;

/** What a view depends on besides its task. */
export interface VideoViewOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly publicLinks: boolean;
  readonly currency: string;
}

/** The view of a task. */
export function videoView(
  task: VideoTask,
  { baseUrl, publicLinks, currency }: VideoViewOptions,
): VideoView {
  const isThere = task.file !== undefined && task.fileRemovedAt === undefined;
  return {
    id: task.id,
    object: "video",
    model: task.model,
    status: task.status,
    progress: task.progress,
    created_at: toSeconds(task.createdAt),
    completed_at: task.status === "completed" ? toSeconds(task.completedAt!) : null,
    expires_at: task.expiresAt === undefined ? null : toSeconds(task.expiresAt),
    prompt: task.prompt,
    size: task.size,
    seconds: String(task.seconds),
    remixed_from_video_id: null,
    error: task.error ?? null,
    ...(isThere && publicLinks && { output: `${baseUrl}/videos/${task.id}.mp4` }),
    provider: task.provider,
    route: task.route,
    ...(task.saleE8 !== undefined && {
      pricing: {
        currency,
        cost_amount: formatAmount(task.costE8 ?? 0n),
        sale_amount: formatAmount(task.saleE8),
      },
    }),
  };
}

function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
