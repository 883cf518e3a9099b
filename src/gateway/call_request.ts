/**
 * A checked request for one model call, whatever its capability.
 *
 * @module
 */

import type { Caller } from "../accounts/key_directory.ts";
import type { Capability } from "../domain/call.ts";
import type { ModelKind } from "../domain/catalogue.ts";
import type { RequestIdentity } from "../domain/ids.ts";
import type {
  JsonObject,
  Provider,
  ProviderAnswer,
  ProviderCall,
  ProviderStream,
} from "../providers/provider.ts";
import type { SourceWishes } from "../domain/source_wishes.ts";
import type { RequestFacts } from "../routing/route_request.ts";

/** What the caller sent, as the engine takes it. */
export interface CallRequest {
  readonly identity: RequestIdentity;
  readonly caller: Caller;
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
  /** Told once the request is a metered call, which then logs itself when it closes. */
  readonly note: { isCall: boolean };
}

/** What one capability brings to the engine; everything else is shared. */
export interface CallKind {
  readonly capability: Capability;
  /** Models of another kind are refused, naming the path that serves them. */
  readonly modelKind: ModelKind;
  /** What this request needs and what its price depends on. */
  facts(request: CallRequest): RequestFacts;
  /** The text of the prompt, for estimating usage. */
  promptText(body: Readonly<JsonObject>): string;
}

/** A capability whose answer comes in one piece. */
export interface AnswerKind extends CallKind {
  invoke(provider: Provider, call: ProviderCall, signal: AbortSignal): Promise<ProviderAnswer>;
}

/** A capability whose answer is a stream of events. */
export interface StreamKind extends CallKind {
  invoke(provider: Provider, call: ProviderCall, signal: AbortSignal): Promise<ProviderStream>;
}
