/**
 * The HTTP surface: what each listener serves.
 *
 * @module
 */

import { Hono } from "@hono/hono";
import type { AdminDeps } from "../admin/base/deps.ts";
import { OPENAI } from "../dialects/openai/family.ts";
import { onDemand } from "../domain/on_demand.ts";
import { GatewayError } from "../errors.ts";
import type { ApiDeps, MetricsAccess } from "./context/api_deps.ts";
import { errorResponse } from "./answers/text_response.ts";
import type { RefusalWriter, RequestHandler } from "./listener/contract.ts";
import type { CallLine } from "../batches/line_calls.ts";
import { batchPaths, createLineCalls } from "./line_calls.ts";
import { LiteralRouter } from "./literal_router.ts";
import { emptyNote } from "./request_frame.ts";
import { createRequestHandler, mountEndpoints } from "./request_handler.ts";
import { requireAdmin } from "./callers/require_admin.ts";
import { whenCurrent } from "./endpoints/shape/when_current.ts";
import type { AppEnv } from "./context/request_context.ts";
import { mountAdmin } from "./mount_admin.ts";
import { docsOnDemand, mountDocs } from "./mount_docs.ts";
import { type ConsoleHandler, mountConsole } from "./mount_console.ts";
import { retrieveCall } from "./endpoints/calls.ts";
import {
  createChatCompletion,
  createCompletion,
  createEmbedding,
  createImage,
  createModeration,
  createRanking,
  createRankingV2,
} from "./endpoints/model_calls.ts";
import { healthz, readyz } from "./endpoints/health.ts";
import { cancelBatch, listBatches, retrieveBatch } from "./endpoints/batches/batches.ts";
import { createBatch } from "./endpoints/batches/create_batch.ts";
import { createFile } from "./endpoints/files/create_file.ts";
import { deleteFile, downloadFile, listFiles, retrieveFile } from "./endpoints/files/files.ts";
import { retrieveKey } from "./endpoints/key.ts";
import { countMessageTokens } from "./endpoints/messages/count_tokens.ts";
import { createMessage } from "./endpoints/messages/create_message.ts";
import { createImageEdit } from "./endpoints/image_edits.ts";
import { createTranscription, createTranslation } from "./endpoints/transcriptions.ts";
import { createSpeech } from "./endpoints/speech.ts";
import { metricsEndpoint } from "./endpoints/metrics.ts";
import { listModels, retrieveModel } from "./endpoints/models.ts";
import { openApiEndpoint } from "./endpoints/openapi/document.ts";
import { compactConversation } from "./endpoints/responses/compact_conversation.ts";
import { countInputTokens } from "./endpoints/responses/count_input.ts";
import { cancelResponse, deleteResponse, retrieveResponse } from "./endpoints/responses/kept.ts";
import { createResponse } from "./endpoints/responses/create_response.ts";
import { listInputItems } from "./endpoints/responses/list_input_items.ts";
import { REFUSED_OF_VIDEOS } from "./endpoints/refused.ts";
import type { Endpoint } from "./endpoints/shape/endpoint.ts";
import { downloadLinkedVideo, downloadVideo } from "./endpoints/videos/content.ts";
import { createVideo } from "./endpoints/videos/create_video.ts";
import { deleteVideo, listVideos, retrieveVideo } from "./endpoints/videos/tasks.ts";

/** What is mounted beside the endpoints. */
export interface Mounts {
  /** Behind what opens it. */
  readonly admin: AdminDeps;
  /** Pages for operators; absent where they are switched off. */
  readonly console?: ConsoleHandler | undefined;
}

/** Makes the handler of the public listener. */
export function createPublicHandler(deps: ApiDeps, { admin, console }: Mounts): RequestHandler {
  const app = new Hono<AppEnv>({ router: new LiteralRouter() });
  const { configuration } = deps;
  const waiting = ENDPOINTS.map((endpoint) => whenCurrent(endpoint, configuration));
  const families = mountEndpoints(app, waiting, deps);
  const docs = docsOnDemand(ENDPOINTS, deps, { hasConsole: console !== undefined });
  mountDocs(app, docs);
  mountEntrance(app, console === undefined ? "/docs" : "/console");
  if (console !== undefined) {
    const api = onDemand(async () => {
      const { createConsoleApi } = await import("./console_api.ts");
      return createConsoleApi(OF_CONSOLE, deps, docs);
    });
    mountConsole(app, console, { apiOf: api, configuration });
  }
  const { metrics, adminKey, access } = deps;
  if (metrics?.isBesideApi) {
    const tokens = [metrics.token, adminKey].filter((token) => token !== undefined);
    mountEndpoints(app, [metricsEndpoint(metrics.page, tokens)], deps);
  }
  app.use("/admin/v1/*", requireAdmin(access, configuration));
  mountAdmin(app, { deps: admin, way: "admin_api" });
  return createRequestHandler(app, deps, families);
}

/** The way from the gateway's address alone to where there is something to read. */
function mountEntrance(app: Hono<AppEnv>, place: string): void {
  app.get("/", (context) => {
    context.header("x-request-id", context.env.identity.requestId);
    return context.redirect(place, 303);
  });
}

/** Makes the handler of the control socket: administration without a key, for whoever may open the socket. */
export function createControlHandler(deps: ApiDeps, admin: AdminDeps): RequestHandler {
  const app = new Hono<AppEnv>();
  const { metrics } = deps;
  const pages = metrics === undefined ? [] : [metricsEndpoint(metrics.page, [])];
  const families = mountEndpoints(app, [...PROBES, ...pages], deps);
  mountAdmin(app, { deps: admin, way: "control_socket" });
  return createRequestHandler(app, deps, families);
}

/** Makes the handler of the listener that metrics have for themselves; open to all where no token is set. */
export function createMetricsHandler(
  deps: ApiDeps,
  { page, token }: Pick<MetricsAccess, "page" | "token">,
): RequestHandler {
  const app = new Hono<AppEnv>();
  const pages = [metricsEndpoint(page, token === undefined ? [] : [token])];
  return createRequestHandler(app, deps, mountEndpoints(app, [...PROBES, ...pages], deps));
}

/** Makes what asks for the lines of batches. */
export function createLineHandler(deps: ApiDeps): CallLine {
  return createLineCalls(ENDPOINTS, deps);
}

/** The errors of heads that are no proper HTTP, by the status that the listener found. */
const HEAD_ERRORS = {
  400: "malformed_request",
  431: "request_head_too_large",
  505: "http_version_not_supported",
} as const;

/** Makes the answers to what is no proper HTTP and reaches no handler: like every other error. */
export function createRefusals({ ids, onRequest }: ApiDeps): RefusalWriter {
  return ({ status, message }) => {
    const { requestId } = ids.next();
    const error = new GatewayError(HEAD_ERRORS[status], message);
    onRequest({
      requestId,
      method: "-",
      path: "-",
      status,
      milliseconds: 0,
      address: undefined,
      note: { ...emptyNote(), errorCode: error.code },
      cause: undefined,
    });
    return errorResponse(error, requestId, OPENAI);
  };
}

/** What somebody at the console may try. */
const OF_CONSOLE: readonly Endpoint[] = [
  createChatCompletion,
  createEmbedding,
  createImage,
  createVideo,
];

/** For probes, on every listener. */
export const PROBES: readonly Endpoint[] = [healthz, readyz];

/** Of two whose paths both fit a request, the first answers. */
export const ENDPOINTS: readonly Endpoint[] = [
  createChatCompletion,
  createCompletion,
  createEmbedding,
  createImage,
  createModeration,
  createRanking,
  createRankingV2,
  createSpeech,
  createImageEdit,
  createTranscription,
  createTranslation,
  createMessage,
  countMessageTokens,
  createResponse,
  countInputTokens,
  compactConversation,
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
  createFile,
  listFiles,
  retrieveFile,
  deleteFile,
  downloadFile,
  createBatch(() => batchPaths(ENDPOINTS)),
  listBatches,
  retrieveBatch,
  cancelBatch,
  ...PROBES,
  openApiEndpoint(() => ENDPOINTS),
];
