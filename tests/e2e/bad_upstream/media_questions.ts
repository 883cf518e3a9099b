/**
 * What is asked of upstreams that hear, draw, speak, judge, rank and embed.
 *
 * @module
 */

/** What is asked, by its path and fields; `form` has a file too. */
export interface MediaQuestion {
  readonly path: string;
  readonly kind: string;
  readonly sale: string;
  readonly supports?: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly form?: "file" | "image";
}

const SOUND = { kind: "transcription", sale: `{ audio_second: "0.0001" }`, form: "file" } as const;
const IMAGE = { kind: "image", sale: `{ image_out: "0.04" }` } as const;
const BY_TOKENS = `{ input: "5", input_image: "8", output_image: "30" }`;
const heard = (format: string) => ({
  path: "/v1/audio/transcriptions",
  ...SOUND,
  fields: { response_format: format },
});

export const QUESTIONS = {
  speech: {
    path: "/v1/audio/speech",
    kind: "speech",
    sale: `{ character: "15" }`,
    fields: { voice: "alloy", input: "Hello" },
  },
  "speech as events": {
    path: "/v1/audio/speech",
    kind: "speech",
    sale: `{ input: "0.6", output_audio: "12" }`,
    fields: { voice: "alloy", input: "Hello", stream_format: "sse" },
  },
  "json transcription": heard("json"),
  "text transcription": heard("text"),
  "srt transcription": heard("srt"),
  "vtt transcription": heard("vtt"),
  "verbose transcription": heard("verbose_json"),
  "diarized transcription": heard("diarized_json"),
  "streamed transcription": {
    ...heard("json"),
    sale: `{ input: "2.5", output: "10" }`,
    fields: { response_format: "json", stream: "true" },
  },
  translation: { path: "/v1/audio/translations", ...SOUND, fields: {} },
  images: { path: "/v1/images/generations", ...IMAGE, fields: { prompt: "A fox" } },
  "images by tokens": {
    path: "/v1/images/generations",
    kind: "image",
    sale: BY_TOKENS,
    fields: { prompt: "A fox", size: "1024x1024", quality: "low" },
  },
  "streamed images": {
    path: "/v1/images/generations",
    ...IMAGE,
    fields: { prompt: "A fox", stream: true, partial_images: 1 },
  },
  "image edits": {
    path: "/v1/images/edits",
    ...IMAGE,
    form: "image",
    fields: { prompt: "A hat" },
  },
  moderations: {
    path: "/v1/moderations",
    kind: "moderation",
    sale: `{ input: "1" }`,
    fields: { input: ["One", "Two"] },
  },
  rerank: {
    path: "/v1/rerank",
    kind: "rerank",
    sale: `{ search_unit: "0.002" }`,
    fields: { query: "What?", documents: ["One", "Two"] },
  },
  completions: {
    path: "/v1/completions",
    kind: "chat",
    sale: `{ input: "2", output: "4" }`,
    supports: "supports: { completions: true, chat: false }, ",
    fields: { prompt: "Once", max_tokens: 16 },
  },
  "streamed completions": {
    path: "/v1/completions",
    kind: "chat",
    sale: `{ input: "2", output: "4" }`,
    supports: "supports: { completions: true, chat: false }, ",
    fields: { prompt: "Once", max_tokens: 16, stream: true },
  },
  embeddings: {
    path: "/v1/embeddings",
    kind: "embedding",
    sale: `{ input: "1" }`,
    fields: { input: ["One", "Two"] },
  },
} as const satisfies Readonly<Record<string, MediaQuestion>>;
