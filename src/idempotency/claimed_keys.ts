/**
 * Keys of requests where several processes use one database: whoever answers one claims it there, and
 * who comes with an equal request to another process waits until the answer is stored.
 *
 * @module
 */

import { GatewayError } from "../errors.ts";
import type { KeyClaim, KeyClaims } from "../storage/ports/key_claims.ts";
import type { Audience } from "./audience.ts";
import { Deputy } from "./deputy.ts";

/** What keys are claimed with. */
export interface ClaimedKeysOptions {
  readonly claims: KeyClaims;
  /** Waits for milliseconds, or until a signal fires. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Between two looks whether another process has answered. */
const LOOK_MS = 100;
/** Looks from one wish that the other goes on to the next. */
const LOOKS_PER_WISH = 10;
/** Between two looks whether others still wait for an answer that nobody here waits for. */
const WANTED_LOOK_MS = 1_000;

export class ClaimedKeys {
  readonly #options: ClaimedKeysOptions;

  constructor(options: ClaimedKeysOptions) {
    this.#options = options;
  }

  /**
   * Waits until a key is this process's, or its answer is stored.
   *
   * @param findStored The answer, once it is there.
   * @returns What is stored; `undefined` when the request is to be answered here, by whoever then
   * gives the claim up.
   * @throws {GatewayError} `idempotency_key_reused` while another request is answered under the key,
   * `client_closed_request` when all who wait have left.
   */
  async take<Stored>(
    claim: KeyClaim,
    audience: Audience,
    findStored: () => Promise<Stored | undefined>,
  ): Promise<Stored | undefined> {
    const { claims, delay } = this.#options;
    for (let looks = 0;; looks++) {
      const other = await claims.claim(claim);
      if (other === undefined) return await this.#storedOrOurs(claim, findStored);
      if (other.fingerprint !== claim.fingerprint) throw keyReused();
      if (looks % LOOKS_PER_WISH === 0) await claims.want(claim.scope);
      await delay(LOOK_MS, audience.signal);
      if (audience.isGone) throw left();
    }
  }

  /** Gives a claim up, if it is there: at the latest with its session's end. */
  async free(claim: KeyClaim): Promise<void> {
    try {
      await this.#options.claims.free(claim);
    } catch (error) {
      // This process takes it over when the key comes again: see the port.
      if (!(error instanceof GatewayError)) throw error;
    }
  }

  /** One who waits in the place of those who wait elsewhere. */
  deputyOf(claim: KeyClaim, audience: Audience): Deputy {
    const { claims, delay } = this.#options;
    return new Deputy(audience, {
      isWanted: () => claims.isWanted(claim),
      pause: (signal) => delay(WANTED_LOOK_MS, signal),
    });
  }

  async #storedOrOurs<Stored>(
    claim: KeyClaim,
    findStored: () => Promise<Stored | undefined>,
  ): Promise<Stored | undefined> {
    try {
      const stored = await findStored();
      if (stored !== undefined) await this.free(claim);
      return stored;
    } catch (error) {
      await this.free(claim);
      throw error;
    }
  }
}

/** Nobody waits any more. */
export function left(): GatewayError {
  return new GatewayError("client_closed_request", "The caller left before the answer");
}

/** A key has one request. */
export function keyReused(): GatewayError {
  return new GatewayError(
    "idempotency_key_reused",
    "This Idempotency-Key was used for another request on this path: take a new key for a new request",
    { param: "Idempotency-Key" },
  );
}
