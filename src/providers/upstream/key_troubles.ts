/**
 * The keys of one provider that its upstream refuses or that are exhausted: each
 * cools alone, while the others serve.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { KeyRefusal } from "../contract/provider.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";

/** How long a key rests that its upstream refused. */
const REFUSED_MS = 60_000;
/** How long one rests that is out of its rate, where the upstream does not say. */
const EXHAUSTED_MS = 5_000;
/** An upstream's Retry-After is believed up to this. */
const MAX_EXHAUSTED_MS = 300_000;

/** What an error says of the key that the request was sent with. */
export type KeyVerdict = "refused" | "exhausted" | "limited" | "doubtful" | undefined;

/**
 * Whether another key may fare better. Doubtful is a refusal that the request may
 * have caused: that another key is not refused shows whose it was.
 */
export function verdictOnKey({ failure, fault, status }: UpstreamError): KeyVerdict {
  if (failure === "operator") {
    if (fault === "key") return "refused";
    return fault === "account" ? "exhausted" : undefined;
  }
  if (failure === "busy") return status === 429 ? "limited" : undefined;
  if (failure !== "doubtful") return undefined;
  return status === 401 || status === 402 || status === 403 ? "doubtful" : undefined;
}

interface Trouble {
  readonly refusal: KeyRefusal;
  /** How many were noted before it, and itself. */
  readonly number: number;
  readonly until: number;
  /** Whether somebody was told of it. */
  readonly isTold: boolean;
}

export class KeyTroubles {
  readonly #clock: Clock;
  readonly #providerId: string;
  readonly #onRefused: (refusal: KeyRefusal) => void;
  readonly #byReference = new Map<string, Trouble>();
  #noted = 0;

  constructor(options: {
    readonly clock: Clock;
    readonly providerId: string;
    readonly onRefused: (refusal: KeyRefusal) => void;
  }) {
    this.#clock = options.clock;
    this.#providerId = options.providerId;
    this.#onRefused = options.onRefused;
  }

  /** How many were noted so far: tells {@linkcode forgive} when a request was sent. */
  get noted(): number {
    return this.#noted;
  }

  /** Monotonic time until which a key rests; 0 when it does not. */
  until(reference: string): number {
    if (this.#byReference.size === 0) return 0;
    const until = this.#byReference.get(reference)?.until ?? 0;
    return until > this.#clock.monotonic() ? until : 0;
  }

  /** Why a key rests; `undefined` when it does not. */
  refusalOf(reference: string): KeyRefusal | undefined {
    return this.until(reference) === 0 ? undefined : this.#byReference.get(reference)?.refusal;
  }

  /** Lets a key rest, and tells of it unless that was told already. */
  note(reference: string, error: UpstreamError): void {
    const isNews = this.until(reference) === 0 || !this.#byReference.get(reference)!.isTold;
    const { refusal } = this.#rest(reference, error, true);
    if (isNews) this.#onRefused(refusal);
  }

  /**
   * Lets a key rest until it is known whether its upstream would take it for another request.
   *
   * @returns How to take that back: it rests as it did before.
   */
  suspect(reference: string, error: UpstreamError): () => void {
    const before = this.#byReference.get(reference);
    const suspicion = this.#rest(reference, error, before?.isTold === true);
    return () => {
      if (this.#byReference.get(reference) !== suspicion) return;
      if (before?.isTold) this.#byReference.set(reference, before);
      else this.#byReference.delete(reference);
    };
  }

  #rest(reference: string, error: UpstreamError, isTold: boolean): Trouble {
    const { failure, status, fault, retryAfterSeconds } = error;
    const askedMs = retryAfterSeconds === undefined ? EXHAUSTED_MS : retryAfterSeconds * 1_000;
    const restMs = failure === "busy" ? Math.min(askedMs, MAX_EXHAUSTED_MS) : REFUSED_MS;
    const refusal = { provider: this.#providerId, key: reference, failure, status, fault };
    const until = this.#clock.monotonic() + restMs;
    const trouble = { refusal, until, number: ++this.#noted, isTold };
    this.#byReference.set(reference, trouble);
    return trouble;
  }

  /** Ends every key's rest. */
  forgiveAll(): void {
    this.#byReference.clear();
  }

  /**
   * Ends a key's rest: its upstream took it.
   *
   * @param noted How many were {@linkcode noted} when the request was sent: that one was taken
   * before says nothing of a refusal that came since.
   */
  forgive(reference: string, noted = this.#noted): void {
    if (this.#byReference.size === 0) return;
    const trouble = this.#byReference.get(reference);
    if (trouble !== undefined && trouble.number <= noted) this.#byReference.delete(reference);
  }
}
