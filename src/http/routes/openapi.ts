/**
 * `GET /openapi.json`: the API as an OpenAPI 3.1 document, made from the schemas
 * that check the requests.
 *
 * @module
 */

import { z } from "zod";
import { ERROR_TABLE } from "../../errors.ts";
import { VERSION } from "../../version.ts";
import { API_PREFIXES } from "../api.ts";
import { jsonResponse } from "../json_response.ts";
import type { AppContext } from "../request_context.ts";
import { callViewSchema } from "../schemas/call_view.ts";
import { chatCompletionSchema } from "../schemas/chat_completion.ts";
import { chatRequest } from "../schemas/chat_request.ts";
import { errorBodySchema } from "../schemas/error_body.ts";
import { keyViewSchema } from "../schemas/key_view.ts";
import { modelEntrySchema } from "../schemas/model_entry.ts";

interface PathSpec {
  readonly method: "get" | "post";
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly request?: z.ZodType;
  readonly answer: z.ZodType;
  readonly streams?: true;
  readonly errors: readonly number[];
}

const API: readonly PathSpec[] = [
  {
    method: "post",
    path: "/chat/completions",
    id: "createChatCompletion",
    summary: "Complete a chat, by the best route for this request",
    request: chatRequest,
    answer: chatCompletionSchema,
    streams: true,
    errors: [400, 401, 402, 403, 404, 413, 415, 422, 429, 500, 503],
  },
  {
    method: "get",
    path: "/models",
    id: "listModels",
    summary: "The logical models this key may use, with their prices",
    answer: z.object({ object: z.literal("list"), data: z.array(modelEntrySchema) }),
    errors: [401],
  },
  {
    method: "get",
    path: "/models/{id}",
    id: "retrieveModel",
    summary: "One logical model",
    answer: modelEntrySchema,
    errors: [401, 403, 404],
  },
  {
    method: "get",
    path: "/calls/{request_id}",
    id: "retrieveCall",
    summary: "What a call of this project used and cost, streams included",
    answer: callViewSchema,
    errors: [401, 404],
  },
  {
    method: "get",
    path: "/key",
    id: "retrieveKey",
    summary: "What the calling key is, may use and has left",
    answer: keyViewSchema,
    errors: [401],
  },
];

/** Makes the handler; the document is built once, with the first request. */
export function openApiDocument(): (context: AppContext) => Response {
  let document: unknown;
  return ({ env }) => {
    document ??= buildDocument();
    return jsonResponse(document, env.identity.requestId);
  };
}

function buildDocument(): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const prefix of API_PREFIXES) {
    for (const spec of API) {
      const id = prefix === "/v1" ? spec.id : `${spec.id}Alias`;
      (paths[prefix + spec.path] ??= {})[spec.method] = operation(spec, id);
    }
  }
  for (const path of ["/healthz", "/readyz"]) paths[path] = { get: probe(path) };
  paths["/openapi.json"] = {
    get: {
      operationId: "retrieveOpenApi",
      summary: "This document",
      security: [],
      responses: { "200": { description: "OpenAPI 3.1" } },
    },
  };
  return {
    openapi: "3.1.0",
    info: {
      title: "Tollgate",
      version: VERSION,
      description: "An OpenAI-compatible gateway in front of many model providers",
      license: { name: "MIT", identifier: "MIT" },
    },
    paths,
    components: {
      schemas: { Error: z.toJSONSchema(errorBodySchema) },
      securitySchemes: { projectKey: { type: "http", scheme: "bearer" } },
    },
    security: [{ projectKey: [] }],
  };
}

function operation(spec: PathSpec, operationId: string): unknown {
  const parameters = [...spec.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  return {
    operationId,
    summary: spec.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(spec.request && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: z.toJSONSchema(spec.request, { io: "input" }) } },
      },
    }),
    responses: {
      "200": {
        description: "Done",
        headers: { "x-request-id": { schema: { type: "string" } } },
        content: {
          "application/json": { schema: z.toJSONSchema(spec.answer) },
          ...(spec.streams && { "text/event-stream": { schema: { type: "string" } } }),
        },
      },
      ...Object.fromEntries(spec.errors.map((status) => [String(status), errorAnswer(status)])),
    },
  };
}

function errorAnswer(status: number): unknown {
  const codes = Object.values(ERROR_TABLE).filter((row) => row.status === status)
    .map((row) => row.code);
  return {
    description: [...new Set(codes)].join(", "),
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
}

function probe(path: string): unknown {
  return {
    operationId: path.slice(1),
    summary: path === "/healthz" ? "The process answers" : "The gateway takes calls, or why not",
    security: [],
    responses: {
      "200": { description: "Yes" },
      ...(path === "/readyz" && { "503": { description: "No, with reasons" } }),
    },
  };
}
