/**
 * Every endpoint of the API: the router and the document of the API are made of this list.
 *
 * @module
 */

import { retrieveCall } from "./endpoints/calls.ts";
import { createChatCompletion, createEmbedding } from "./endpoints/model_calls.ts";
import { healthz, readyz } from "./endpoints/health.ts";
import { retrieveKey } from "./endpoints/key.ts";
import { listModels, retrieveModel } from "./endpoints/models.ts";
import { openApiEndpoint } from "./endpoints/openapi/document.ts";
import { cancelResponse, deleteResponse, retrieveResponse } from "./endpoints/responses/kept.ts";
import { createResponse } from "./endpoints/responses/create_response.ts";
import { listInputItems } from "./endpoints/responses/list_input_items.ts";
import { REFUSED_OF_RESPONSES, REFUSED_OF_VIDEOS } from "./endpoints/refused.ts";
import type { Endpoint } from "./endpoints/shape/endpoint.ts";
import { downloadLinkedVideo, downloadVideo } from "./endpoints/videos/content.ts";
import { createVideo } from "./endpoints/videos/create_video.ts";
import { deleteVideo, listVideos, retrieveVideo } from "./endpoints/videos/tasks.ts";

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
