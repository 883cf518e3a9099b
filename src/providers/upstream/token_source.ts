/**
 * Tokens that an upstream's vendor gives for a while: one is had for all calls together, and the next
 * one before it ends.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Authority } from "./authority.ts";

/** How long before its end a token is replaced; of a short one at half of its time. */
const EARLY_MS = 300_000;
/** Pause after a failure while there is still a token that serves. */
const PAUSE_MS = 10_000;

/** Tokens that are still kept from being seen. */
const MOST_GIVEN = 3;

/** A token as its vendor gives it. */
export interface GivenToken {
  readonly value: string;
  readonly lifetimeSeconds: number;
}

/** What a source needs. */
export interface TokenSourceOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /**
   * Asks for a token; nobody's signal ends it, as others wait for it too.
   *
   * @throws {UpstreamError}
   */
  readonly ask: () => Promise<GivenToken>;
}

interface Held {
  readonly value: string;
  /** Monotonic. */
  readonly renewAt: number;
  readonly endsAt: number;
}

/** Sends its token as bearer. */
export class TokenSource implements Authority {
  readonly #options: TokenSourceOptions;
  #held: Held | undefined;
  #asking: Promise<Held> | undefined;
  #pausedUntil = -Infinity;
  /** The newest ones: what was refused may be repeated by who refused it. */
  #given: readonly string[] = [];

  constructor(options: TokenSourceOptions) {
    this.#options = options;
  }

  async headersFor(_request: unknown, signal: AbortSignal): Promise<Record<string, string>> {
    return bearer(await this.#token(signal));
  }

  get secrets(): readonly string[] {
    return this.#given;
  }

  forget(refused?: Readonly<Record<string, string>>): boolean {
    const held = this.#held;
    // Of many that were refused together only the first finds the token that was.
    if (refused !== undefined && held !== undefined) {
      if (refused.authorization !== bearer(held.value).authorization) return true;
    }
    this.#held = undefined;
    this.#pausedUntil = -Infinity;
    return true;
  }

  async #token(signal: AbortSignal): Promise<string> {
    const now = this.#options.clock.monotonic();
    const held = this.#held;
    if (held !== undefined && now < held.endsAt) {
      if (now >= held.renewAt && now >= this.#pausedUntil) {
        // It serves until its end: nobody has to wait for the next one, nor fail with it.
        this.#renew().catch((error) => {
          if (!(error instanceof UpstreamError)) throw error;
          this.#pausedUntil = this.#options.clock.monotonic() + PAUSE_MS;
        });
      }
      return held.value;
    }
    return (await unlessAborted(this.#renew(), signal)).value;
  }

  #renew(): Promise<Held> {
    this.#asking ??= this.#ask().finally(() => this.#asking = undefined);
    return this.#asking;
  }

  async #ask(): Promise<Held> {
    const { clock, ask } = this.#options;
    const askedAt = clock.monotonic();
    const { value, lifetimeSeconds } = await ask();
    this.#given = [value, ...this.#given].slice(0, MOST_GIVEN);
    const lifeMs = lifetimeSeconds * 1_000;
    const endsAt = askedAt + lifeMs;
    this.#held = { value, endsAt, renewAt: endsAt - Math.min(EARLY_MS, lifeMs / 2) };
    return this.#held;
  }
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}

/** What all wait for is not ended by one who leaves. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = () => new UpstreamError("aborted", "The call was given up");
  if (signal.aborted) {
    promise.catch(() => {});
    return Promise.reject(aborted());
  }
  const { promise: either, resolve, reject } = Promise.withResolvers<T>();
  const leave = () => reject(aborted());
  signal.addEventListener("abort", leave, { once: true });
  promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  return either;
}
