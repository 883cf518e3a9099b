/**
 * `GET|HEAD /v1/videos/{id}/content` (section 4.6 of the service specification)
 * and `GET|HEAD /videos/{id}.mp4`: the film itself, whole or in part.
 *
 * @module
 */

import * as z from "zod";
import type { VideoTask } from "../../../domain/video_task.ts";
import { GatewayError } from "../../../errors.ts";
import type { FilmContent, FilmVariant } from "../../../videos/files/film_store.ts";
import { FileMissingError, fileResponse } from "../../answers/file_response.ts";
import { objectResponse } from "../../answers/object_response.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import type { AskedFor } from "../../context/request_context.ts";
import type { Answer, Description, Endpoint } from "../shape/endpoint.ts";
import { keyedEndpoint } from "../shape/keyed_endpoint.ts";
import { ownVideo, videoNotFound } from "./tasks.ts";

const VARIANTS = ["video", "thumbnail"] as const satisfies readonly FilmVariant[];
const TYPES: Readonly<Record<FilmVariant, string>> = {
  video: "video/mp4",
  thumbnail: "image/webp",
};

const HEADERS: Readonly<Record<string, string>> = {
  // A film never changes, but it may be deleted, and its key may be withdrawn.
  "cache-control": "private, no-cache",
};

/** Statuses of answers by which somebody gets the film. */
const SENT: readonly number[] = [200, 206, 302];

/** Request headers that decide whether a film is sent. */
const CONDITIONS = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];
const NOT_MODIFIED: Answer = { description: "The file is the one that the conditions name" };

/** What the document says of every way to a film. */
function film(answer: Required<Pick<Answer, "types">> & Answer) {
  return {
    requestHeaders: ["range", "if-range", ...CONDITIONS],
    answer,
    otherAnswers: {
      206: { ...answer, description: "The part asked for with Range" },
      302: { description: "The film's address in the operator's bucket, good for 5 minutes" },
      304: NOT_MODIFIED,
    },
  } satisfies Partial<Description>;
}

/** For callers with a key. */
export const downloadVideo = keyedEndpoint({
  method: "GET",
  path: "/videos/{id}/content",
  id: "downloadVideo",
  summary: "The film itself, or its thumbnail",
  // What else is asked for is refused below: one of OpenAI's variants is not made here.
  query: z.lazy(() => z.object({ variant: z.string().meta({ enum: VARIANTS }).optional() })),
  ...film({ types: ["video/mp4", "image/webp"] }),
  errors: [400, 404, 412, 416],
  head: {
    id: "inspectVideoContent",
    summary: "Size and validators of the film",
    // Ranges are of GET alone: RFC 9110 section 14.2.
    requestHeaders: CONDITIONS,
    otherAnswers: { 304: NOT_MODIFIED },
    errors: [400, 401, 404, 412],
  },
  respond: (deps) => async (asked) => {
    const task = await ownVideo(asked, deps);
    const variant = variantOf(asked.query.variant);
    return await sendFilm(asked.context, { task, variant, deps, notesFetched: true });
  },
});

/** For whoever has the link that a finished task tells: its id cannot be guessed. */
export const downloadLinkedVideo: Endpoint = {
  method: "GET",
  path: "/videos/{file}",
  isOutside: true,
  description: {
    id: "downloadLinkedVideo",
    summary: "A film by its link, `{id}.mp4`; needs no key",
    isPublic: true,
    ...film({ description: "The film", types: ["video/mp4"] }),
    errors: [404, 412, 416],
  },
  handler: (deps) => async (context) => {
    const [, id] = /^([^/]+)\.mp4$/.exec(context.req.param("file")!) ?? [];
    const task = id === undefined || !deps.videoViews().publicLinks
      ? undefined
      : await deps.videos.find(id);
    if (task?.status !== "completed") throw videoNotFound();
    return await sendFilm(context, { task, variant: "video", deps, notesFetched: true });
  },
};

/** A film or its thumbnail, and who asks for it. */
export interface FilmSent {
  readonly task: VideoTask;
  readonly variant: FilmVariant;
  readonly deps: Pick<ApiDeps, "videos" | "clock">;
  /**
   * Whether it is its project that has the film then: a quota may remove it afterwards. The console
   * shows films, and nothing from elsewhere.
   */
  readonly notesFetched: boolean;
}

/**
 * Answers with it, whole or in part.
 *
 * @throws {GatewayError} `video_not_ready`, `video_not_found`, `films_away`, and as {@linkcode fileResponse}.
 */
export async function sendFilm(
  { req, env }: AskedFor,
  { task, variant, deps, notesFetched }: FilmSent,
): Promise<Response> {
  const { file } = requireContent(task);
  if (variant === "thumbnail") requireThumbnail(task);
  const stored = deps.videos.contentOf(task, variant);
  const bytes = variant === "video" ? file.bytes : await bytesOf(stored, task);
  const name = `${task.id}.${variant === "video" ? "mp4" : "webp"}`;
  try {
    const content = {
      bytes,
      etag: `"${file.sha256}${variant === "video" ? "" : "-thumbnail"}"`,
      lastModifiedMs: task.completedAt!,
      contentType: TYPES[variant],
      headers: { ...HEADERS, "content-disposition": `inline; filename="${name}"` },
    };
    const { requestId } = env.identity;
    const response = "path" in stored
      ? await fileResponse(req.raw, { ...content, path: stored.path }, requestId)
      : await objectResponse(
        req.raw,
        { ...content, object: stored, mayRedirect: notesFetched },
        requestId,
      );
    const isSent = SENT.includes(response.status);
    if (notesFetched && variant === "video" && req.method === "GET" && isSent) {
      deps.videos.noteFetched(task, deps.clock.now());
    }
    return response;
  } catch (error) {
    throw error instanceof FileMissingError ? contentGone(task) : error;
  }
}

function variantOf(asked: string | undefined): FilmVariant {
  const variant = VARIANTS.find((one) => one === (asked ?? "video"));
  if (variant !== undefined) return variant;
  throw new GatewayError(
    asked === "spritesheet" ? "not_supported" : "invalid_value",
    `Invalid value for 'variant': there is ${VARIANTS.join(" and ")}`,
    { param: "variant" },
  );
}

/**
 * Whether there is anything to send.
 *
 * @throws {GatewayError} `video_not_ready` while there is none, `video_not_found` when it is gone.
 */
function requireContent(task: VideoTask): { readonly file: NonNullable<VideoTask["file"]> } {
  const { status, progress, file } = task;
  if (status === "failed") {
    throw new GatewayError(
      "video_not_ready",
      `The video has failed, so it has no content: ${task.error?.message ?? "unknown reason"}`,
    );
  }
  if (status !== "completed" || file === undefined) {
    throw new GatewayError(
      "video_not_ready",
      `The video is ${status} at ${progress} %: ask GET /v1/videos/${task.id} every 2 to 3 seconds until it is completed`,
    );
  }
  if (task.fileRemovedAt !== undefined) throw contentGone(task);
  return { file };
}

function requireThumbnail(task: VideoTask): void {
  if (task.file?.hasThumbnail === true) return;
  throw new GatewayError("video_not_found", "This video has no thumbnail: its upstream made none", {
    param: "variant",
  });
}

async function bytesOf(stored: FilmContent, task: VideoTask): Promise<number> {
  try {
    if ("path" in stored) return (await Deno.stat(stored.path)).size;
    const bytes = await stored.bytes();
    if (bytes === undefined) throw contentGone(task);
    return bytes;
  } catch (error) {
    throw error instanceof Deno.errors.NotFound ? contentGone(task) : error;
  }
}

function contentGone({ file, fileRemovedAt, expiresAt }: VideoTask): GatewayError {
  if (fileRemovedAt === undefined) {
    if (file?.key !== undefined) {
      return new GatewayError(
        "video_not_found",
        "The film of this video is no longer in the gateway's bucket: create it again",
      );
    }
    return new GatewayError(
      "video_not_found",
      "The film of this video is no longer on the gateway's disk: create it again",
    );
  }
  // A film that goes before its time is over expires at that very moment.
  const why = expiresAt === fileRemovedAt
    ? "to keep within the operator's quota"
    : "as its time was over";
  return new GatewayError(
    "video_not_found",
    `The film of this video was removed on ${new Date(fileRemovedAt).toISOString()} ${why}: ` +
      "create it again",
  );
}
