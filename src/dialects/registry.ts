/**
 * The dialects that there are, by name: those that callers may speak, and those that only upstreams
 * do. One line each.
 *
 * @module
 */

import type { Dialect, UpstreamDialect } from "./base/dialect.ts";
import { anthropicMessages } from "./anthropic_messages/dialect.ts";
import { bedrockConverse } from "./bedrock_converse/dialect.ts";
import { gemini } from "./gemini/dialect.ts";
import { openaiChat } from "./openai_chat/dialect.ts";
import { openaiCompletions } from "./openai_completions/dialect.ts";
import { openaiEmbeddings } from "./openai_embeddings/dialect.ts";
import { openaiImageEdits, openaiImages } from "./openai_images/dialect.ts";
import { openaiModerations } from "./openai_moderations/dialect.ts";
import { openaiResponses } from "./openai_responses/dialect.ts";
import { openaiSpeech } from "./openai_speech/dialect.ts";
import { openaiTranscriptions, openaiTranslations } from "./openai_transcriptions/dialect.ts";
import { rerank } from "./rerank/dialect.ts";

export const DIALECTS = {
  openai_chat: openaiChat,
  openai_responses: openaiResponses,
  openai_embeddings: openaiEmbeddings,
  anthropic_messages: anthropicMessages,
  openai_completions: openaiCompletions,
  openai_images: openaiImages,
  openai_image_edits: openaiImageEdits,
  openai_moderations: openaiModerations,
  openai_speech: openaiSpeech,
  openai_transcriptions: openaiTranscriptions,
  openai_translations: openaiTranslations,
  rerank,
} as const satisfies { readonly [name: string]: Dialect };

/** Those that callers do not speak. */
export const UPSTREAM_DIALECTS = {
  bedrock_converse: bedrockConverse,
  gemini,
} as const satisfies { readonly [name: string]: UpstreamDialect };

/** Name of a dialect that callers may speak. */
export type DialectName = keyof typeof DIALECTS;

/** Name of a dialect that upstreams may speak. */
export type UpstreamDialectName = DialectName | keyof typeof UPSTREAM_DIALECTS;
