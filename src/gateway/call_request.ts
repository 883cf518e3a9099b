/**
 * A checked request for one model call, whatever its capability.
 *
 * @module
 */

import type { Caller } from "../accounts/key_directory.ts";
import type { Capability } from "../domain/capabilities.ts";
import type { IdempotencyRecord } from "../domain/idempotency.ts";
import type { NoRoom } from "../domain/kept_bytes.ts";
import type { StoredResponse } from "../domain/stored_response.ts";
import type { Usage } from "../domain/usage.ts";
import type { GatewayError } from "../errors.ts";
import type { Stay } from "../limits/stay.ts";
import type { RequestIdentity } from "../domain/ids.ts";
import type { Provider, ProviderCall } from "../providers/provider.ts";
import type { Answer, AnswerEvent, AnswerStream } from "../dialects/answer.ts";
import type { RequestFacts } from "../domain/request_facts.ts";
import type { JsonObject } from "../domain/json_value.ts";
import type { SourceWishes } from "../domain/source_wishes.ts";
import type { AnswerFacts } from "./answer_facts.ts";

/** What the caller sent, as the engine takes it. */
export interface CallRequest {
  readonly identity: RequestIdentity;
  readonly caller: Caller;
  /** What it holds until the call is over, once there is a call. */
  readonly stay: Stay;
  /** Model id or alias, as the caller wrote it. */
  readonly model: string;
  readonly wishes: SourceWishes;
  /** The body to forward: without the gateway's own fields. */
  readonly body: Readonly<JsonObject>;
  /** Size of the body as it came, bytes: no prompt has more tokens. */
  readonly bodyBytes: number;
  /** Fires when the caller goes away. */
  readonly signal: AbortSignal;
  /** When the request arrived, monotonic milliseconds. */
  readonly arrivedAt: number;
  /**
   * Makes what the request gets when it is repeated, stored with the call's end: of an answer
   * from its body, of a stream from its last part. `undefined` when it may not be repeated.
   */
  readonly remember?: ((text: string) => IdempotencyRecord) | undefined;
  /** Told once the request is a metered call, which then logs itself when it closes. */
  readonly note: { isCall: boolean };
}

/** What one capability brings to the engine; everything else is shared. */
export interface CallKind {
  /** Models of a kind that does not serve it are refused, naming the path that does. */
  readonly capability: Capability;
  /** What this request needs and what its price depends on. */
  facts(request: CallRequest): RequestFacts;
  /** Tokens of the prompt by our own count, where the upstream reports none. */
  promptTokens(body: Readonly<JsonObject>): number;
  /** Our own counts in this capability's form, where the upstream reported none. */
  usageView(usage: Usage): JsonObject;
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

/** How a capability's events become the text that its caller reads. One per stream. */
export interface StreamDialect {
  /** The frames of an event; "" for none. What ends the answer is kept for {@linkcode tail}. */
  frame(event: AnswerEvent): string;
  /** What comes once the call is settled on disk: the end of the answer, with what it says of itself. */
  tail(facts: AnswerFacts): string;
  /** Says that the answer broke off: no client may take what came so far for all of it. */
  errorFrame(error: GatewayError): string;
  /** The answer as it is to be kept, stored with the call's end; `undefined` for nothing. */
  keep?(facts: AnswerFacts): StoredResponse | undefined;
}

/** A capability whose answer is a stream of events. */
export interface StreamKind extends CallKind {
  invoke(provider: Provider, call: ProviderCall, signal: AbortSignal): Promise<AnswerStream>;
  /** @param model Id of the logical model, which replaces the upstream's. */
  dialect(request: CallRequest, model: string): StreamDialect;
}
