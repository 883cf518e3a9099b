/**
 * The signatures of calls that were answered, for callers that give a call back without its own. In
 * memory and bounded: what is forgotten is told to be skipped.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";

const KEPT_MS = 24 * 3_600_000;
/** UTF-16 units of all signatures together. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

interface Noted {
  readonly signature: string;
  readonly until: number;
}

export class SignatureBook {
  readonly #clock: Clock;
  /** By the call's id, the oldest first. */
  readonly #byCall = new Map<string, Noted>();
  #characters = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(callId: string, signature: string): void {
    this.#forget(callId);
    this.#byCall.set(callId, { signature, until: this.#clock.monotonic() + KEPT_MS });
    this.#characters += callId.length + signature.length;
    for (const [oldest] of this.#byCall) {
      if (this.#characters <= MOST_CHARACTERS) return;
      this.#forget(oldest);
    }
  }

  signatureOf(callId: string): string | undefined {
    const noted = this.#byCall.get(callId);
    if (noted === undefined) return undefined;
    if (noted.until > this.#clock.monotonic()) return noted.signature;
    this.#forget(callId);
    return undefined;
  }

  #forget(callId: string): void {
    const noted = this.#byCall.get(callId);
    if (noted === undefined) return;
    this.#byCall.delete(callId);
    this.#characters -= callId.length + noted.signature.length;
  }
}
