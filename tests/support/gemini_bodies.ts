/**
 * Responses and streams of Google's API: shortened copies of recorded ones (vercel/ai,
 * `packages/google/src/__fixtures__`, Apache-2.0), with signatures cut to a few characters.
 *
 * @module
 */

import { rawSseReply, type Reply, type Step } from "./fake_upstream.ts";

/** A response, or a piece of a streamed one. */
export type Response = { readonly [field: string]: unknown };

const TEXT = (tokenCount: number) => [{ modality: "TEXT", tokenCount }];

/** `google-tool-call-gemini3.chunks`: a call in one piece, its end in the next. */
export const CALL_STREAM: readonly Response[] = [
  {
    candidates: [{
      content: {
        parts: [{
          functionCall: { name: "weather", args: { location: "San Francisco" } },
          thoughtSignature: "EpEgCo4gAb4+9vvW",
        }],
        role: "model",
      },
      index: 0,
    }],
    usageMetadata: {
      promptTokenCount: 29,
      candidatesTokenCount: 15,
      totalTokenCount: 848,
      promptTokensDetails: TEXT(29),
      thoughtsTokenCount: 804,
    },
    modelVersion: "gemini-3-pro-preview",
    responseId: "QHiLaa6LBrb8vdIPoNztsAg",
  },
  {
    candidates: [{
      content: { parts: [{ text: "" }], role: "model" },
      finishReason: "STOP",
      index: 0,
    }],
    usageMetadata: {
      promptTokenCount: 29,
      candidatesTokenCount: 15,
      totalTokenCount: 848,
      promptTokensDetails: TEXT(29),
      thoughtsTokenCount: 804,
    },
    modelVersion: "gemini-3-pro-preview",
    responseId: "QHiLaa6LBrb8vdIPoNztsAg",
  },
];

/** `issue-18073-empty-text-thought-signature.chunks`: the end signs an empty text. */
export const SIGNED_END_STREAM: readonly Response[] = [
  {
    candidates: [{ content: { parts: [{ text: "4" }], role: "model" }, index: 0 }],
    usageMetadata: {
      promptTokenCount: 15,
      candidatesTokenCount: 1,
      totalTokenCount: 68,
      promptTokensDetails: TEXT(15),
      thoughtsTokenCount: 52,
      serviceTier: "standard",
    },
    modelVersion: "gemini-3-flash-preview",
    responseId: "vQRpaqzAPN2M9MoPxPq2uQ4",
  },
  {
    candidates: [{
      content: { parts: [{ text: "", thoughtSignature: "EpcCCpQCARFNMg9G" }], role: "model" },
      finishReason: "STOP",
      index: 0,
    }],
    usageMetadata: {
      promptTokenCount: 15,
      candidatesTokenCount: 1,
      totalTokenCount: 68,
      promptTokensDetails: TEXT(15),
      thoughtsTokenCount: 52,
      serviceTier: "standard",
    },
    modelVersion: "gemini-3-flash-preview",
    responseId: "vQRpaqzAPN2M9MoPxPq2uQ4",
  },
];

/** `gemma-4-output-usage.chunks`: thoughts, whose counts come before any of the answer. */
export const THOUGHTS_STREAM: readonly Response[] = [
  {
    candidates: [{
      content: { parts: [{ text: '*   User input: "hello"\n', thought: true }], role: "model" },
      index: 0,
    }],
    usageMetadata: {
      promptTokenCount: 6,
      totalTokenCount: 20,
      promptTokensDetails: TEXT(6),
      thoughtsTokenCount: 14,
      serviceTier: "standard",
    },
    modelVersion: "gemma-4-26b-a4b-it",
  },
  {
    candidates: [{
      content: { parts: [{ text: "    *   Output", thought: true }], role: "model" },
      index: 0,
    }],
    usageMetadata: {
      promptTokenCount: 6,
      totalTokenCount: 82,
      promptTokensDetails: TEXT(6),
      thoughtsTokenCount: 76,
      serviceTier: "standard",
    },
    modelVersion: "gemma-4-26b-a4b-it",
  },
  {
    candidates: [{ content: { parts: [{ text: "hello" }], role: "model" }, index: 0 }],
    usageMetadata: {
      promptTokenCount: 6,
      candidatesTokenCount: 1,
      totalTokenCount: 83,
      promptTokensDetails: TEXT(6),
      thoughtsTokenCount: 76,
      serviceTier: "standard",
    },
    modelVersion: "gemma-4-26b-a4b-it",
  },
  {
    candidates: [{
      content: { parts: [{ text: "" }], role: "model" },
      finishReason: "STOP",
      index: 0,
    }],
    usageMetadata: {
      promptTokenCount: 6,
      candidatesTokenCount: 1,
      totalTokenCount: 83,
      promptTokensDetails: TEXT(6),
      thoughtsTokenCount: 76,
      serviceTier: "standard",
    },
    modelVersion: "gemma-4-26b-a4b-it",
  },
];

/** `google-stream-no-args-tool-call.chunks`, its beginning and end: counts come last alone. */
export const LATE_COUNTS_STREAM: readonly Response[] = [
  {
    candidates: [{
      content: { role: "model", parts: [{ text: "**Processing**\n", thought: true }] },
    }],
    usageMetadata: { trafficType: "PROVISIONED_THROUGHPUT" },
    modelVersion: "gemini-3-flash-preview",
    createTime: "2026-05-04T20:01:02.264968Z",
  },
  {
    candidates: [{
      content: {
        role: "model",
        parts: [{ functionCall: { name: "read_theme" }, thoughtSignature: "AY89a18a8/Loc2wl" }],
      },
    }],
    usageMetadata: { trafficType: "PROVISIONED_THROUGHPUT" },
    modelVersion: "gemini-3-flash-preview",
  },
  {
    candidates: [{ content: { role: "model", parts: [{ text: "" }] }, finishReason: "STOP" }],
    usageMetadata: {
      promptTokenCount: 249,
      candidatesTokenCount: 58,
      totalTokenCount: 490,
      trafficType: "PROVISIONED_THROUGHPUT",
      promptTokensDetails: TEXT(249),
      candidatesTokensDetails: TEXT(58),
      thoughtsTokenCount: 183,
    },
    modelVersion: "gemini-3-flash-preview",
  },
];

/** `issue-19758-prompt-block`: no candidates, in a stream and in one piece. */
export const BLOCKED: Response = {
  promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
  usageMetadata: {
    promptTokenCount: 9,
    totalTokenCount: 9,
    promptTokensDetails: TEXT(9),
    serviceTier: "standard",
  },
  modelVersion: "gemini-3.7-flash",
  responseId: "EXCPatOAKMrQjMcPteHVmQo",
};

/** `google-tool-use-usage`: what a tool of theirs has read stands beside the prompt. */
export const TOOL_USE_USAGE = {
  promptTokenCount: 55,
  candidatesTokenCount: 51,
  totalTokenCount: 251,
  promptTokensDetails: TEXT(55),
  toolUsePromptTokenCount: 89,
  toolUsePromptTokensDetails: TEXT(89),
  thoughtsTokenCount: 56,
  serviceTier: "standard",
};

/** `issue-19822-complete-usage`: counts of every kind. */
export const FULL_USAGE = {
  promptTokenCount: 19,
  cachedContentTokenCount: 3,
  candidatesTokenCount: 4,
  toolUsePromptTokenCount: 63,
  thoughtsTokenCount: 56,
  totalTokenCount: 142,
  promptTokensDetails: TEXT(19),
  cacheTokensDetails: TEXT(3),
  candidatesTokensDetails: TEXT(4),
  toolUsePromptTokensDetails: TEXT(63),
  serviceTier: "standard",
  futureUsageField: "preserve-me",
};

/** `google-gemini-3.7-flash-thinking-levels`: no thoughts at all. */
export const PLAIN_USAGE = {
  promptTokenCount: 2,
  candidatesTokenCount: 9,
  totalTokenCount: 11,
  promptTokensDetails: TEXT(2),
  serviceTier: "standard",
};

/** `google-429-retry-info`: the pause stands in the body alone. */
export const RATE_LIMITED = {
  error: {
    code: 429,
    message: "You exceeded your current quota, please check your plan.",
    status: "RESOURCE_EXHAUSTED",
    details: [
      {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        violations: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel-FreeTier" }],
      },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.4s" },
    ],
  },
};

/** `issue-22372-live-errors`. */
export const LEVEL_REFUSED = {
  error: {
    code: 400,
    message:
      "Thinking level MINIMAL is not supported for this model. Please retry with other thinking level.",
    status: "INVALID_ARGUMENT",
  },
};

/** A response in one piece. */
export function responseOf(
  parts: readonly object[],
  { finishReason = "STOP", usage = PLAIN_USAGE as object }: {
    readonly finishReason?: string;
    readonly usage?: object;
  } = {},
): Response {
  return {
    candidates: [{ content: { parts, role: "model" }, finishReason, index: 0 }],
    usageMetadata: usage,
    modelVersion: "gemini-3.7-flash",
    responseId: "kNiDavuDIcja_uMP8tCj-QU",
  };
}

/** A stream of these, which ends with its connection, its lines as Google's servers end them. */
export function geminiReply(pieces: readonly (Response | Step)[]): Reply {
  return rawSseReply(
    pieces.map((piece) =>
      typeof piece === "string" || piece instanceof Promise || piece instanceof Uint8Array ||
        "pauseMs" in piece
        ? piece
        : `data: ${JSON.stringify(piece)}\r\n\r\n`
    ) as readonly Step[],
  );
}
