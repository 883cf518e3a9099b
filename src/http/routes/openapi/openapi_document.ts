/**
 * `GET /openapi.json`: the API as an OpenAPI 3.1 document, made from the schemas
 * that check the requests.
 *
 * @module
 */

import * as z from "zod";
import { ERROR_TABLE } from "../../../errors.ts";
import { VERSION } from "../../../version.ts";
import { API_PREFIXES } from "../../api.ts";
import { IDEMPOTENCY_KEY, KEY_PATTERN } from "../../idempotency/idempotency_key.ts";
import { jsonResponse } from "../../answers/json_response.ts";
import type { AppContext } from "../../context/request_context.ts";
import { errorBodySchema } from "../../schemas/error_body.ts";
import { API_PATHS } from "./api_paths.ts";
import type { PathSpec } from "./path_spec.ts";
import { RATE_LIMIT_FIELDS } from "./rate_limit_fields.ts";
import { RESPONSE_PATHS } from "./response_paths.ts";
import { FILM_HEADERS, VIDEO_PATHS } from "./video_paths.ts";

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
    for (const spec of [...API_PATHS, ...RESPONSE_PATHS, ...VIDEO_PATHS]) {
      const id = prefix === "/v1" ? spec.id : `${spec.id}Alias`;
      (paths[prefix + spec.path] ??= {})[spec.method] = operation(spec, id);
    }
  }
  for (const path of ["/healthz", "/readyz"]) paths[path] = { get: probe(path) };
  paths["/videos/{file}"] = { get: publicFilm() };
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
  const parameters = [
    ...[...spec.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
    })),
    ...queryParameters(spec.query),
    ...headerParameters(spec.headers),
    ...(spec.method === "post" ? [REPEATABLE] : []),
  ];
  // Whatever calls a model can be refused by a limit.
  const rateLimits = spec.errors.includes(429) ? RATE_LIMIT_FIELDS : undefined;
  return {
    operationId,
    summary: spec.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(spec.request && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          (spec.requestTypes ?? ["application/json"]).map((type) => [
            type,
            { schema: toJsonSchema(spec.request!) },
          ]),
        ),
      },
    }),
    responses: {
      "200": {
        description: "Done",
        headers: {
          "x-request-id": { schema: { type: "string" } },
          ...(spec.method === "post" && REPEATED_HEADERS),
          ...rateLimits,
        },
        content: answerContent(spec),
      },
      ...(spec.isFile && {
        // Ranges are of GET alone: RFC 9110 section 14.2.
        ...(spec.method === "get" && {
          "206": { description: "The part asked for with Range", content: answerContent(spec) },
        }),
        "304": NOT_MODIFIED,
      }),
      ...Object.fromEntries(
        spec.errors.map((status) => [String(status), {
          ...errorAnswer(status),
          ...(rateLimits && { headers: rateLimits }),
        }]),
      ),
    },
  };
}

function answerContent(spec: PathSpec): unknown {
  if (spec.answer === undefined) {
    const types = spec.answerTypes ?? [];
    return Object.fromEntries(types.map((type) => [type, { schema: BINARY }]));
  }
  return {
    "application/json": { schema: z.toJSONSchema(spec.answer) },
    ...(spec.streams && { "text/event-stream": { schema: { type: "string" } } }),
  };
}

/** Every `POST` takes it. */
const REPEATABLE = {
  name: IDEMPOTENCY_KEY,
  in: "header",
  description:
    "Makes the request safe to repeat for 24 hours: the same request of the same project gets the first one's answer, with 'idempotent-replayed: true', and is not charged again",
  schema: { type: "string", pattern: KEY_PATTERN.source },
};

const REPEATED_HEADERS = {
  "idempotent-replayed": {
    description: "'true' on an answer that an earlier request with this Idempotency-Key got",
    schema: { type: "string" },
  },
  "x-tollgate-first-request-id": {
    description: "With it: the id of that request",
    schema: { type: "string" },
  },
};

const NOT_MODIFIED = { description: "The file is the one that the conditions name" };

const BINARY = { type: "string", format: "binary" };

/** Bytes have no JSON Schema of their own: in a form they are a file. */
function toJsonSchema(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === "custom") Object.assign(jsonSchema, BINARY);
    },
  });
}

function queryParameters(query: z.ZodObject | undefined): readonly unknown[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: "input" });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function headerParameters(names: readonly string[] = []): readonly unknown[] {
  return names.map((name) => ({ name, in: "header", schema: { type: "string" } }));
}

function errorAnswer(status: number): object {
  const codes = Object.values(ERROR_TABLE).filter((row) => row.status === status)
    .map((row) => row.code);
  return {
    description: [...new Set(codes)].join(", "),
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
}

/** Outside the prefixes and without a key: the link that a finished task tells. */
function publicFilm(): unknown {
  const content = { "video/mp4": { schema: BINARY } };
  return {
    operationId: "downloadLinkedVideo",
    summary: "A film by its link, `{id}.mp4`; needs no key",
    security: [],
    parameters: [
      { name: "file", in: "path", required: true, schema: { type: "string" } },
      ...headerParameters(FILM_HEADERS),
    ],
    responses: {
      "200": { description: "The film", content },
      "206": { description: "The part asked for with Range", content },
      "304": NOT_MODIFIED,
      ...Object.fromEntries([404, 412, 416].map((status) => [String(status), errorAnswer(status)])),
    },
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
