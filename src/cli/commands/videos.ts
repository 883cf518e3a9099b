/**
 * `tollgate videos …`
 *
 * @module
 */

import type { Command } from "commander";
import {
  deleteVideo,
  listVideos,
  retryVideo,
  showVideo,
  type VideoDetails,
  type VideoRow,
} from "../../admin/videos.ts";
import { moveVideo, pauseVideos, resumeVideos, showQueue } from "../../admin/video_queue.ts";
import { pauseText, queueFacts } from "../base/queue_facts.ts";
import type { Cli } from "../base/cli.ts";
import { factsCommand, listCommand } from "../operations/operation_command.ts";
import { type Column, type Facts, timeText } from "../base/table.ts";
import { webhookText } from "../base/webhook_facts.ts";

export function videos(cli: Cli): readonly Command[] {
  return [
    listCommand(cli, {
      operation: listVideos,
      description: "List video tasks, newest first. Prompts are cut; --json has them whole.",
      example: "videos list --project shop --status failed",
      most: 50,
      columns: () => VIDEO_COLUMNS,
      none: "No such video tasks",
    }),
    factsCommand(cli, {
      operation: showVideo,
      example: "videos show video_mfzgs5dmn5xgk3tpobzgk43u",
      facts: videoFacts,
    }),
    factsCommand(cli, {
      operation: showQueue,
      example: "videos queue",
      facts: queueFacts,
    }),
    factsCommand(cli, {
      operation: pauseVideos,
      description: "Begin no more films, of all or of one model or route. Those under way go on, " +
        "new ones are accepted and wait; restarts change nothing of it.",
      example: 'videos pause --route gpu/film --reason "new driver until noon"',
      facts: queueFacts,
    }),
    factsCommand(cli, {
      operation: resumeVideos,
      description: "Take a pause of the video queue back: of all films, or of the model or route " +
        "that is named. Other pauses stay in force.",
      example: "videos resume --route gpu/film",
      facts: queueFacts,
    }),
    factsCommand(cli, {
      operation: moveVideo,
      description: "Move a film that waits among those of its project for the same route: to the " +
        "front, up, down or back. Projects take turns all the same.",
      example: "videos move video_mfzgs5dmn5xgk3tpobzgk43u --to front",
      facts: ({ id, position, waiting }) => [
        ["id", id],
        ["queue", position === null ? "begun" : `${position} of ${waiting}`],
      ],
    }),
    factsCommand(cli, {
      operation: retryVideo,
      description:
        "Order a film again that could not be made, as the key that ordered it. It is a " +
        "task of its own, paid if it is made; asked twice, it is made and charged once.",
      example: "videos retry video_mfzgs5dmn5xgk3tpobzgk43u",
      facts: ({ id, repeated }) => [["id", id], ["ordered before", repeated ? "yes" : null]],
    }),
    factsCommand(cli, {
      operation: deleteVideo,
      description: "Delete a video task and its film for good. One that has not ended is stopped " +
        "and not charged; the call that bought it stays on record.",
      example: "videos delete video_mfzgs5dmn5xgk3tpobzgk43u",
      facts: ({ id }) => [["deleted", id]],
    }),
  ];
}

/** Characters of a prompt in a table. */
const SHOWN_PROMPT = 40;

/** The columns of `videos list`. */
const VIDEO_COLUMNS: readonly Column<VideoRow>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "PROJECT", value: ({ project }) => project },
  { header: "MODEL", value: ({ model }) => model },
  { header: "STATUS", value: statusText },
  { header: "SIZE", value: ({ size }) => size },
  { header: "SECONDS", value: ({ seconds }) => seconds, align: "right" },
  { header: "CREATED", value: ({ created_at }) => timeText(created_at) },
  { header: "SALE", value: ({ sale }) => sale ?? "-", align: "right" },
  { header: "PROMPT", value: ({ prompt }) => cut(prompt) },
];

/** A task, fact by fact. */
export function videoFacts(row: VideoDetails): Facts {
  const { file, error } = row;
  return [
    ["id", row.id],
    ["status", statusText(row)],
    ["error", error === null ? null : `${error.code}: ${error.message}`],
    ["last error", lastErrorText(row)],
    ["queue", queueText(row)],
    ["paused", row.paused ? pauseText(row.paused) : null],
    ["next try", row.next_try_at],
    ["webhook", row.webhook ? webhookText(row.webhook) : null],
    ["project", `${row.project} (${row.key})`],
    ["model", row.model],
    ["route", `${row.route} (${row.provider})`],
    ["film", `${row.size}, ${row.seconds} s`],
    ["prompt", row.prompt],
    ["created", row.created_at],
    ["started", row.started_at],
    ["completed", row.completed_at],
    ["expires", row.completed_at === null ? null : row.expires_at ?? "never"],
    ["attempts", `${row.attempts} (${row.failures} failed, ${row.restarts} cut by a restart)`],
    ["file", file === null ? null : file.path ?? `removed ${file.removed_at}`],
    ["bytes", file === null ? null : String(file.bytes)],
    ["sha256", file === null ? null : file.sha256],
    ["cost", row.cost === null ? null : `${row.cost} ${row.currency}`],
    ["sale", row.sale === null ? null : `${row.sale} ${row.currency}`],
    ["request id", row.request_id],
  ];
}

function lastErrorText({ last_error: last, status, failures }: VideoDetails): string | null {
  if (last !== null) return `${last.message} (${last.route}, ${last.at})`;
  const isForgotten = failures > 0 && status !== "completed";
  return isForgotten ? "before the last start: see video_attempt_failed in the log" : null;
}

function queueText({ queue }: VideoDetails): string | null {
  if (queue === null || queue === undefined) return null;
  const { position, waiting, starts_at: at } = queue;
  return `${position} of ${waiting}${at === null ? "" : `, begins about ${at}`}`;
}

function statusText({ status, progress, file }: VideoRow): string {
  if (status === "in_progress") return `in_progress ${progress}%`;
  return (file?.removed_at ?? null) === null ? status : `${status}, film removed`;
}

/** On one line, and no cut through a character of two code units. */
function cut(prompt: string): string {
  const characters = Array.from(prompt.slice(0, 4 * SHOWN_PROMPT).replace(/\s+/g, " "));
  return characters.length > SHOWN_PROMPT
    ? `${characters.slice(0, SHOWN_PROMPT - 1).join("")}…`
    : characters.join("");
}
