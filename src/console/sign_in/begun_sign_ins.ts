/**
 * Sign-ins that have gone to an issuer and are to come back: each in a cookie of the browser that
 * began it, signed and short-lived, and good for one return.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import * as z from "zod";
import { isSameSecret } from "../../accounts/same_secret.ts";
import type { Clock } from "../../domain/clock.ts";
import { SignedCookies } from "../frame/signed_cookies.ts";

/** Long enough to find a second factor. */
export const BEGUN_MS = 10 * 60_000;
/** The oldest gives way: the issuer's codes are good for one use besides. */
const MOST_RETURNED = 10_000;

const begun = z.strictObject({
  state: z.string().length(43),
  /** The page that was asked for. */
  next: z.string().max(500),
  /** Milliseconds since the epoch. */
  until: z.int(),
});

/** What goes to the issuer, and what proves that the answer is to this. */
export interface BegunSignIn {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636): 43 characters, which the issuer learns on return. */
  readonly verifier: string;
  readonly next: string;
}

export class BegunSignIns {
  readonly #cookies: SignedCookies;
  readonly #clock: Pick<Clock, "now">;
  /** By state, those that have come back: until when that matters. */
  readonly #returned = new Map<string, number>();

  /** @param secret Of the data dir. */
  constructor(secret: Uint8Array, clock: Pick<Clock, "now">) {
    this.#cookies = new SignedCookies(secret, {
      purpose: "tollgate console oidc",
      kind: "begun",
      mostCharacters: 2_000,
    });
    this.#clock = clock;
  }

  begin(next: string): BegunSignIn & { readonly cookie: string; readonly until: number } {
    const state = randomBytes(32).toString("base64url");
    const until = this.#clock.now() + BEGUN_MS;
    const cookie = this.#cookies.write({ state, next, until });
    return { ...this.#of(state, next), cookie, until };
  }

  /** The sign-in of a cookie that a return of this state may end, once; `undefined` for none. */
  take(cookie: string | undefined, state: string | undefined): BegunSignIn | undefined {
    const carried = this.#cookies.read(cookie);
    if (carried === undefined || state === undefined) return undefined;
    const read = begun.parse(carried);
    const now = this.#clock.now();
    if (read.until <= now || !isSameSecret(state, read.state)) return undefined;
    if (this.#returned.has(read.state)) return undefined;
    for (const [returned, until] of this.#returned) {
      if (until > now && this.#returned.size < MOST_RETURNED) break;
      this.#returned.delete(returned);
    }
    this.#returned.set(read.state, read.until);
    return this.#of(read.state, read.next);
  }

  /** What is secret of it is in no cookie: it is made of the state by a key that stays here. */
  #of(state: string, next: string): BegunSignIn {
    return {
      state,
      next,
      nonce: this.#cookies.mac(`nonce ${state}`),
      verifier: this.#cookies.mac(`verifier ${state}`),
    };
  }
}
