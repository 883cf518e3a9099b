/**
 * `/admin/v1/openapi.json`: administration as an OpenAPI 3.1 document, made from the operations.
 *
 * @module
 */

import * as z from "zod";
import { CHANGE_ERRORS, COMMON_ERRORS, type Operation } from "../../admin/base/operation.ts";
import { ERROR_TABLE, type ErrorName } from "../../errors.ts";
import { VERSION } from "../../version.ts";
import { errorBodySchema } from "../../dialects/openai/error_body.ts";

/** The document of some operations. */
export function adminDocument(operations: readonly Operation[]): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = paths[`/admin/v1${operation.path}`] ??= {};
    path[operation.method.toLowerCase()] = describe(operation);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Tollgate administration",
      version: VERSION,
      license: { name: "MIT", identifier: "MIT" },
    },
    paths,
    components: {
      schemas: { Error: z.toJSONSchema(errorBodySchema) },
      securitySchemes: { adminKey: { type: "http", scheme: "bearer" } },
    },
    security: [{ adminKey: [] }],
  };
}

function describe(operation: Operation): object {
  const { name, path, method, summary, input, output, changes } = operation;
  const { properties = {}, required = [] } = z.toJSONSchema(input, {
    io: "input",
    unrepresentable: "any",
  });
  const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part));
  const rest = Object.entries(properties).filter(([field]) => !inPath.has(field));
  const parameters = [
    ...[...inPath].map((field) => ({
      name: field,
      in: "path",
      required: true,
      schema: properties[field!],
    })),
    ...(method === "POST" ? [] : rest.map(([field, schema]) => ({
      name: field,
      in: "query",
      required: required.includes(field),
      schema,
    }))),
  ];
  const schema = {
    type: "object",
    properties: Object.fromEntries(rest),
    required: required.filter((field) => !inPath.has(field)),
    additionalProperties: false,
  };
  return {
    operationId: name,
    summary,
    tags: [name.split(".")[0]],
    ...(parameters.length > 0 && { parameters }),
    ...(method === "POST" && {
      requestBody: {
        required: schema.required.length > 0,
        content: { "application/json": { schema } },
      },
    }),
    responses: {
      "200": {
        description: changes !== undefined ? "Done, and in the audit log" : "Done",
        content: { "application/json": { schema: z.toJSONSchema(output) } },
      },
      ...refusals(operation),
    },
  };
}

/** What a request may end with before its operation is asked. */
const ADMISSION_ERRORS: readonly ErrorName[] = ["project_key_invalid"];
const BODY_ERRORS: readonly ErrorName[] = [
  "invalid_json",
  "request_too_large",
  "unsupported_content_type",
  "unsupported_content_encoding",
];

function refusals({ method, changes, errors }: Operation): object {
  const names = [
    ...ADMISSION_ERRORS,
    ...(method === "POST" ? BODY_ERRORS : []),
    ...COMMON_ERRORS,
    ...(changes !== undefined ? CHANGE_ERRORS : []),
    ...errors,
  ];
  const byStatus = Map.groupBy(
    [...new Set(names)].map((name) => ERROR_TABLE[name]),
    ({ status }) => String(status),
  );
  return Object.fromEntries(
    [...byStatus].map(([status, rows]) => [status, {
      description: rows.map(({ code }) => code).join(", "),
      content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
    }]),
  );
}
