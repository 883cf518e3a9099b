/**
 * Requests that carry an `Idempotency-Key`: whoever comes first does the work,
 * the same request again gets the same answer.
 *
 * The key belongs to a project and a path. A request that is refused, fails or
 * dies with its process frees the key; an answer is stored by whoever makes it,
 * in the entry that makes it true, so that no crash parts the two.
 *
 * @module
 */

import type { Clock } from "../domain/clock.ts";
import type { IdempotencyRecord, IdempotencyScope } from "../domain/idempotency.ts";
import { GatewayError } from "../errors.ts";
import type { AnswerStore } from "../storage/ports/storage.ts";

/** A request with a key. */
export interface KeyedRequest {
  readonly scope: IdempotencyScope;
  /** Of the parsed body: see `fingerprint`. */
  readonly fingerprint: string;
}

/** An answer as it is sent, for the first time or again. */
export interface RepeatableAnswer {
  readonly status: number;
  readonly body: string;
  readonly isRepeated: boolean;
}

/** Does the work. What it passes to `toRecord` it stores together with its result. */
export type LeadRequest = (
  toRecord: (status: number, body: string) => IdempotencyRecord,
) => Promise<{ readonly status: number; readonly body: string }>;

/** How long an answer is given again. */
const KEPT_MS = 86_400_000;

interface Leader {
  readonly fingerprint: string;
  /** Resolves with `undefined` when the key is free again. */
  readonly answer: Promise<RepeatableAnswer | undefined>;
}

/** See the module's text. */
export class RepeatedRequests {
  readonly #answers: AnswerStore;
  readonly #clock: Clock;
  /** Requests under way, by scope. */
  readonly #leaders = new Map<string, Leader>();

  constructor({ answers, clock }: { readonly answers: AnswerStore; readonly clock: Clock }) {
    this.#answers = answers;
    this.#clock = clock;
  }

  /**
   * Answers a request: by `lead`, or with what an equal one before it got. Equal
   * requests at the same time wait for the first.
   *
   * @throws {GatewayError} `idempotency_key_reused` when the key belongs to another
   * request; whatever `lead` throws.
   */
  async answer(request: KeyedRequest, lead: LeadRequest): Promise<RepeatableAnswer> {
    const { scope, fingerprint } = request;
    const place = JSON.stringify([scope.projectId, scope.path, scope.key]);
    for (;;) {
      const leader = this.#leaders.get(place);
      if (leader === undefined) return await this.#lead(place, request, lead);
      if (leader.fingerprint !== fingerprint) throw keyReused();
      const answer = await leader.answer;
      if (answer !== undefined) return { ...answer, isRepeated: true };
    }
  }

  async #lead(place: string, request: KeyedRequest, lead: LeadRequest): Promise<RepeatableAnswer> {
    const { promise, resolve } = Promise.withResolvers<RepeatableAnswer | undefined>();
    this.#leaders.set(place, { fingerprint: request.fingerprint, answer: promise });
    let answer: RepeatableAnswer | undefined;
    try {
      answer = await this.#stored(request) ??
        { ...await lead((...parts) => this.#record(request, parts)), isRepeated: false };
      return answer;
    } finally {
      this.#leaders.delete(place);
      resolve(answer);
    }
  }

  async #stored({ scope, fingerprint }: KeyedRequest): Promise<RepeatableAnswer | undefined> {
    const record = await this.#answers.find(scope);
    if (record === undefined || record.expiresAt <= this.#clock.now()) return undefined;
    if (record.fingerprint !== fingerprint) throw keyReused();
    return { status: record.status, body: record.body, isRepeated: true };
  }

  #record(
    { scope, fingerprint }: KeyedRequest,
    [status, body]: [status: number, body: string],
  ): IdempotencyRecord {
    const createdAt = this.#clock.now();
    return { ...scope, fingerprint, status, body, createdAt, expiresAt: createdAt + KEPT_MS };
  }
}

function keyReused(): GatewayError {
  return new GatewayError(
    "idempotency_key_reused",
    "This Idempotency-Key was used for another request on this path: take a new key for a new request",
    { param: "Idempotency-Key" },
  );
}
