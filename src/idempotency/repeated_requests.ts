/**
 * Requests that carry an `Idempotency-Key`: whoever comes first does the work,
 * the same request again gets the same answer.
 *
 * The key belongs to a project and a path. A request that is refused, fails or
 * dies with its process frees the key; an answer is stored by whoever makes it,
 * in the entry that makes it true, so that no crash parts the two. While the work
 * is under way it is done for all who wait for it: it is given up, and the key is
 * free, when the last of them has left. Where several processes use one database, who
 * waits at another one counts as well: see `claimed_keys.ts`.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Clock } from "../domain/clock.ts";
import type { IdempotencyRecord, IdempotencyScope, StreamSource } from "../domain/idempotency.ts";
import { ANSWER_ROW_BYTES } from "../domain/kept_bytes.ts";
import { GatewayError } from "../errors.ts";
import type { AnswerStore } from "../storage/ports/storage.ts";
import { Audience, type Listener } from "./audience.ts";
import { type ClaimedKeys, keyReused, left } from "./claimed_keys.ts";
import { type AnswerRoom, SharedStream } from "./shared_stream.ts";
import { freeOfCharge } from "./free_of_charge.ts";
import { isLong, textInPieces } from "./text_parts.ts";
import type { TextParts } from "../domain/text_parts.ts";

/** A request with a key. */
export interface KeyedRequest {
  readonly scope: IdempotencyScope;
  /** Of the parsed body: see `fingerprint`. */
  readonly fingerprint: string;
  readonly requestId: string;
  /** Fires when its client goes away. */
  readonly client: AbortSignal;
  /** Of a request whose answer any equal one gets; absent of one that is repeated by its key. */
  readonly cache?: CacheTerms;
}

/** How an answer is given to equal requests. */
export interface CacheTerms {
  readonly seconds: number;
  /** What the answers of its project may take. */
  readonly mostBytes: number;
  /** Whether an answer that is there already will not do. */
  readonly isFresh: boolean;
}

/** What is said of an answer besides its body. */
interface AnswerHead {
  readonly status: number;
  /** Id of the request that was answered first. */
  readonly requestId: string;
}

/** An answer as it is sent, for the first time or again; a large one in parts. */
export interface RepeatableAnswer extends AnswerHead {
  readonly body: string | TextParts;
  readonly isRepeated: boolean;
}

/** A stream as it is sent, for the first time, beside others, or again. */
export interface RepeatableStream extends StreamSource {
  readonly requestId: string;
  readonly body: TextParts;
  readonly isRepeated: boolean;
}

/** What the one who does the work is given. */
export interface Lead {
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** What to store together with the result: of an answer its body, of a stream its last part. */
  readonly toRecord: (text: string) => IdempotencyRecord;
}

/** A stream that has begun. */
export interface LedStream extends StreamSource {
  readonly body: TextParts;
}

/** What requests are repeated with. */
export interface RepeatedRequestsOptions {
  readonly answers: AnswerStore;
  readonly clock: Clock;
  /** The room of a project. */
  readonly roomOf: (projectId: string) => AnswerRoom;
  /**
   * Waits for a project's turn to have so many bytes read; throws `pool_limit_exceeded` when
   * that takes too long.
   */
  readonly awaitTurn: (projectId: string, bytes: number) => Promise<void> | undefined;
  /** Whether so much may be kept for a project, in this turn of the event loop. */
  readonly mayKeep: (projectId: string, bytes: number) => boolean;
  /** Answers that equal requests get. */
  readonly cached: AnswerStore;
  /** Whether the disk has room for so much of them. */
  readonly mayCache: (bytes: number) => boolean;
  /** Keys that other processes may be answering; absent where there are none. */
  readonly claimed?: ClaimedKeys | undefined;
  /** A part of a stream that is no part of its text. */
  readonly fleetingPart: string;
  /** Bytes of an answer that is kept at most. */
  readonly mostBytes?: number;
}

/** How long an answer is given again. */
const KEPT_MS = 86_400_000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Only what went well is given again. */
const DONE = 200;

/** An answer that is there, or has begun. */
interface Outcome extends AnswerHead {
  readonly body: string | SharedStream;
  readonly stream: StreamSource | undefined;
  /** Gives its memory back, when nobody needs it any more; resolves when its key may be free. */
  readonly release: () => Promise<void>;
}

interface Leader {
  readonly fingerprint: string;
  readonly audience: Audience;
  readonly work: Promise<Outcome>;
  /** Resolves when the key has no leader any more. */
  readonly freed: Promise<void>;
}

/** Makes an answer. */
type Work = (audience: Audience) => Promise<Pick<Outcome, "body" | "stream" | "release">>;

export class RepeatedRequests {
  readonly #options: RepeatedRequestsOptions & Required<Pick<RepeatedRequestsOptions, "mostBytes">>;
  /** Requests under way, by scope. */
  readonly #leaders = new Map<string, Leader>();

  constructor(options: RepeatedRequestsOptions) {
    this.#options = { mostBytes: MOST_BYTES, ...options };
  }

  /**
   * Answers a request: by `lead`, or with what an equal one before it got. Equal
   * requests at the same time wait for the first. `lead` gives the body that it
   * has made a record of.
   *
   * @throws {GatewayError} `idempotency_key_reused` when the key belongs to another
   * request, `idempotent_answer_not_kept`, `pool_limit_exceeded` when there is no memory
   * to repeat an answer, `client_closed_request`; whatever `lead` throws.
   */
  async answer(
    request: KeyedRequest,
    lead: (lead: Lead) => Promise<string>,
  ): Promise<RepeatableAnswer> {
    const { outcome, listener } = await this.#take(request, async ({ signal }) => ({
      body: await lead({ signal, toRecord: (text) => this.#record(request, { body: text }) }),
      stream: undefined,
      release: () => Promise.resolve(),
    }));
    const { status, requestId, body } = outcome;
    if (typeof body !== "string") throw otherKind(request);
    const isRepeated = requestId !== request.requestId;
    if (isRepeated && isLong(body.length)) {
      return { status, requestId, body: textInPieces(body, listener.leave), isRepeated };
    }
    listener.leave();
    return { status, requestId, body, isRepeated };
  }

  /**
   * Answers a request with a stream: see {@linkcode answer}. Equal requests at the
   * same time follow the first one's stream, from its start.
   *
   * @throws {GatewayError} As {@linkcode answer}.
   */
  async stream(
    request: KeyedRequest,
    lead: (lead: Lead) => Promise<LedStream>,
  ): Promise<RepeatableStream> {
    const { outcome: { requestId, body, stream }, listener } = await this.#take(
      request,
      (audience) => this.#share(audience, request, lead),
    );
    if (stream === undefined) throw otherKind(request);
    const isRepeated = requestId !== request.requestId;
    if (typeof body === "string") {
      return { ...stream, requestId, body: textInPieces(body, listener.leave), isRepeated };
    }
    if (isRepeated && !body.isWhole) {
      listener.leave();
      throw notKept(requestId);
    }
    return { ...stream, requestId, body: body.join(listener), isRepeated };
  }

  /** The answer to a request, and its place among those who wait for it. */
  async #take(
    request: KeyedRequest,
    work: Work,
  ): Promise<{ readonly outcome: Outcome; readonly listener: Listener }> {
    const { scope, fingerprint, client, cache, requestId } = request;
    const { projectId, path, key } = scope;
    const place = JSON.stringify([projectId, path, key, ...(cache?.isFresh ? [requestId] : [])]);
    for (;;) {
      const leader = this.#leaders.get(place);
      if (leader === undefined) return await this.#lead(place, request, work);
      if (leader.fingerprint !== fingerprint) throw keyReused();
      if (leader.audience.isGone) {
        // It is being given up, or ends all the same: either way it is soon known which.
        await unlessGone(leader.freed, client);
        continue;
      }
      const listener = leader.audience.join(client);
      const outcome = await unlessGone(leader.work.catch(() => undefined), client);
      if (outcome !== undefined) return { outcome, listener };
      listener.leave();
    }
  }

  /** Does the work, and stays with it also when its own client has left others waiting. */
  async #lead(
    place: string,
    request: KeyedRequest,
    work: Work,
  ): Promise<{ readonly outcome: Outcome; readonly listener: Listener }> {
    const { promise: freed, resolve } = Promise.withResolvers<void>();
    const claimed = this.#claimedFor(request);
    const freeHere = () => {
      if (this.#leaders.get(place)?.audience === audience) this.#leaders.delete(place);
      resolve();
    };
    const free = () => {
      deputy?.leave();
      if (claimed === undefined) freeHere();
      else void claimed.free(request).then(freeHere);
    };
    let onEmpty = () => {};
    const audience = new Audience({
      onEmpty: () => onEmpty(),
      onOver: free,
      onAlone: () => deputy?.alone(),
    });
    const deputy = claimed?.deputyOf(request, audience);
    const listener = audience.join(request.client);
    const working = this.#work(request, audience, work);
    const { fingerprint } = request;
    this.#leaders.set(place, { fingerprint, audience, work: working, freed });
    try {
      const outcome = await working;
      const { body } = outcome;
      if (typeof body !== "string") deputy?.reads((reader) => body.join(reader));
      onEmpty = () => void outcome.release().then(free);
      if (audience.isGone) onEmpty();
      if (typeof body === "string") audience.over();
      return { outcome, listener };
    } catch (error) {
      audience.over();
      listener.leave();
      throw error;
    }
  }

  /** What any equal request gets may be made twice: a key alone is claimed. */
  #claimedFor({ cache }: KeyedRequest): ClaimedKeys | undefined {
    return cache === undefined ? this.#options.claimed : undefined;
  }

  async #work(request: KeyedRequest, audience: Audience, work: Work): Promise<Outcome> {
    const findStored = () => this.#stored(request, audience);
    const claimed = this.#claimedFor(request);
    const stored = await (claimed?.take(request, audience, findStored) ?? findStored());
    if (stored !== undefined) return stored;
    return { status: DONE, requestId: request.requestId, ...await work(audience) };
  }

  async #share(
    audience: Audience,
    request: KeyedRequest,
    lead: (lead: Lead) => Promise<LedStream>,
  ): Promise<Pick<Outcome, "body" | "stream" | "release">> {
    const { roomOf, mostBytes, fleetingPart } = this.#options;
    const room = roomOf(request.scope.projectId);
    let begun: { readonly shared: SharedStream; readonly stream: StreamSource } | undefined =
      undefined;
    const { body, provider, route } = await lead({
      signal: audience.signal,
      toRecord: (tail) => {
        if (begun === undefined) throw new Error("Cannot record the end of a stream not begun");
        const { shared, stream } = begun;
        return this.#record(request, { body: shared.textWith(tail), stream });
      },
    });
    const onEnd = () => audience.over();
    const shared = new SharedStream(body, { room, mostBytes, fleetingPart, onEnd });
    const stream = { provider, route };
    begun = { shared, stream };
    return { body: shared, stream, release: () => shared.close() };
  }

  /** The answer that an earlier request got, and has room to be repeated. */
  async #stored(
    { scope, fingerprint, cache }: KeyedRequest,
    audience: Audience,
  ): Promise<Outcome | undefined> {
    if (cache?.isFresh) return undefined;
    const { clock, roomOf, awaitTurn } = this.#options;
    const answers = cache === undefined ? this.#options.answers : this.#options.cached;
    const size = await answers.size(scope);
    if (size === undefined) return undefined;
    // A short request may have very much read, and that only to be refused.
    await awaitTurn(scope.projectId, size);
    if (audience.isGone) throw left();
    const record = await answers.find(scope);
    if (record === undefined || record.expiresAt <= clock.now()) return undefined;
    if (record.fingerprint !== fingerprint) throw keyReused();
    const { status, requestId, body, stream } = record;
    if (body === undefined) throw notKept(requestId);
    const bytes = Buffer.byteLength(body);
    const room = roomOf(scope.projectId);
    if (!room.tryReserve(bytes)) {
      throw new GatewayError(
        "pool_limit_exceeded",
        "Too many large answers are being repeated: try again shortly",
        { retryAfterSeconds: 1 },
      );
    }
    return { status, requestId, body, stream, release: () => Promise.resolve(room.release(bytes)) };
  }

  #record(
    { scope, fingerprint, requestId, cache }: KeyedRequest,
    { body, stream }: { readonly body: string | undefined; readonly stream?: StreamSource },
  ): IdempotencyRecord {
    const { clock } = this.#options;
    const createdAt = clock.now();
    if (cache !== undefined) {
      const free = body === undefined ? undefined : freeOfCharge(body);
      return {
        ...scope,
        fingerprint,
        requestId,
        status: DONE,
        body: free !== undefined && this.#fitsCache(free, cache) ? free : undefined,
        stream,
        createdAt,
        expiresAt: createdAt + cache.seconds * 1_000,
        cacheBytes: cache.mostBytes,
      };
    }
    return {
      ...scope,
      fingerprint,
      requestId,
      status: DONE,
      body: body !== undefined && this.#isKept(scope, body) ? body : undefined,
      stream,
      createdAt,
      expiresAt: createdAt + KEPT_MS,
    };
  }

  /** No answer takes the place of nearly all others. */
  #fitsCache(body: string, { mostBytes }: CacheTerms): boolean {
    const bytes = Buffer.byteLength(body);
    return bytes <= Math.min(this.#options.mostBytes, mostBytes / 4) &&
      this.#options.mayCache(bytes);
  }

  #isKept({ projectId }: IdempotencyScope, body: string): boolean {
    const { mostBytes, mayKeep } = this.#options;
    const bytes = Buffer.byteLength(body);
    return bytes <= mostBytes && mayKeep(projectId, ANSWER_ROW_BYTES + bytes);
  }
}

/** Waits for something as long as a client does. */
async function unlessGone<Value>(awaited: Promise<Value>, client: AbortSignal): Promise<Value> {
  const { promise: gone, reject } = Promise.withResolvers<never>();
  const leave = () => reject(left());
  if (client.aborted) leave();
  else client.addEventListener("abort", leave);
  try {
    return await Promise.race([awaited, gone]);
  } finally {
    client.removeEventListener("abort", leave);
  }
}

function notKept(requestId: string): GatewayError {
  return new GatewayError(
    "idempotent_answer_not_kept",
    `The answer to this Idempotency-Key was not kept, as it was too large or this project had no room left for it, so it cannot be given again: it was request ${requestId}, and GET /v1/calls/${requestId} tells what that cost. To ask again, and pay again, take a new key`,
    { param: "Idempotency-Key" },
  );
}

/** Requests of one fingerprint ask for the same kind of answer: whoever sees this has mixed up two paths. */
function otherKind({ scope }: KeyedRequest): Error {
  return new Error(`Cannot repeat an answer of ${scope.path} as it is of another kind`);
}
