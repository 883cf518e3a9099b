/**
 * One thing that is wrong with something an operator wrote, and where it stands.
 *
 * @module
 */

import { asObject } from "../domain/json_value.ts";

/** A fault in a file, flag or variable, worded so that the operator can mend it. */
export interface Problem {
  /** Where it stands: `tollgate.yaml:3:5`, `flag --listen`, `variable TOLLGATE_LISTEN`. */
  readonly source: string;
  /** Path inside the document, such as `models[0].id`; empty for the whole of it. */
  readonly path: string;
  /** What is wrong and what to do; never a secret's value. */
  readonly message: string;
}

/** Steps into a document: keys of mappings and indexes of lists. */
export type DocumentPath = readonly (string | number)[];

/** Writes a path as an operator reads it: `models[0].routes[1].cost.input`. */
export function formatPath(path: DocumentPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** One line per problem: `tollgate.yaml:3:5: models[0].id: Missing: required`. */
export function formatProblem({ source, path, message }: Problem): string {
  return path === "" ? `${source}: ${message}` : `${source}: ${path}: ${message}`;
}

/** A mapping with anything in it. */
export type Loose = { readonly [key: string]: unknown };

/** Takes a broken rule. */
export type Report = (path: DocumentPath, message: string) => void;

/** A mapping, or an empty one for anything else. */
export function mappingFrom(value: unknown): Loose {
  return asObject(value) ?? {};
}
