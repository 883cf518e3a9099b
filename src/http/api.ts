/**
 * The API as one sub-app, mounted under both prefixes.
 *
 * @module
 */

import { Hono } from "@hono/hono";
import type { ApiDeps } from "./context/api_deps.ts";
import type { AppEnv } from "./context/request_context.ts";
import { showCall } from "./routes/calls.ts";
import { chatCompletions } from "./routes/chat_completions.ts";
import { embeddings } from "./routes/embeddings.ts";
import { showKey } from "./routes/key.ts";
import { listModels, showModel } from "./routes/models.ts";
import {
  cancelResponse,
  deleteResponse,
  listInputItems,
  showResponse,
} from "./routes/responses/kept_response.ts";
import { postResponse } from "./routes/responses/post_response.ts";
import { unsupportedResponseOperation } from "./routes/responses/unsupported.ts";
import { videoContent } from "./routes/videos/content.ts";
import { postVideo } from "./routes/videos/post_video.ts";
import { deleteVideo } from "./routes/videos/delete_video.ts";
import { listVideos } from "./routes/videos/list_videos.ts";
import { showVideo } from "./routes/videos/show_video.ts";
import { unsupportedVideoOperation } from "./routes/videos/unsupported.ts";

/** The prefixes under which the whole API exists: the service specification uses both. */
export const API_PREFIXES = ["/v1", "/api/gateway/v1"] as const;

/** Every path that exists under each of {@linkcode API_PREFIXES}. */
export function createApi(deps: ApiDeps): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .post("/chat/completions", chatCompletions(deps))
    .post("/embeddings", embeddings(deps))
    .post("/responses", postResponse(deps))
    .post("/responses/input_tokens", unsupportedResponseOperation(deps, "input_tokens"))
    .post("/responses/compact", unsupportedResponseOperation(deps, "compact"))
    .get("/responses/:id", showResponse(deps))
    .delete("/responses/:id", deleteResponse(deps))
    .post("/responses/:id/cancel", cancelResponse(deps))
    .get("/responses/:id/input_items", listInputItems(deps))
    .get("/models", listModels(deps))
    .get("/models/:id{.+}", showModel(deps))
    .get("/calls/:request_id", showCall(deps))
    .get("/key", showKey(deps))
    .post("/videos", postVideo(deps))
    .get("/videos", listVideos(deps))
    .post("/videos/edits", unsupportedVideoOperation(deps, "edits"))
    .post("/videos/extensions", unsupportedVideoOperation(deps, "extensions"))
    .post("/videos/characters", unsupportedVideoOperation(deps, "characters"))
    .get("/videos/characters/:id", unsupportedVideoOperation(deps, "characters"))
    .post("/videos/:id/remix", unsupportedVideoOperation(deps, "remix"))
    .get("/videos/:id", showVideo(deps))
    .delete("/videos/:id", deleteVideo(deps))
    .get("/videos/:id/content", videoContent(deps));
}
