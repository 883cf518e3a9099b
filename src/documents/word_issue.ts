/**
 * Words what a schema finds wrong with a value, in this project's words instead
 * of the schema library's: what is expected, and what was found.
 *
 * @module
 */

import type * as z from "zod";

/** How the types of values are called in the notation that the value was written in. */
export interface TypeWords {
  readonly names: { readonly [expected: string]: string };
  /** Says that a value of `expected` is missing or of another type. */
  readonly wrong: (expected: string) => string;
}

/** Any issue of the library, as it is found or as it is reported. */
type Issue = z.core.$ZodIssue | z.core.$ZodRawIssue;

/** One issue in words. A schema's own message is the caller's to prefer. */
export function wordIssue(issue: Issue, { names, wrong }: TypeWords): string {
  switch (issue.code) {
    case "invalid_type":
      return wrong(nameIn(names, issue.expected as string));
    case "invalid_union": {
      const branches = issue.errors as readonly (readonly Issue[])[];
      const near = nearMiss(branches);
      return near === undefined
        ? wrong(unionNames(branches, names))
        : wordIssue(near, { names, wrong });
    }
    case "invalid_value": {
      const values = issue.values as readonly unknown[];
      return `Expected ${values.length === 1 ? "" : "one of "}${values.join(", ")}`;
    }
    case "too_small":
      if (issue.origin === "number" || issue.origin === "int") {
        return `Expected a number ${issue.inclusive ? "of at least" : "above"} ${issue.minimum}`;
      }
      return "Must not be empty";
    case "too_big":
      if (issue.origin === "number" || issue.origin === "int") {
        return `Expected a number of at most ${issue.maximum}`;
      }
      return `Too long: at most ${issue.maximum} ${
        issue.origin === "string" ? "characters" : "entries"
      }`;
    case "invalid_key":
      return (issue.issues as readonly Issue[])[0]?.message ?? String(issue.message);
    default:
      return issue.message ?? "Not what is expected here";
  }
}

/**
 * The words for values in JSON and queries, for a schema's parse: a schema's own
 * messages go before them.
 */
export function jsonWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "unrecognized_keys":
    case "custom":
      return undefined;
    case "invalid_format":
      return `Expected text of the form ${issue.pattern ?? issue.format}`;
  }
  return wordIssue(issue, {
    names: JSON_NAMES,
    wrong: (expected) =>
      issue.input === undefined
        ? `${MISSING}: expected ${expected}`
        : `Expected ${expected}, found ${jsonType(issue.input)}`,
  });
}

/** How {@linkcode jsonWords} begins where there is no value at all. */
export const MISSING = "Missing";

const JSON_NAMES: TypeWords["names"] = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

function jsonType(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number") return Number.isInteger(value) ? "a whole number" : "a number";
  return typeof value === "object" ? "an object" : nameIn(JSON_NAMES, typeof value);
}

/** What alone is wrong by the branch whose type the value has, such as too many entries. */
function nearMiss(branches: readonly (readonly Issue[])[]): Issue | undefined {
  const near = branches.filter(([first]) =>
    first !== undefined && (first.path ?? []).length === 0 &&
    (first.code === "too_big" || first.code === "too_small" || first.code === "invalid_format")
  );
  return near.length === 1 ? near[0]![0] : undefined;
}

function unionNames(branches: readonly (readonly Issue[])[], names: TypeWords["names"]): string {
  const found = branches.flatMap((branch) =>
    branch.flatMap((inner) =>
      inner.code === "invalid_type" ? [nameIn(names, inner.expected as string)] : []
    )
  );
  return [...new Set(found)].join(" or ");
}

function nameIn(names: TypeWords["names"], expected: string): string {
  return names[expected] ?? expected;
}
