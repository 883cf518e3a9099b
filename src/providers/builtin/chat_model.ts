/**
 * What a built-in model that chats is, and what it is called with.
 *
 * @module
 */

import type { ProviderTimeouts } from "../../domain/catalogue.ts";
import type { ProviderCall } from "../contract/provider.ts";
import type { Answer, AnswerStream } from "../../dialects/base/answer.ts";
import type { ChatFaults } from "../../domain/chat_faults.ts";

/** One call to a built-in model. */
export interface BuiltinCall {
  readonly call: ProviderCall;
  readonly faults: ChatFaults;
  /** The provider's time limits, which a stalling model observes as a transport would. */
  readonly timeouts: ProviderTimeouts;
  readonly signal: AbortSignal;
}

/** A model that chats. */
export interface BuiltinChatModel {
  chat(call: BuiltinCall): Promise<Answer>;
  chatStream(call: BuiltinCall): Promise<AnswerStream>;
}
