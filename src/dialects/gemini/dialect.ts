/**
 * Google's own requests for contents, which only upstreams speak.
 *
 * @module
 */

import type { UpstreamDialect } from "../base/dialect.ts";
import { GeminiAnswerReader } from "./answer_reader.ts";
import { GEMINI } from "./names.ts";
import { writeRequest } from "./write_request.ts";

export const gemini = {
  name: GEMINI,
  title: "Gemini's own requests",
  upstreams: { writeRequest, answerReader: (sink) => new GeminiAnswerReader(sink) },
} as const satisfies UpstreamDialect;
