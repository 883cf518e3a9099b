/**
 * The dialects that callers may speak. One line each.
 *
 * @module
 */

import type { Dialect } from "./dialect.ts";
import { openaiChat } from "./openai_chat/dialect.ts";
import { openaiEmbeddings } from "./openai_embeddings/dialect.ts";
import { openaiResponses } from "./openai_responses/dialect.ts";

/** See the module's text. */
export const DIALECTS: readonly Dialect[] = [openaiChat, openaiResponses, openaiEmbeddings];
