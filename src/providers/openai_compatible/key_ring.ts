/**
 * The keys of one upstream account, used in turn, and every secret that must
 * not be seen.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { Provider } from "../../domain/catalogue.ts";
import { UpstreamError } from "../provider.ts";

/** Gives the value of a reference (`env:NAME`, `file:PATH`), or `undefined` when there is none. */
export type Secrets = (reference: string) => string | undefined;

/** How long resolved values are used before they are looked up again, so that a key can be rotated. */
const RESOLVED_FOR_MS = 30_000;

const REFERENCE = /^(?:env|file):/;

/** Resolved settings of the upstream: what one request needs to be authorised. */
export class KeyRing {
  readonly #provider: Provider;
  readonly #secrets: Secrets;
  readonly #clock: Clock;
  #resolvedAt = -Infinity;
  #keys: readonly string[] = [];
  #headers: Readonly<Record<string, string>> = {};
  #query: Readonly<Record<string, string>> = {};
  #known: readonly string[] = [];
  #turn = 0;

  constructor(
    provider: Provider,
    options: { readonly secrets: Secrets; readonly clock: Clock },
  ) {
    this.#provider = provider;
    this.#secrets = options.secrets;
    this.#clock = options.clock;
  }

  /**
   * The operator's headers and the header of the key whose turn it is.
   *
   * @throws {UpstreamError} `operator` when no reference of the provider has a value.
   */
  nextHeaders(): Record<string, string> {
    this.#resolve();
    const { auth, apiKeys, id } = this.#provider;
    if (auth.kind === "none") return { ...this.#headers };
    if (this.#keys.length === 0) {
      // Without any reference the operator says that the upstream wants no key.
      if (apiKeys.length === 0) return { ...this.#headers };
      throw new UpstreamError(
        "operator",
        `Cannot call provider '${id}': none of its keys has a value (${apiKeys.join(", ")})`,
      );
    }
    const key = this.#keys[this.#turn++ % this.#keys.length]!;
    return auth.kind === "bearer"
      ? { ...this.#headers, authorization: `Bearer ${key}` }
      : { ...this.#headers, [auth.name.toLowerCase()]: key };
  }

  /** The operator's query parameters. */
  get query(): Readonly<Record<string, string>> {
    this.#resolve();
    return this.#query;
  }

  /** Values of every reference, for redaction. */
  get secrets(): readonly string[] {
    this.#resolve();
    return this.#known;
  }

  #resolve(): void {
    const now = this.#clock.monotonic();
    if (now - this.#resolvedAt < RESOLVED_FOR_MS) return;
    this.#resolvedAt = now;
    const { apiKeys, headers, query } = this.#provider;
    this.#keys = apiKeys.map((reference) => this.#secrets(reference)?.trim())
      .filter((key) => key !== undefined && key !== "") as string[];
    const known = new Set(this.#keys);
    this.#headers = this.#resolveAll(headers, known, (name) => name.toLowerCase());
    this.#query = this.#resolveAll(query, known, (name) => name);
    this.#known = [...known];
  }

  /** Values that are references are replaced; one without a value is left out. */
  #resolveAll(
    settings: Readonly<Record<string, string>>,
    known: Set<string>,
    nameOf: (name: string) => string,
  ): Record<string, string> {
    const resolved: Record<string, string> = {};
    for (const [name, setting] of Object.entries(settings)) {
      if (!REFERENCE.test(setting)) {
        resolved[nameOf(name)] = setting;
        continue;
      }
      const value = this.#secrets(setting)?.trim();
      if (value === undefined || value === "") continue;
      known.add(value);
      resolved[nameOf(name)] = value;
    }
    return resolved;
  }
}
