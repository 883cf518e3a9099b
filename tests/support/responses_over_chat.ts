/**
 * Requests of the Responses API as chat has them: through the neutral form, part by part.
 *
 * @module
 */

import { openaiChat } from "../../src/dialects/openai_chat/dialect.ts";
import { writeMessages } from "../../src/dialects/openai_chat/write_messages.ts";
import { type ChatTools, writeTools } from "../../src/dialects/openai_chat/write_request.ts";
import { openaiResponses } from "../../src/dialects/openai_responses/dialect.ts";
import { readItems } from "../../src/dialects/openai_responses/read_items.ts";
import { readTools } from "../../src/dialects/openai_responses/read_tools.ts";
import { NotCarried, notSupported } from "../../src/dialects/turns/refusals.ts";
import type { JsonObject } from "../../src/domain/json_value.ts";
import { type Conversion, convertCall } from "../../src/providers/converted_exchange.ts";
import type { ProviderCall } from "../../src/providers/contract/provider.ts";

/** Both sides. */
export const RESPONSES_OVER_CHAT = {
  from: openaiResponses as Conversion["from"],
  to: openaiChat as Conversion["to"],
};

/** A call in the form of the Responses API as one of chat. */
export function toChatCall(call: ProviderCall): ProviderCall {
  return convertCall(call, RESPONSES_OVER_CHAT).call;
}

/** Items as messages. */
export function toChatMessages(
  input: unknown,
  { keepsReasoning }: { readonly instructions: undefined; readonly keepsReasoning: boolean },
): JsonObject[] {
  return refusing(() =>
    writeMessages({ instructions: [], turns: readItems(input) }, { keepsReasoning })
  );
}

/** Tools of both kinds, and the choice among them. */
export function toChatTools(body: JsonObject): ChatTools {
  return refusing(() => writeTools(readTools(body)));
}

function refusing<Written>(write: () => Written): Written {
  try {
    return write();
  } catch (error) {
    throw error instanceof NotCarried ? notSupported(error, "chat has nothing like it") : error;
  }
}
