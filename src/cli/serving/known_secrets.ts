/**
 * Resolves secret references and remembers every value, so that the log can
 * take them out.
 *
 * @module
 */

import { createSecretResolver, type SecretResolver } from "../../config/secrets.ts";
import { systemClock } from "../../domain/clock.ts";

/** See the module's text. */
export class KnownSecrets {
  readonly #resolver: SecretResolver;
  #values: readonly string[];

  constructor(
    env: Readonly<Record<string, string | undefined>>,
    adminKey: string | undefined,
  ) {
    this.#resolver = createSecretResolver({ env, clock: systemClock });
    this.#values = adminKey === undefined ? [] : [adminKey];
  }

  /** Every value seen so far; a new array when one is added. */
  get values(): readonly string[] {
    return this.#values;
  }

  /** The value of a reference; `undefined` when there is none. */
  resolve(reference: string): string | undefined {
    const result = this.#resolver.resolve(reference);
    if (!result.ok) return undefined;
    if (!this.#values.includes(result.value)) this.#values = [...this.#values, result.value];
    return result.value;
  }
}
