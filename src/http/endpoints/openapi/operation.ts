/**
 * One operation of the API's document.
 *
 * @module
 */

import * as z from "zod";
import type { Family } from "../../../dialects/base/dialect.ts";
import { OPENAI } from "../../../dialects/openai/family.ts";
import { ERROR_TABLE, type ErrorRow } from "../../../errors.ts";
import { IDEMPOTENCY_KEY, KEY_PATTERN } from "../../idempotency/idempotency_key.ts";
import type { Answer, Description } from "../shape/endpoint.ts";
import { errorReference, securityOf } from "./family_parts.ts";
import {
  errorFields,
  rateLimitFields,
  REPEATED_FIELDS,
  REQUEST_ID_FIELD,
  textFields,
} from "./header_fields.ts";

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
        [...Map.groupBy(new Set(errors.flatMap(rowsOf)), ({ status }) => String(status))]
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

function fieldParameters(fields: z.ZodObject, place: "path" | "query"): readonly unknown[] {
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
