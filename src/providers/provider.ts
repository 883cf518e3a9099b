/**
 * The contract every provider fulfils. A provider turns one call into upstream
 * requests and events; it knows no hold, no client and no logger.
 *
 * @module
 */

import type { AttemptFailure } from "../domain/attempt_failure.ts";
import type { Route } from "../domain/catalogue.ts";
import type { OperatorFault } from "../domain/operator_fault.ts";
import type { Usage } from "../domain/usage.ts";
import type { UpstreamJob, VideoStatus } from "../domain/video_task.ts";

/** A JSON object as it travels on the wire. */
export type JsonObject = { [field: string]: unknown };

/** Where the bytes of an answer are counted for as long as the gateway holds them. */
export interface AnswerRoom {
  /**
   * Counts bytes that have come, or are about to be made.
   *
   * @throws {GatewayError} When there is no room: the gateway's own shortage, which ends the call.
   */
  countAnswer(bytes: number): void;
}

/** One call to one route. */
export interface ProviderCall {
  readonly route: Route;
  /** The caller's body without the gateway's own fields; never changed by a provider. */
  readonly body: Readonly<JsonObject>;
  /**
   * The output limit of each choice, sent upstream under the name that it knows and in place of
   * what `body` says; `undefined` leaves the body alone.
   */
  readonly outputTokensCap: number | undefined;
  /** Absent: nobody counts. */
  readonly room?: AnswerRoom;
}

/** A complete answer. */
export interface ProviderAnswer {
  /** The upstream's body, quirks repaired, `usage` normalised; the caller may change it. */
  readonly body: JsonObject;
  /** `undefined` when the upstream reported none, or absurd counts. */
  readonly usage: Usage | undefined;
  /** Everything the model wrote, for estimating usage. */
  readonly text: () => string;
}

/** One event of a stream. */
export interface ProviderEvent {
  /**
   * A chat chunk, quirks repaired, without `usage`; or an event of the Responses
   * API with its `type`, without `sequence_number`. The caller may change it.
   */
  readonly chunk: JsonObject;
  /** What the model wrote in this chunk (text, reasoning, tool arguments). */
  readonly text: string;
  /** Characters of `text` that are thoughts in a field of their own, apart from the answer; absent: none. */
  readonly thoughts?: number;
  /** Normalised; the last one in a stream wins. */
  readonly usage: Usage | undefined;
  /** The upstream's usage object with normalised counts, other fields kept. */
  readonly usageBody: JsonObject | undefined;
  /**
   * True when some choice of a chat chunk carries a `finish_reason`, or the event
   * of the Responses API is the last one (`response.completed`, `response.incomplete`).
   */
  readonly finished: boolean;
  /** True when `choices` is empty: nothing but usage or vendor extras. */
  readonly empty: boolean;
}

/**
 * An open upstream stream. `next()` gives the events of one network read, or
 * `undefined` after a proper end (`[DONE]`, or the end of the body after a
 * finish reason). It throws {@linkcode UpstreamError} when the stream is cut,
 * stalls, or carries an in-band error.
 */
export interface ProviderStream {
  next(): Promise<readonly ProviderEvent[] | undefined>;
  /** Closes the upstream connection; safe to call at any time, more than once. */
  cancel(): void;
  /**
   * Closes the upstream connection and gives the events that end the answer where it is, as
   * one that has reached its output limit. Absent where the limit is kept anyway.
   */
  cutShort?(): readonly ProviderEvent[];
}

/** A key that an upstream does not take now; never its value. */
export interface KeyRefusal {
  readonly provider: string;
  /** The key's reference: `env:NAME`, `file:PATH`, `credential:NAME`. */
  readonly key: string;
  readonly failure: UpstreamFailure;
  /** The upstream's. */
  readonly status: number | undefined;
  readonly fault: OperatorFault | undefined;
}

/** How a configured key is. */
export interface KeyState {
  /** Its reference, never its value. */
  readonly key: string;
  /** `resting`: refused or exhausted; `no_value`: there is nothing behind the reference. */
  readonly state: "ready" | "resting" | "no_value";
  /** Seconds that it still rests; 0 when it does not. */
  readonly seconds: number;
  readonly refusal: KeyRefusal | undefined;
}

/** The result of `providers test`. */
export interface ProviderCheck {
  readonly ok: boolean;
  /** Whether what answered is the API that was meant, and took the key: only a model list says so. */
  readonly checked: boolean;
  /** One line, without secrets. */
  readonly detail: string;
  readonly milliseconds: number;
}

/** A film to be made by an upstream. */
export interface VideoOrder {
  /** The same for each request for the same job; printable ASCII. */
  readonly idempotencyKey: string;
  readonly route: Route;
  readonly prompt: string;
  /** `<width>x<height>` */
  readonly size: string;
  readonly seconds: number;
  /** Further create fields that the route passes on; the route's body rules are applied by the provider. */
  readonly fields: Readonly<JsonObject>;
  readonly reference: {
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly mediaType: string;
  } | undefined;
}

/** What an upstream says of its job. */
export interface VideoReport {
  /**
   * Our word for the upstream's; `lost` when the upstream no longer knows the job
   * (it forgets its jobs when it restarts), so that it has to be started again.
   */
  readonly status: VideoStatus | "lost";
  /** 0..100; `undefined` when the upstream does not say. */
  readonly progress: number | undefined;
  /** The upstream's own text, cleaned of its internals; for `failed`. */
  readonly error: { readonly code: string | undefined; readonly message: string } | undefined;
  /** The upstream's word for a status when we know no such word (bounded, cleaned): worth a log line. */
  readonly unknownStatus?: string;
}

/** A finished film on its way from the upstream. */
export interface VideoContent {
  /** Offset of the first byte that `read` gives: what was asked, or 0 when the upstream starts over. */
  readonly from: number;
  /** Bytes of the whole film; `undefined` when the upstream does not say. */
  readonly totalBytes: number | undefined;
  /** `ETag` of the film, so that a resumed download notices another one. */
  readonly etag: string | undefined;
  /**
   * The next bytes, valid until the next read; `undefined` at the end.
   *
   * @throws {UpstreamError} `broken` when it is cut or stalls: resume from what is there.
   */
  read(): Promise<Uint8Array | undefined>;
  /** Closes the connection; safe to call more than once. */
  close(): void;
}

/** Videos at a provider. Jobs are plain values: they outlive the process. */
export interface VideoUpstream {
  /**
   * Starts a job.
   *
   * @throws {UpstreamError}
   */
  start(order: VideoOrder, signal: AbortSignal): Promise<UpstreamJob>;
  /**
   * Asks after a job, with the credential it was made with.
   *
   * @throws {UpstreamError} When the upstream cannot be asked: that says nothing about the job.
   */
  status(job: UpstreamJob, signal: AbortSignal): Promise<VideoReport>;
  /**
   * Opens the film of a completed job, from an offset on.
   *
   * @returns `undefined` while the upstream says that the film is not there (yet).
   * @throws {UpstreamError}
   */
  content(
    job: UpstreamJob,
    options: { readonly from: number; readonly etag: string | undefined },
    signal: AbortSignal,
  ): Promise<VideoContent | undefined>;
  /**
   * Asks the upstream to stop and forget a job, as far as it can.
   *
   * @throws {UpstreamError}
   */
  cancel(job: UpstreamJob, signal: AbortSignal): Promise<void>;
}

/** A provider: one method per capability. */
export interface Provider {
  readonly id: string;
  /** `undefined` where films are rendered by the gateway itself (`builtin`). */
  readonly videos: VideoUpstream | undefined;
  /** @throws {UpstreamError} */
  chat(call: ProviderCall, signal: AbortSignal): Promise<ProviderAnswer>;
  /**
   * Resolves when the upstream's headers are in and it is an event stream.
   *
   * @throws {UpstreamError}
   */
  chatStream(call: ProviderCall, signal: AbortSignal): Promise<ProviderStream>;
  /**
   * Answers a request of the Responses API (`call.body` in its form, the whole
   * conversation in `input`) with a Response object: by the upstream's own
   * endpoint where the route supports it, else over its chat.
   *
   * @throws {UpstreamError} `caller` for what this route cannot do, by name.
   */
  respond(call: ProviderCall, signal: AbortSignal): Promise<ProviderAnswer>;
  /**
   * The same as a stream of events. A failure that the upstream tells in its
   * stream is thrown, not passed on.
   *
   * @throws {UpstreamError}
   */
  respondStream(call: ProviderCall, signal: AbortSignal): Promise<ProviderStream>;
  /**
   * Embeds every input of `call.body` (`input` as a list of texts or of token
   * lists): `data` in their order, vectors as `encoding_format` asks.
   *
   * @throws {UpstreamError}
   */
  embed(call: ProviderCall, signal: AbortSignal): Promise<ProviderAnswer>;
  /** Asks the upstream for something free (its model list); never calls a paid model. */
  check(signal: AbortSignal): Promise<ProviderCheck>;
  /** How each of its keys is; empty where none is configured. */
  keyStates(): readonly KeyState[];
  /** Looks its secrets up again before the next request. */
  secretsChanged(): void;
}

/**
 * What a failure means for the attempt loop.
 * - `caller`: the request itself is wrong (400, 413, 422, content policy): no retry, message passes through.
 * - `operator`: key, account or model name are wrong beyond doubt: fall back, cool the route 60 s.
 * - `doubtful`: refused (401, 402, 403, 404 …) without a word that says whose fault it is: fall back; the
 *   route cools once another project meets the same.
 * - `oversized`: larger than this upstream takes now (tokens per minute, credit): fall back; says nothing of the route.
 * - `busy`: 429 or 503 with Retry-After: fall back, cool the route as long; never counts as breakage.
 * - `broken`: 5xx, connect or time limit, wrong content, cut: retry or fall back; counts for the breaker.
 * - `starved`: this process had no descriptor left for a connection: retry or fall back; says nothing of the route.
 * - `aborted`: we closed it ourselves (client gone, shutdown): no sample.
 */
export type UpstreamFailure = AttemptFailure;

/** Thrown by providers; never shown to callers as it is. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly failure: UpstreamFailure;
  /** The upstream's status; `undefined` when there was no answer. */
  readonly status: number | undefined;
  /** The upstream's own error code, when it sent one as a string. */
  readonly code: string | undefined;
  /** The upstream's `error.param`, for `caller` failures. */
  readonly param: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Whether the request may have been read although no whole answer came. */
  readonly isUnanswered: boolean;
  /** Reference of the key that the request was sent with, for the log; set by who sent it. */
  key: string | undefined;
  /** What is wrong of the operator's; for `operator` failures. */
  readonly fault: OperatorFault | undefined;
  /** Whether nothing of the request had left when it failed, so that nobody can have worked for it. */
  readonly isUnsent: boolean;
  /** The upstream's own message, cleaned of its internals; it reaches callers where the request may be at fault. */
  readonly publicMessage: string | undefined;

  constructor(failure: UpstreamFailure, message: string, options: {
    status?: number | undefined;
    code?: string | undefined;
    param?: string | undefined;
    retryAfterSeconds?: number | undefined;
    publicMessage?: string | undefined;
    fault?: OperatorFault | undefined;
    isUnsent?: boolean;
    isUnanswered?: boolean | undefined;
    cause?: unknown;
  } = {}) {
    super(
      message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.failure = failure;
    this.status = options.status;
    this.code = options.code;
    this.param = options.param;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.publicMessage = options.publicMessage;
    this.isUnanswered = options.isUnanswered ?? false;
    this.fault = options.fault ?? (failure === "operator" ? "settings" : undefined);
    this.isUnsent = options.isUnsent === true;
  }
}
