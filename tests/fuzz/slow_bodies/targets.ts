/**
 * Where a body may be slow: every path that takes one.
 *
 * @module
 */

/** A path, its models and what a plain request has; "*" is the body itself, "~" is any other field. */
export interface Target {
  readonly path: string;
  /** `""` where there is none. */
  readonly models: readonly string[];
  /** JSON texts, or those of a form. */
  readonly plain: Readonly<Record<string, string>>;
  readonly fields: readonly string[];
  readonly isForm?: true;
}

const MESSAGES = '[{"role":"user","content":"Hello"}]';
const OWN_FIELDS = ["*", "~", "model", "source_policy", "provider", "metadata"];
const FORMS = ["parts", "heads", "dashes", "one part"];
const PAIRS = ["pairs", "separators", "percents"];
const UPLOADS = [...FORMS, "a file", "a file of dashes", "a file of empty lines"];
const CHATS = ["echo", "plain"];
const ASKED = { messages: MESSAGES, max_tokens: "9" };
const SAYING = ["messages", "system", "tools", "tool_choice", "thinking", "output_config"];
const CONVERSING = ["input", "tools", "text", "instructions"];

/** One for each path and form of its body; those of JSON first. */
export const TARGETS: readonly Target[] = [
  {
    path: "/v1/chat/completions",
    models: CHATS,
    plain: { messages: MESSAGES },
    fields: [...OWN_FIELDS, "messages", "tools", "stop", "response_format", "logit_bias"],
  },
  {
    path: "/v1/messages",
    models: CHATS,
    plain: ASKED,
    fields: [...OWN_FIELDS, ...SAYING, "stop_sequences", "mcp_servers"],
  },
  {
    path: "/v1/messages/count_tokens",
    models: CHATS,
    plain: { messages: MESSAGES },
    fields: ["*", "~", ...SAYING],
  },
  {
    path: "/v1/responses",
    models: CHATS,
    plain: { input: '"Hello"' },
    fields: [...OWN_FIELDS, ...CONVERSING, "include"],
  },
  ...["/v1/responses/input_tokens", "/v1/responses/compact"].map((path) => ({
    path,
    models: CHATS,
    plain: { input: '"Hello"' },
    fields: ["*", "~", ...CONVERSING],
  })),
  {
    path: "/v1/completions",
    models: ["completer"],
    plain: { prompt: '"Hello"' },
    fields: [...OWN_FIELDS, "prompt", "suffix", "stop", "logit_bias"],
  },
  {
    path: "/v1/embeddings",
    models: ["vectors", "remote-vectors"],
    plain: { input: '"Hello"' },
    fields: [...OWN_FIELDS, "input"],
  },
  {
    path: "/v1/moderations",
    models: ["judge"],
    plain: { input: '"Hello"' },
    fields: [...OWN_FIELDS, "input"],
  },
  ...["/v1/rerank", "/v2/rerank"].map((path) => ({
    path,
    models: ["ranker"],
    plain: { query: '"Hello"', documents: '["a"]' },
    fields: [...OWN_FIELDS, "query", "documents", "rank_fields"],
  })),
  {
    path: "/v1/images/generations",
    models: ["painter"],
    plain: { prompt: '"A red fox"' },
    fields: [...OWN_FIELDS, "prompt", "size", "n"],
  },
  {
    path: "/v1/images/edits",
    models: ["painter"],
    plain: { prompt: '"A red fox"', images: '[{"image_url":"data:image/png;base64,AAAA"}]' },
    fields: [...OWN_FIELDS, "prompt", "images", "mask"],
  },
  {
    path: "/v1/audio/speech",
    models: ["speaker"],
    plain: { input: '"Hello"', voice: '"alloy"' },
    fields: [...OWN_FIELDS, "input", "instructions", "voice"],
  },
  {
    path: "/v1/batches",
    models: [""],
    plain: { endpoint: '"/v1/responses"', completion_window: '"24h"' },
    fields: ["*", "~", "input_file_id", "metadata", "output_expires_after"],
  },
  {
    path: "/v1/videos",
    models: ["no-film"],
    plain: { prompt: '"A red fox"' },
    fields: [...OWN_FIELDS, "prompt", "input_reference", "seconds", "size"],
  },
  { path: "/v1/videos", models: [""], plain: {}, fields: [...PAIRS, ...FORMS], isForm: true },
  {
    path: "/v1/images/edits",
    models: ["painter"],
    plain: { prompt: "A hat" },
    fields: UPLOADS,
    isForm: true,
  },
  ...["/v1/audio/transcriptions", "/v1/audio/translations"].map((path) => ({
    path,
    models: ["hearer"],
    plain: {},
    fields: [...UPLOADS, "a file of sound without end"],
    isForm: true as const,
  })),
  {
    path: "/v1/files",
    models: [""],
    plain: { purpose: "batch" },
    fields: [...UPLOADS, "a file of lines"],
    isForm: true,
  },
];
