/**
 * `/admin/v1/openapi.json`: administration as an OpenAPI 3.1 document, made from the operations.
 *
 * @module
 */

import type * as z from "zod";
import { rolesOf } from "../../../admin/base/run_operation.ts";
import { CHANGE_ERRORS, COMMON_ERRORS, type Operation } from "../../../admin/base/operation.ts";
import { jobRow } from "../../../admin/jobs/jobs.ts";
import { canBeJob } from "../../../admin/jobs/start_job.ts";
import { OPENAI } from "../../../dialects/openai/family.ts";
import { ERROR_TABLE, type ErrorName } from "../../../errors.ts";
import { documentOf } from "../openapi/document.ts";
import { componentsOf, describeOperation } from "../openapi/operation.ts";

/** The document of some operations. */
export function adminDocument(operations: readonly Operation[]): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = `/admin/v1${operation.path}`;
    (paths[path] ??= {})[operation.method.toLowerCase()] = describe(operation, path);
  }
  return documentOf({
    title: "Tollgate administration",
    paths,
    components: {
      ...componentsOf([OPENAI]),
      securitySchemes: {
        administration: {
          type: "http",
          scheme: "bearer",
          description: "The admin key, which is an owner's, or a token of administration",
        },
      },
    },
    security: [{ administration: [] }],
  });
}

/** To a request that prefers not to wait. */
const AS_JOB = {
  description: "With `Prefer: respond-async`: it goes on as this job",
  schema: jobRow,
  headers: { "location": { description: "The job's path" } },
};

function describe(operation: Operation, path: string): unknown {
  const { name, method, summary, output, changes } = operation;
  // Every operation takes an object: its parts are in the path, in the query or in the body.
  const input = operation.input as z.ZodObject;
  const inPath = Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => [part!, true]),
  );
  const isSplit = Object.keys(inPath).length > 0;
  const rest = isSplit ? input.omit(inPath as never) : input;
  const described = describeOperation({
    id: name,
    summary,
    tags: [name.split(".")[0]!],
    ...(isSplit && { pathFields: input.pick(inPath as never) }),
    ...(method === "POST"
      ? {
        request: {
          schema: rest,
          types: ["application/json"],
          isOptional: rest.safeParse({}).success,
        },
      }
      : { query: rest }),
    answer: {
      description: changes === undefined ? "Done" : "Done, and in the audit log",
      schema: output,
    },
    ...(canBeJob(operation) && { requestHeaders: ["Prefer"], otherAnswers: { 202: AS_JOB } }),
    errors: refusals(operation).map((error) => ERROR_TABLE[error]),
  }, { path, id: name, family: OPENAI });
  const roles = rolesOf(operation);
  return {
    ...described as object,
    description: `For the roles ${roles.join(", ")}${
      roles.includes("member") ? ", who has his own project alone" : ""
    }.${canBeJob(operation) ? ` With \`Prefer: respond-async\` it goes on as a job.` : ""}`,
    // OpenAPI 3.1 has names of roles here, where a scheme has no scopes.
    security: [{ administration: roles }],
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

function refusals({ method, changes, errors }: Operation): readonly ErrorName[] {
  return [
    ...ADMISSION_ERRORS,
    ...(method === "POST" ? BODY_ERRORS : []),
    ...COMMON_ERRORS,
    ...(changes === undefined ? [] : CHANGE_ERRORS),
    ...errors,
  ];
}
