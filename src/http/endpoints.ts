/**
 * Every endpoint of the API: the router and the document of the API are made of this list.
 *
 * @module
 */

import { retrieveCall } from "./endpoints/calls.ts";
import { createChatCompletion } from "./endpoints/chat_completions.ts";
import { createEmbedding } from "./endpoints/embeddings.ts";
import { healthz, readyz } from "./endpoints/health.ts";
import { retrieveKey } from "./endpoints/key.ts";
import { listModels, retrieveModel } from "./endpoints/models.ts";
import { openApiEndpoint } from "./endpoints/openapi/document.ts";
import { cancelResponse } from "./endpoints/responses/cancel_response.ts";
import { createResponse } from "./endpoints/responses/create_response.ts";
import { deleteResponse } from "./endpoints/responses/delete_response.ts";
import { listInputItems } from "./endpoints/responses/list_input_items.ts";
import { retrieveResponse } from "./endpoints/responses/retrieve_response.ts";
import { REFUSED_OF_RESPONSES } from "./endpoints/responses/unsupported.ts";
import type { Endpoint } from "./endpoints/shape/endpoint.ts";
import { downloadLinkedVideo, downloadVideo } from "./endpoints/videos/content.ts";
import { createVideo } from "./endpoints/videos/create_video.ts";
import { deleteVideo } from "./endpoints/videos/delete_video.ts";
import { listVideos } from "./endpoints/videos/list_videos.ts";
import { retrieveVideo } from "./endpoints/videos/retrieve_video.ts";
import { REFUSED_OF_VIDEOS } from "./endpoints/videos/unsupported.ts";

/** For probes, on every listener. */
export const PROBES: readonly Endpoint[] = [healthz, readyz];

/** Of two whose paths both fit a request, the first answers. */
export const ENDPOINTS: readonly Endpoint[] = [
  createChatCompletion,
  createEmbedding,
  createResponse,
  ...REFUSED_OF_RESPONSES,
  retrieveResponse,
  deleteResponse,
  cancelResponse,
  listInputItems,
  listModels,
  retrieveModel,
  retrieveCall,
  retrieveKey,
  createVideo,
  listVideos,
  ...REFUSED_OF_VIDEOS,
  retrieveVideo,
  deleteVideo,
  downloadVideo,
  downloadLinkedVideo,
  ...PROBES,
  openApiEndpoint(() => ENDPOINTS),
];
