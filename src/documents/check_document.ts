/**
 * Checks a parsed document against a zod schema and words each issue for the
 * operator: where, what is wrong, what to write instead. Values are not echoed,
 * because one of them may be a secret in the wrong place.
 *
 * @module
 */

import * as z from "zod";
import { didYouMean } from "./did_you_mean.ts";
import { type DocumentPath, formatPath, type Problem } from "./problem.ts";
import { type TypeWords, wordIssue } from "./word_issue.ts";
import type { YamlDocument } from "./yaml_document.ts";

/** The checked value, or every problem with it. */
export type CheckedDocument<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Unknown keys of one mapping that are told of, each with a search for what was meant. */
const MOST_KEYS_TOLD = 50;

/** Validates the whole document and reports every problem at once, as far as lists say, in the file's order. */
export function checkDocument<T>(
  schema: z.ZodType<T>,
  document: YamlDocument,
): CheckedDocument<T> {
  const result = schema.safeParse(document.value);
  if (result.success) return { ok: true, value: result.data };
  const problems = result.error.issues.flatMap((issue) => explain(issue, { schema, document }));
  return { ok: false, problems };
}

interface Context {
  readonly schema: z.ZodType;
  readonly document: YamlDocument;
}

function explain(issue: z.core.$ZodIssue, context: Context): Problem[] {
  const path = issue.path.map((step) => typeof step === "symbol" ? String(step) : step);
  const { document } = context;
  if (issue.code === "unrecognized_keys") {
    const known = keysAt(context.schema, path);
    return issue.keys.slice(0, MOST_KEYS_TOLD).map((key) => ({
      source: document.locate([...path, key], { key: true }),
      path: formatPath([...path, key]),
      message: `Unknown key${hintFor(key, known)}`,
    }));
  }
  if (issue.code === "invalid_union") {
    const inner = deepestBranch(issue.errors);
    if (inner !== undefined) {
      return inner.flatMap((nested) =>
        explain({ ...nested, path: [...path, ...nested.path] }, context)
      );
    }
  }
  const ofKey = issue.code === "invalid_key";
  return [{
    source: document.locate(path, { key: ofKey }),
    path: formatPath(path),
    message: wordDocumentIssue(issue, path, document),
  }];
}

/** The branch that fits the value's type and went wrong further in; or the one with its own words. */
function deepestBranch(
  branches: readonly (readonly z.core.$ZodIssue[])[],
): readonly z.core.$ZodIssue[] | undefined {
  return branches.find((branch) =>
    branch.length > 0 &&
    branch.every((issue) => issue.code !== "invalid_type" || issue.path.length > 0)
  );
}

/** Words one issue; also used for single values that come from flags and variables. */
export function wordDocumentIssue(
  issue: z.core.$ZodIssue,
  path: DocumentPath,
  document?: YamlDocument,
): string {
  return wordIssue(issue, {
    names: YAML_NAMES,
    wrong: (expected) => wordType(expected, path, document),
  });
}

const YAML_NAMES: TypeWords["names"] = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

function wordType(expected: string, path: DocumentPath, document?: YamlDocument): string {
  // What a flag or a variable gives is there.
  if (document === undefined) return `Expected ${expected}`;
  const value = valueAt(document.value, path);
  if (value === undefined) return `Missing: expected ${expected}`;
  if (value === null) return `Expected ${expected}, found nothing`;
  const source = document.sourceOf(path);
  const unquoted = typeof value === "number" || typeof value === "boolean";
  if (unquoted && expected.startsWith("text")) {
    return `Expected ${expected}, found the ${typeof value} ${source}: ` +
      `put it in quotes, "${source}"`;
  }
  if (Array.isArray(value)) return `Expected ${expected}, found a list`;
  const found = typeof value === "object" ? "mapping" : typeof value === "string" ? "text" : "";
  if (found === "text") return `Expected ${expected}, found text`;
  return `Expected ${expected}, found a ${found === "" ? typeof value : found}`;
}

function valueAt(value: unknown, path: DocumentPath): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Record<string | number, unknown>)[step];
  }
  return current;
}

/** Text to put after "Unknown key": the likely one, else all that exist. */
function hintFor(key: string, known: readonly string[]): string {
  const near = didYouMean(key, known);
  if (near !== undefined) return `: did you mean '${near}'?`;
  return known.length === 0 ? "" : `: known here are ${known.join(", ")}`;
}

/** The keys that the schema knows for the object at `path`. */
function keysAt(schema: z.ZodType, path: DocumentPath): readonly string[] {
  let current: z.core.$ZodType | undefined = unwrap(schema);
  for (const step of path) {
    if (current instanceof z.ZodObject) current = unwrap(current.shape[step]);
    else if (current instanceof z.ZodArray) current = unwrap(current.element);
    else if (current instanceof z.ZodRecord) current = unwrap(current.valueType);
    else return [];
  }
  return current instanceof z.ZodObject ? Object.keys(current.shape) : [];
}

function unwrap(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  let current = schema;
  while (
    current instanceof z.ZodOptional || current instanceof z.ZodDefault ||
    current instanceof z.ZodPrefault || current instanceof z.ZodReadonly
  ) current = current.unwrap();
  if (current instanceof z.ZodPipe) return unwrap(current.in);
  if (current instanceof z.ZodUnion) {
    return current.options.map(unwrap).find((option) => option instanceof z.ZodObject) ?? current;
  }
  return current;
}
