/**
 * The paths of video tasks, as the API's document tells them.
 *
 * @module
 */

import * as z from "zod";
import { videoRequest } from "../../schemas/video_request.ts";
import { videoViewSchema } from "../../schemas/video_view.ts";
import { videoListQuery } from "../videos/list_videos.ts";
import type { PathSpec } from "./path_spec.ts";

const id = z.string();
const film = { isFile: true, answerTypes: ["video/mp4", "image/webp"] } as const;
const conditions = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];
/** Request headers that decide what of a film is sent. */
export const FILM_HEADERS: readonly string[] = ["range", "if-range", ...conditions];
const variant = z.object({ variant: z.enum(["video", "thumbnail"]).optional() });

/** In the order of the document. */
export const VIDEO_PATHS: readonly PathSpec[] = [
  {
    method: "post",
    path: "/videos",
    id: "createVideo",
    summary: "Order a film; it is made in the background",
    request: videoRequest,
    requestTypes: ["application/json", "multipart/form-data"],
    answer: videoViewSchema,
    errors: [400, 401, 402, 403, 404, 413, 415, 429, 500, 503],
  },
  {
    method: "get",
    path: "/videos",
    id: "listVideos",
    summary: "The films of this project, newest first",
    query: videoListQuery,
    answer: z.object({
      object: z.literal("list"),
      data: z.array(videoViewSchema),
      first_id: id.nullable(),
      last_id: id.nullable(),
      has_more: z.boolean(),
    }),
    errors: [400, 401],
  },
  {
    method: "get",
    path: "/videos/{id}",
    id: "retrieveVideo",
    summary: "How far a film is: ask every 2 to 3 seconds",
    answer: videoViewSchema,
    errors: [401, 404],
  },
  {
    method: "delete",
    path: "/videos/{id}",
    id: "deleteVideo",
    summary: "Delete a film, or give up one that is being made and pay for what is done of it",
    answer: z.object({ id, object: z.literal("video.deleted"), deleted: z.literal(true) }),
    errors: [401, 404, 503],
  },
  {
    method: "get",
    path: "/videos/{id}/content",
    id: "downloadVideo",
    summary: "The film itself, or its thumbnail",
    query: variant,
    headers: FILM_HEADERS,
    ...film,
    errors: [400, 401, 404, 412, 416],
  },
  {
    method: "head",
    path: "/videos/{id}/content",
    id: "inspectVideoContent",
    summary: "Size and validators of the film",
    query: variant,
    headers: conditions,
    ...film,
    errors: [400, 401, 404, 412],
  },
];
