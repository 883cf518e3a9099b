/**
 * Bedrock's Converse, which only upstreams speak.
 *
 * @module
 */

import type { UpstreamDialect } from "../base/dialect.ts";
import { ConverseAnswerReader } from "./answer_reader.ts";
import { CONVERSE } from "./names.ts";
import { writeRequest } from "./write_request.ts";

export const bedrockConverse = {
  name: CONVERSE,
  title: "Bedrock's Converse",
  upstreams: { writeRequest, answerReader: (sink) => new ConverseAnswerReader(sink) },
} as const satisfies UpstreamDialect;
