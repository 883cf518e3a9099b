/**
 * A Compose file as Compose reads it, as far as ours go.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parse } from "yaml";

/** A service: what it runs, and with which variables. */
export interface ComposeService {
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
}

/** The services of a file by name, with variables put in. */
export function readServices(
  text: string,
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, ComposeService>> {
  return putIn(parse(text, { merge: true }).services, variables) as Record<string, ComposeService>;
}

/** `${NAME:?}` has to be there, `${NAME:-default}` may be missing, `$$` is a dollar. */
function putIn(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === "string") {
    return value.replaceAll(
      /\$(?:\$|\{(\w+):(?:\?|-([^}]*))\})/g,
      (whole, name: string | undefined, otherwise: string | undefined) => {
        if (whole === "$$") return "$";
        const given = variables[name!] ?? otherwise;
        assert.ok(given !== undefined, `${name} has no value`);
        return given;
      },
    );
  }
  if (Array.isArray(value)) return value.map((one) => putIn(one, variables));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, putIn(one, variables)]),
  );
}
