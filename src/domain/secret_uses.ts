/**
 * Where providers say that a secret stands: `env:NAME`, `file:PATH` and `credential:NAME`.
 *
 * @module
 */

import type { Provider } from "./catalogue.ts";
import { isObject } from "./json_value.ts";

/** A reference to a secret, and what it is for. */
export interface SecretUse {
  readonly provider: string;
  readonly reference: string;
  /** Such as `a key`, or `header x-org`. */
  readonly part: string;
}

/** Whether a text is a reference rather than a secret. */
export function isSecretReference(text: string): boolean {
  return /^(?:env|file|credential):/.test(text);
}

/** Every reference that is looked up for requests to a provider. */
export function secretUses(
  { id: provider, auth, apiKeys, headers, query, own = {} }: Pick<
    Provider,
    "id" | "auth" | "apiKeys" | "headers" | "query" | "own"
  >,
): readonly SecretUse[] {
  const uses = (settings: unknown, partOf: (path: string) => string) =>
    [...referencesIn(settings)].map(([path, reference]) => ({
      provider,
      reference,
      part: partOf(path),
    }));
  return [
    ...uses(auth.kind === "none" ? [] : apiKeys, () => "a key"),
    ...uses(headers, (name) => `header ${name}`),
    ...uses(query, (name) => `query parameter ${name}`),
    ...uses(own, (path) => path),
  ];
}

/** The references within settings, however deep, and where they stand. */
export function* referencesIn(
  value: unknown,
  path = "",
): Generator<readonly [path: string, reference: string]> {
  if (typeof value === "string" && isSecretReference(value)) yield [path, value];
  else if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) yield* referencesIn(one, `${path}[${index}]`);
  } else if (isObject(value)) {
    for (const [key, one] of Object.entries(value)) {
      yield* referencesIn(one, path === "" ? key : `${path}.${key}`);
    }
  }
}
