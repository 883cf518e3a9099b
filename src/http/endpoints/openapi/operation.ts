/**
 * One operation of the API's document, and the parts that all of one family share: how a key is sent,
 * and how an error looks.
 *
 * @module
 */

import * as z from "zod";
import type { Family, KeyPlace } from "../../../dialects/base/dialect.ts";
import { OPENAI } from "../../../dialects/openai/family.ts";
import { ERROR_TABLE, type ErrorRow } from "../../../errors.ts";
import { IDEMPOTENCY_KEY, KEY_PATTERN } from "../../idempotency/repeatable_post.ts";
import type { Answer, AnswerHeaders, Description } from "../shape/endpoint.ts";

/** Of every answer. */
const REQUEST_ID_FIELD = { "x-request-id": { schema: { type: "string" } } };

/** Of every answer to a request that may be repeated. */
const REPEATED_FIELDS = textFields({
  "idempotent-replayed": {
    description: "'true' on an answer that an earlier request with this Idempotency-Key got",
  },
  "x-tollgate-first-request-id": { description: "With it: the id of that request" },
});

const WORDS = { requests: "calls per minute", tokens: "tokens per minute" } as const;

/** What the document says of an endpoint at one of its paths. */
export function describeOperation(
  described: Description,
  { path, id, family }: { readonly path: string; readonly id: string; readonly family: Family },
): unknown {
  const { summary, answer, otherAnswers = {}, errors } = described;
  const parameters = parametersOf(described, path);
  const limits = described.callsModel === true ? rateLimitFields(family) : undefined;
  const fields = {
    ...REQUEST_ID_FIELD,
    ...(described.isRepeatable === true && REPEATED_FIELDS),
    ...limits,
  };
  return {
    operationId: id,
    summary,
    ...(described.tags && { tags: described.tags }),
    ...(described.isPublic === true
      ? { security: [] }
      : family !== OPENAI && { security: securityOf(family) }),
    ...(parameters.length > 0 && { parameters }),
    ...(described.request && {
      requestBody: {
        required: described.request.isOptional !== true,
        content: contentOf(described.request.types, requestSchema(described.request.schema)),
      },
    }),
    responses: {
      "200": answerOf(answer, fields),
      ...Object.fromEntries(
        Object.entries(otherAnswers).map(([status, other]) => [status, answerOf(other)]),
      ),
      ...Object.fromEntries(
        [...Map.groupBy(
          new Set(errors.flatMap(rowsOf)),
          ({ status }) => String(family.statusOf?.(status) ?? status),
        )]
          .map(([status, rows]) => [status, errorAnswer(rows, family, limits)]),
      ),
    },
  };
}

function parametersOf(described: Description, path: string): readonly unknown[] {
  const { pathFields, query, requestHeaders = [], isRepeatable } = described;
  return [
    ...(pathFields === undefined
      ? [...path.matchAll(/\{\+?(\w+)\}/g)].map(([, name]) => ({
        name,
        in: "path",
        required: true,
        schema: { type: "string" },
      }))
      : fieldParameters(pathFields, "path")),
    ...(query === undefined ? [] : fieldParameters(query, "query")),
    ...requestHeaders.map((name) => ({ name, in: "header", schema: { type: "string" } })),
    ...(isRepeatable === true ? [REPEATABLE] : []),
  ];
}

const REPEATABLE = {
  name: IDEMPOTENCY_KEY,
  in: "header",
  description:
    "Makes the request safe to repeat for 24 hours: the same request of the same project gets the first one's answer, with 'idempotent-replayed: true', and is not charged again",
  schema: { type: "string", pattern: KEY_PATTERN.source },
};

function fieldParameters(fields: z.ZodType, place: "path" | "query"): readonly unknown[] {
  const { properties = {}, required = [] } = z.toJSONSchema(fields, {
    io: "input",
    unrepresentable: "any",
  });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema,
  }));
}

function answerOf({ description = "Done", schema, types = [], headers }: Answer, more?: object) {
  const fields = { ...more, ...(headers && textFields(headers)) };
  const content = {
    ...(schema && contentOf(["application/json"], z.toJSONSchema(schema))),
    ...Object.fromEntries(
      types.map((type) => [type, { schema: type.startsWith("text/") ? TEXT : BINARY }]),
    ),
  };
  return {
    description,
    ...(Object.keys(fields).length > 0 && { headers: fields }),
    ...(Object.keys(content).length > 0 && { content }),
  };
}

const TEXT = { type: "string" };
const BINARY = { type: "string", format: "binary" };

function contentOf(types: readonly string[], schema: unknown): object {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

/** Bytes have no JSON Schema of their own: in a form they are a file. */
function requestSchema(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === "custom") Object.assign(jsonSchema, BINARY);
    },
  });
}

function rowsOf(error: number | ErrorRow): readonly ErrorRow[] {
  if (typeof error !== "number") return [error];
  return Object.values(ERROR_TABLE).filter((row) => row.status === error);
}

function errorAnswer(rows: readonly ErrorRow[], family: Family, headers?: object): object {
  const fields = { ...headers, ...errorFields(rows) };
  return {
    description: [...new Set(rows.map(({ code }) => code))].join(", "),
    ...(Object.keys(fields).length > 0 && { headers: fields }),
    content: contentOf(["application/json"], errorReference(family)),
  };
}

/** Of every answer to a model call whose project or key has the limit. */
function rateLimitFields({ rateLimits }: Family): { readonly [name: string]: unknown } {
  const [short, long, longer] = [20, 59_400, 60_000].map((time) => rateLimits.writeReset(time, 0));
  return Object.fromEntries((["requests", "tokens"] as const).flatMap((what) => [
    [rateLimits[what].limit, {
      description: `The limit of ${WORDS[what]} that leaves least, of the project and the key`,
      schema: { type: "integer" },
    }],
    [rateLimits[what].remaining, {
      description: "What is left of it",
      schema: { type: "integer" },
    }],
    [rateLimits[what].reset, {
      description: `In what time it is whole again, such as ${short}, ${long} or ${longer}`,
      schema: { type: "string" },
    }],
  ]));
}

/** Of errors of a status, as the one table has them. */
function errorFields(rows: readonly ErrorRow[]): { readonly [name: string]: unknown } {
  return textFields({
    ...(rows.some(({ retryAfter }) => retryAfter === true) && {
      "retry-after": { description: "After how many seconds to try again" },
    }),
    ...(rows.some(({ neverRetry }) => neverRetry === true) && {
      "x-should-retry": { description: "'false' where no repeat can succeed" },
    }),
  });
}

/** Headers that an endpoint tells of itself. */
function textFields(headers: AnswerHeaders): { readonly [name: string]: unknown } {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { description }]) => [
      name,
      { description, schema: { type: "string" } },
    ]),
  );
}

/** What operations refer to. */
export function componentsOf(families: readonly Family[]): object {
  return {
    schemas: Object.fromEntries(
      families.map((family) => [errorName(family), z.toJSONSchema(family.errorSchema)]),
    ),
    securitySchemes: Object.fromEntries(
      families.flatMap(({ keyPlaces }) => keyPlaces).map((place) => [
        schemeName(place),
        isBearer(place)
          ? { type: "http", scheme: "bearer" }
          : { type: "apiKey", in: "header", name: place.header },
      ]),
    ),
  };
}

/** Any of the places for a key will do. */
export function securityOf({ keyPlaces }: Family): readonly object[] {
  return keyPlaces.map((place) => ({ [schemeName(place)]: [] }));
}

/** The body of its errors. */
function errorReference(family: Family): object {
  return { $ref: `#/components/schemas/${errorName(family)}` };
}

function errorName(family: Family): string {
  return family === OPENAI ? "Error" : `Error_${family.name}`;
}

function schemeName(place: KeyPlace): string {
  return isBearer(place) ? "projectKey" : `projectKey_${place.header}`;
}

function isBearer({ header }: KeyPlace): boolean {
  return header === "authorization";
}
