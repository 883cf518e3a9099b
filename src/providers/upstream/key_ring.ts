/**
 * The keys of one upstream account, used in turn, and every secret that must
 * not be seen.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { Provider } from "../../domain/catalogue.ts";
import { isSecretReference, referencesIn } from "../../domain/secret_uses.ts";
import type { ProviderOptions } from "../contract/kind.ts";
import type { KeyState } from "../contract/provider.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import { KeyTroubles } from "./key_troubles.ts";

/** How long resolved values are used before they are looked up again, so that a key can be rotated. */
const RESOLVED_FOR_MS = 30_000;

/** What authorises one request. */
export interface Credential {
  /** Reference of the key; `undefined` when none is sent. */
  readonly reference: string | undefined;
  /** The operator's headers and the key's, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

interface Key {
  readonly reference: string;
  readonly value: string;
}

/** Resolved settings of the upstream: what one request needs to be authorised. */
export class KeyRing {
  readonly #provider: Provider;
  readonly #secrets: ProviderOptions["secrets"];
  readonly #clock: Clock;
  /** Which keys rest. */
  readonly troubles: KeyTroubles;
  #resolvedAt = -Infinity;
  #keys: readonly Key[] = [];
  /** Keys by reference that were asked for although the list no longer has them. */
  readonly #formerKeys = new Map<string, string>();
  #headers: Readonly<Record<string, string>> = {};
  #query: Readonly<Record<string, string>> = {};
  #known: readonly string[] = [];
  #turn = 0;

  constructor(
    provider: Provider,
    options: Pick<ProviderOptions, "secrets" | "clock" | "onKeyRefused">,
  ) {
    const { clock, onKeyRefused: onRefused = () => {} } = options;
    this.troubles = new KeyTroubles({ clock, providerId: provider.id, onRefused });
    this.#provider = provider;
    this.#secrets = options.secrets;
    this.#clock = options.clock;
  }

  /**
   * The credential whose turn it is, among those that do not rest; of nothing but
   * resting ones the first that is back.
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
        { fault: "key" },
      );
    }
    return this.#withKey(this.#keyInTurn() ?? this.#firstBack());
  }

  /** Whether there is another key than the one in turn. */
  get hasSeveral(): boolean {
    return this.#keys.length > 1;
  }

  /** A credential that does not rest, of none of the keys that were tried. */
  other(tried: ReadonlyMap<string, unknown>): Credential | undefined {
    const key = this.#keys.find(({ reference }) =>
      !tried.has(reference) && this.troubles.until(reference) === 0
    );
    return key === undefined ? undefined : this.#withKey(key);
  }

  /** A credential for every key that has a value; one without a key where none is sent. */
  all(): readonly Credential[] {
    const { auth, apiKeys } = this.#provider;
    if (auth.kind === "none" || apiKeys.length === 0) return [this.#withoutKey()];
    const first = this.next();
    return this.#keys.length < 2 ? [first] : this.#keys.map((key) => this.#withKey(key));
  }

  /** Values are looked up again before the next request, and no key rests any longer. */
  lookUpAgain(): void {
    this.#resolvedAt = -Infinity;
    this.troubles.forgiveAll();
  }

  /** How each configured key is. */
  states(): readonly KeyState[] {
    this.#resolve();
    const { auth, apiKeys } = this.#provider;
    if (auth.kind === "none") return [];
    const now = this.#clock.monotonic();
    return apiKeys.map((key) => {
      const until = this.troubles.until(key);
      const hasValue = this.#keys.some(({ reference }) => reference === key);
      return {
        key,
        state: !hasValue ? "no_value" : until > 0 ? "resting" : "ready",
        seconds: until > 0 ? Math.ceil((until - now) / 1_000) : 0,
        refusal: this.troubles.refusalOf(key),
      };
    });
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
        { fault: "key" },
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

  #keyInTurn(): Key | undefined {
    for (let step = 0; step < this.#keys.length; step++) {
      const key = this.#keys[this.#turn++ % this.#keys.length]!;
      if (this.troubles.until(key.reference) === 0) return key;
    }
    return undefined;
  }

  #firstBack(): Key {
    const until = ({ reference }: Key) => this.troubles.until(reference);
    return this.#keys.reduce((first, key) => until(key) < until(first) ? key : first);
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
    const { apiKeys, headers, query, own = {} } = this.#provider;
    for (const reference of this.#formerKeys.keys()) {
      const value = this.#valueOf(reference);
      if (value === undefined) this.#formerKeys.delete(reference);
      else this.#formerKeys.set(reference, value);
    }
    const before = this.#keys;
    this.#keys = apiKeys.flatMap((reference) => {
      const value = this.#valueOf(reference);
      return value === undefined ? [] : [{ reference, value }];
    });
    for (const { reference, value } of before) {
      const now = this.#keys.find((key) => key.reference === reference);
      // Another key behind the same reference: it was not this one that was refused.
      if (now?.value !== value) this.troubles.forgive(reference);
    }
    const known = new Set(this.#keys.map(({ value }) => value));
    this.#headers = this.#resolveAll(headers, known, (name) => name.toLowerCase());
    this.#query = this.#resolveAll(query, known, (name) => name);
    for (const [, reference] of referencesIn(own)) {
      const value = this.#valueOf(reference);
      if (value !== undefined) known.add(value);
    }
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
      if (!isSecretReference(setting)) {
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
