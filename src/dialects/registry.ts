/**
 * The dialects that callers may speak, by name. One line each.
 *
 * @module
 */

import type { Dialect } from "./base/dialect.ts";
import { anthropicMessages } from "./anthropic_messages/dialect.ts";
import { openaiChat } from "./openai_chat/dialect.ts";
import { openaiEmbeddings } from "./openai_embeddings/dialect.ts";
import { openaiResponses } from "./openai_responses/dialect.ts";

export const DIALECTS = {
  openai_chat: openaiChat,
  openai_responses: openaiResponses,
  openai_embeddings: openaiEmbeddings,
  anthropic_messages: anthropicMessages,
} as const satisfies { readonly [name: string]: Dialect };

/** Name of a dialect. */
export type DialectName = keyof typeof DIALECTS;
