/**
 * A checked request for one model call, whatever its capability.
 *
 * @module
 */

import type { Caller } from "../accounts/key_directory.ts";
import type { BatchLine } from "../domain/batch.ts";
import type { ClosedCall } from "../domain/call.ts";
import type { IdempotencyRecord } from "../domain/idempotency.ts";
import type { NoRoom } from "../domain/kept_bytes.ts";
import type { StoredResponse } from "../domain/stored_response.ts";
import type { LongTexts } from "../files/long_texts.ts";
import type { Stay } from "../limits/stay.ts";
import type { Tags } from "../domain/tags.ts";
import type { RequestIdentity } from "../domain/ids.ts";
import type { Provider, ProviderCall } from "../providers/contract/provider.ts";
import type { Answer, AnswerFacts, AnswerStream } from "../dialects/base/answer.ts";
import type { Dialect, StreamWriter } from "../dialects/base/dialect.ts";
import type { JsonObject } from "../domain/json_value.ts";
import type { SourceWishes } from "../domain/request_facts.ts";

/** What becomes of a line of a batch, by the text of its answer and the call behind it. */
export type BatchLineMaker = (
  text: string,
  closed: Pick<ClosedCall, "work">,
) => BatchLine | undefined;

/** What the caller sent, as the engine takes it. */
export interface CallRequest {
  readonly identity: RequestIdentity;
  readonly caller: Caller;
  /** What it holds until the call is over, once there is a call. */
  readonly stay: Stay;
  /** Model id or alias, as the caller wrote it. */
  readonly model: string;
  /** Further models that may serve it, in their order; absent: none. */
  readonly furtherModels?: readonly string[] | undefined;
  readonly wishes: SourceWishes;
  /** Kept with the call. */
  readonly tags?: Tags | undefined;
  /** Whether the usage in the answer is to say what it cost; absent: the answer alone says so. */
  readonly tellsCost?: boolean | undefined;
  /** The body to forward: without the gateway's own fields. */
  readonly body: Readonly<JsonObject>;
  /** Of the caller's headers those that go on to an upstream of its dialect; absent: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Wraps the summary that is asked for, for its project; absent: none is. */
  readonly sealSummary?: ((summary: string) => string) | undefined;
  /** Size of the body as it came, bytes: no prompt has more tokens. */
  readonly bodyBytes: number;
  /** Where long texts of the answer may go, whose names the answer then has; absent: nowhere. */
  readonly longTexts?: LongTexts | undefined;
  /** Fires when the caller goes away. */
  readonly signal: AbortSignal;
  /** When the request arrived, monotonic milliseconds. */
  readonly arrivedAt: number;
  /**
   * Makes what the request gets when it is repeated, stored with the call's end: of an answer
   * from its body, of a stream from its last part. `undefined` when it may not be repeated.
   */
  readonly remember?: ((text: string) => IdempotencyRecord) | undefined;
  /** Makes what becomes of the line of a batch that it is made for, stored with the call's end. */
  readonly batchLine?: BatchLineMaker | undefined;
  /** That batch. */
  readonly batchId?: string | undefined;
  /** Told once the request is a metered call, which then logs itself when it closes. */
  readonly note: { isCall: boolean; hasBegun?: true; readonly address?: string | undefined };
}

/** What a way to call a model brings to the engine; everything else is shared. */
export interface CallKind {
  readonly dialect: Dialect;
}

/** A capability whose answer comes in one piece. */
export interface AnswerKind extends CallKind {
  invoke(provider: Provider, call: ProviderCall, signal: AbortSignal): Promise<Answer>;
  /** The answer as it is to be kept, stored with the call's end: its caller gets the same text. */
  keep?(body: JsonObject): KeptResponse;
}

/** What is stored of an answer. */
export interface KeptResponse {
  /** `undefined` for nothing. */
  readonly response: StoredResponse | undefined;
  /** Why it is not the answer itself, where nobody can be given that otherwise. */
  readonly unkept?: NoRoom | undefined;
}

/** A stream on its way to its caller, and perhaps into the books. */
export interface CallStream extends StreamWriter {
  /** The answer as it is to be kept, stored with the call's end; `undefined` for nothing. */
  keep?(facts: AnswerFacts): StoredResponse | undefined;
}

/** A capability whose answer is a stream of events. */
export interface StreamKind extends CallKind {
  invoke(provider: Provider, call: ProviderCall, signal: AbortSignal): Promise<AnswerStream>;
  /** @param model Id of the logical model, which replaces the upstream's. */
  writer(request: CallRequest, model: string): CallStream;
}
