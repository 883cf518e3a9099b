/**
 * The facts of a request that is only asked about.
 *
 * @module
 */

import * as z from "zod";
import { optionWords } from "./base/option_words.ts";
import { capabilitiesOf, makesImages, mayNeed, type ModelKind } from "../domain/capabilities.ts";
import type { Model } from "../domain/catalogue.ts";
import type { RequestFacts } from "../domain/request_facts.ts";
import { imageFacts } from "../dialects/openai_images/facts.ts";
import { speechFacts } from "../dialects/openai_speech/facts.ts";
import { HeardFile, transcriptionFacts } from "../dialects/openai_transcriptions/facts.ts";
import { rerankFacts } from "../dialects/rerank/facts.ts";
import { GatewayError } from "../errors.ts";

/** UTF-8 bytes an English token has on average: the bound that a hold is sized by. */
const BYTES_PER_TOKEN = 4;
const DEFAULT_DOCUMENTS = 10;
const DEFAULT_CHARACTERS = 1_000;
const DEFAULT_SECONDS = 60;
const NO_FILE = { path: "", bytes: 0, sha256: "", filename: "", contentType: undefined };

const count = z.int().min(1);

/** What only requests for some kinds of models say. */
export const mediaFields = {
  images: count.max(16).optional().describe("how many images are made (default: 1)"),
  quality: z.string().min(1).max(64).optional().describe("quality of the images, such as high")
    .register(optionWords, { placeholder: "name" }),
  characters: count.max(100_000).optional()
    .describe("how many characters are spoken (default: 1000)"),
  audio_seconds: count.max(1_000_000).optional()
    .describe("how many seconds of sound are heard (default: 60)"),
  documents: count.max(10_000).optional()
    .describe("how many documents are ranked (default: 10)"),
};

/** What is asked about. */
export interface AskedAbout {
  readonly stream: boolean;
  readonly tools: boolean;
  readonly vision: boolean;
  readonly json_schema: boolean;
  readonly only_in?: string | undefined;
  readonly server_tools?: readonly string[] | undefined;
  readonly prompt_tokens: number;
  readonly max_tokens?: number | undefined;
  readonly size?: string | undefined;
  readonly seconds?: number | undefined;
  readonly quality?: string | undefined;
  readonly images?: number | undefined;
  readonly characters?: number | undefined;
  readonly audio_seconds?: number | undefined;
  readonly documents?: number | undefined;
}

/** What a kind of model is asked besides a prompt, by what its own dialect makes of such a body. */
const OWN_FACTS: {
  readonly [kind in ModelKind]?: (question: AskedAbout) => Partial<RequestFacts>;
} = {
  image({ size, quality, images: n, stream, vision }) {
    const capability = vision ? "image_edits" : "images";
    const { asked, expected, terms, openTerms, isMedia } = imageFacts({ size, quality, n }, {
      capability,
      stream,
      given: vision ? 1 : 0,
    });
    return { capability, asked, expected, terms, openTerms, isMedia };
  },
  transcription({ audio_seconds: seconds = DEFAULT_SECONDS, stream }) {
    const file = new HeardFile(NO_FILE, seconds);
    const { expected, isMedia } = transcriptionFacts({ file }, {
      capability: "transcriptions",
      stream,
    });
    return { expected, isMedia };
  },
  speech({ characters = DEFAULT_CHARACTERS }) {
    const body = { input: "x".repeat(characters) };
    const { asked, expected, isMedia } = speechFacts({ body, bodyBytes: 0 });
    return { asked, expected, isMedia };
  },
  rerank({ documents: count = DEFAULT_DOCUMENTS, prompt_tokens: tokens }) {
    const document = "x".repeat(Math.ceil(tokens * BYTES_PER_TOKEN / count));
    const body = { query: "x", documents: Array<string>(count).fill(document) };
    return { expected: rerankFacts({ body, bodyBytes: 0 }).expected };
  },
};

/**
 * The facts of a request for a model that makes no films.
 *
 * @throws {GatewayError} `invalid_value` for what requests for its kind do not have.
 */
export function factsOfKind({ id, kind }: Model, question: AskedAbout): RequestFacts {
  const { size, seconds } = question;
  if ((size !== undefined && !makesImages(kind)) || seconds !== undefined) {
    throw new GatewayError(
      "invalid_value",
      `Only images and films have a size, and only films a length, and '${id}' is a ${kind} model: leave them out`,
      { param: size === undefined ? "seconds" : "size" },
    );
  }
  const { server_tools: serverTools = [] } = question;
  // Chat itself has no such tools.
  const capability = serverTools.length > 0 && kind === "chat"
    ? "responses"
    : capabilitiesOf(kind)[0]!;
  const vision = question.vision && mayNeed(capability, "vision");
  const plain: RequestFacts = {
    capability,
    stream: question.stream && mayNeed(capability, "stream"),
    tools: (question.tools || serverTools.length > 0) && mayNeed(capability, "tools"),
    vision,
    jsonSchema: question.json_schema && mayNeed(capability, "jsonSchema"),
    ...(vision && { asked: { image: 1 } }),
    promptTokensEstimate: question.prompt_tokens,
    promptTokensBound: question.prompt_tokens * BYTES_PER_TOKEN,
    maxOutputTokens: question.max_tokens,
    choices: 1,
    ...(serverTools.length > 0 && { serverTools }),
    ...(question.only_in !== undefined && {
      ownOnly: { dialect: question.only_in, what: `what only ${question.only_in} has` },
    }),
  };
  const own = OWN_FACTS[kind]?.(question);
  return own === undefined ? plain : { ...plain, ...own };
}
