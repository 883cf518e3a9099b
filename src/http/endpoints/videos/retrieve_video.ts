/**
 * `GET /v1/videos/{id}` (section 4.5 of the service specification).
 *
 * @module
 */

import { videoView, videoViewSchema } from "../../schemas/video_view.ts";
import { jsonEndpoint } from "../shape/json_endpoint.ts";
import { ownVideo } from "./own_video.ts";
import { POLL_AFTER } from "./poll_after.ts";

/** See the module's text. */
export const retrieveVideo = jsonEndpoint({
  path: "/videos/{id}",
  id: "retrieveVideo",
  summary: "How far a film is: ask every 2 to 3 seconds",
  answer: videoViewSchema,
  answerHeaders: POLL_AFTER,
  errors: [404],
  tell: (deps) => async (asked) => videoView(await ownVideo(asked, deps), deps.videoViews()),
});
