/**
 * Resolves secret references and remembers every value, so that the log can
 * take them out.
 *
 * @module
 */

import {
  createSecretResolver,
  type KeptSecret,
  type RereadSecrets,
  type SecretResolver,
  type SecretResult,
} from "../../config/secrets.ts";
import { systemClock } from "../../domain/clock.ts";

export class KnownSecrets {
  readonly #resolver: SecretResolver;
  readonly #adminKey: string | undefined;
  #values: readonly string[];

  /** Told when a file's last value stays in use, as it cannot be read. */
  onKept: ((kept: KeptSecret) => void) | undefined;

  constructor(
    env: Readonly<Record<string, string | undefined>>,
    settings: readonly (string | undefined)[],
    adminKey: string | undefined,
  ) {
    this.#adminKey = adminKey;
    this.#resolver = createSecretResolver({
      env,
      clock: systemClock,
      onKept: (kept) => this.onKept?.(kept),
    });
    this.#values = [...settings, adminKey].filter((value) => value !== undefined);
  }

  /** Every value seen so far; a new array when one is added. */
  get values(): readonly string[] {
    return this.#values;
  }

  /** Those whose last value stays in use, as their file cannot be read. */
  kept(): readonly KeptSecret[] {
    return this.#resolver.kept();
  }

  /** Reads all files again that are in use. */
  reread(): RereadSecrets {
    return this.#resolver.reread();
  }

  /**
   * The value of a reference, or why there is none. The admin key is given to nobody: whoever may
   * write providers could have it sent to himself, and be an owner then.
   */
  resolve(reference: string): SecretResult {
    const result = this.#resolver.resolve(reference);
    if (result.ok && result.value === this.#adminKey) {
      return {
        ok: false,
        message:
          `${reference} is the gateway's own admin key, which goes nowhere: name another key`,
      };
    }
    if (result.ok && !this.#values.includes(result.value)) {
      this.#values = [...this.#values, result.value];
    }
    return result;
  }
}
