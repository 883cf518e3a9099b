/**
 * The keys of one upstream account, used in turn, and every secret that must
 * not be seen.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { Provider } from "../../domain/catalogue.ts";
import { UpstreamError } from "../provider.ts";

/** Gives the value of a reference (`env:NAME`, `file:PATH` …), or `undefined` when there is none. */
export type Secrets = (reference: string) => string | undefined;

/** How long resolved values are used before they are looked up again, so that a key can be rotated. */
const RESOLVED_FOR_MS = 30_000;

const REFERENCE = /^(?:env|file):/;

/** What authorises one request. */
export interface Credential {
  /** Reference of the key; `undefined` when none is sent. */
  readonly reference: string | undefined;
  /** The operator's headers and the key's, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Resolved settings of the upstream: what one request needs to be authorised. */
export class KeyRing {
  readonly #provider: Provider;
  readonly #secrets: Secrets;
  readonly #clock: Clock;
  #resolvedAt = -Infinity;
  #keys: readonly { readonly reference: string; readonly value: string }[] = [];
  /** Keys by reference that were asked for although the list no longer has them. */
  readonly #formerKeys = new Map<string, string>();
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
   * The credential whose turn it is.
   *
   * @throws {UpstreamError} `operator` when no reference of the provider has a value.
   */
  next(): Credential {
    this.#resolve();
    const { auth, apiKeys, id } = this.#provider;
    // Without any reference the operator says that the upstream wants no key.
    if (auth.kind === "none" || apiKeys.length === 0) return this.#withoutKey();
    if (this.#keys.length === 0) {
      throw new UpstreamError(
        "operator",
        `Cannot call provider '${id}': none of its keys has a value (${apiKeys.join(", ")})`,
      );
    }
    return this.#withKey(this.#keys[this.#turn++ % this.#keys.length]!);
  }

  /**
   * The credential of a reference that was used before, also when the list no
   * longer has it: what an account made, only that account may see.
   *
   * @throws {UpstreamError} `operator` when the reference no longer has a value.
   */
  of(reference: string | undefined): Credential {
    this.#resolve();
    if (reference === undefined || this.#provider.auth.kind === "none") return this.#withoutKey();
    const listed = this.#keys.find((key) => key.reference === reference);
    const value = listed?.value ?? this.#formerKeys.get(reference) ?? this.#valueOf(reference);
    if (value === undefined) {
      throw new UpstreamError(
        "operator",
        `Cannot call provider '${this.#provider.id}': the key that its job was started with, ` +
          `${reference}, has no value any more`,
      );
    }
    if (listed === undefined) this.#formerKeys.set(reference, value);
    return this.#withKey({ reference, value });
  }

  /** The operator's query parameters. */
  get query(): Readonly<Record<string, string>> {
    this.#resolve();
    return this.#query;
  }

  /** Values of every reference, for redaction. */
  get secrets(): readonly string[] {
    this.#resolve();
    return this.#formerKeys.size === 0
      ? this.#known
      : [...this.#known, ...this.#formerKeys.values()];
  }

  #withoutKey(): Credential {
    return { reference: undefined, headers: this.#headers };
  }

  #withKey({ reference, value }: { reference: string; value: string }): Credential {
    const { auth } = this.#provider;
    const name = auth.kind === "header" ? auth.name.toLowerCase() : "authorization";
    const text = auth.kind === "header" ? value : `Bearer ${value}`;
    return { reference, headers: { ...this.#headers, [name]: text } };
  }

  #valueOf(reference: string): string | undefined {
    const value = this.#secrets(reference)?.trim();
    return value === "" ? undefined : value;
  }

  #resolve(): void {
    const now = this.#clock.monotonic();
    if (now - this.#resolvedAt < RESOLVED_FOR_MS) return;
    this.#resolvedAt = now;
    const { apiKeys, headers, query } = this.#provider;
    for (const reference of this.#formerKeys.keys()) {
      const value = this.#valueOf(reference);
      if (value === undefined) this.#formerKeys.delete(reference);
      else this.#formerKeys.set(reference, value);
    }
    this.#keys = apiKeys.flatMap((reference) => {
      const value = this.#valueOf(reference);
      return value === undefined ? [] : [{ reference, value }];
    });
    const known = new Set(this.#keys.map(({ value }) => value));
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
      const value = this.#valueOf(setting);
      if (value === undefined) continue;
      known.add(value);
      resolved[nameOf(name)] = value;
    }
    return resolved;
  }
}
