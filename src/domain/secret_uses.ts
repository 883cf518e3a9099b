/**
 * Where providers say that a secret stands: `env:NAME`, `file:PATH` and `credential:NAME`.
 *
 * @module
 */

import type { Provider } from "./catalogue.ts";

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
  const keys = auth.kind === "none" ? [] : apiKeys;
  return [
    ...keys.map((reference) => ({ provider, reference, part: "a key" })),
    ...referring(headers).map(([name, reference]) => ({
      provider,
      reference,
      part: `header ${name}`,
    })),
    ...referring(query).map(([name, reference]) => ({
      provider,
      reference,
      part: `query parameter ${name}`,
    })),
    ...referring(own).map(([name, reference]) => ({ provider, reference, part: name })),
  ];
}

function referring(settings: Readonly<Record<string, unknown>>): readonly [string, string][] {
  return Object.entries(settings).filter((setting): setting is [string, string] =>
    typeof setting[1] === "string" && isSecretReference(setting[1])
  );
}
