/**
 * Checks a parsed body against its schema and says what is wrong in OpenAI's
 * error vocabulary, naming the path of the field.
 *
 * @module
 */

import type * as z from "zod";
import { jsonWords } from "../../documents/word_issue.ts";
import { GatewayError } from "../../errors.ts";

/**
 * The body, checked.
 *
 * @throws {GatewayError} `missing_required_parameter` or `invalid_value`, with `param`.
 */
export function validate<Output>(schema: z.ZodType<Output>, body: unknown): Output {
  const result = schema.safeParse(body, { error: jsonWords });
  if (result.success) return result.data;
  throw firstProblem(result.error, body);
}

function firstProblem(error: z.ZodError, body: unknown): GatewayError {
  return problemOf(error.issues[0]!, body, []);
}

function problemOf(issue: z.core.$ZodIssue, body: unknown, above: readonly string[]): GatewayError {
  const path = [...above, ...issue.path.map(String)];
  const inner = issue.code === "invalid_union" ? innerIssue(issue, valueAt(body, path)) : undefined;
  if (inner !== undefined) return problemOf(inner, body, path);
  if (issue.code === "unrecognized_keys") {
    const param = [...path, issue.keys[0]!].join(".");
    return new GatewayError("invalid_value", `Unknown field '${param}': remove it`, { param });
  }
  const param = formatPath(path);
  if (valueAt(body, path) === undefined) {
    return new GatewayError(
      "missing_required_parameter",
      `Missing required parameter '${param}'`,
      { param },
    );
  }
  return new GatewayError(
    "invalid_value",
    param === ""
      ? "The body must be a JSON object"
      : `Invalid value for '${param}': ${issue.message}`,
    { param: param === "" ? undefined : param },
  );
}

/** What is wrong in an object, where one may stand beside other types: what it is not says nothing. */
function innerIssue(
  { errors }: z.core.$ZodIssueInvalidUnion,
  value: unknown,
): z.core.$ZodIssue | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const fitting = errors.filter(([first]) =>
    first?.code !== "invalid_type" || first.path.length > 0
  );
  return fitting.length === 1 ? fitting[0]![0] : undefined;
}

/** `messages`, `0`, `role` → `messages[0].role`, as OpenAI writes paths. */
function formatPath(path: readonly string[]): string {
  let text = "";
  for (const part of path) {
    if (/^\d+$/.test(part)) text += `[${part}]`;
    else text += text === "" ? part : `.${part}`;
  }
  return text;
}

function valueAt(body: unknown, path: readonly string[]): unknown {
  let value = body;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}
