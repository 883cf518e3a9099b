/**
 * What a request for images needs of a route, and what its price depends on.
 *
 * How many tokens an image is, nobody knows before it is made. The figures are those of OpenAI's
 * first model with tokens (its guide to images): for 1024x1024 272, 1,056 and 4,160 by quality, and
 * in proportion for other sizes; later models take about as many.
 *
 * @module
 */

import { asCount, type JsonObject } from "../../domain/json_value.ts";
import type { Capability } from "../../domain/capabilities.ts";
import type { RequestFacts } from "../../domain/request_facts.ts";
import { MOST_TERM_CHARACTERS, type TermName, type Terms } from "../../domain/terms.ts";
import { readVideoSize } from "../../domain/video_size.ts";
import type { PromptParts } from "../base/dialect.ts";

const CHARACTERS_PER_TOKEN = 4;
const MOST_BYTES_PER_CHARACTER = 3;

/** Of an image of {@linkcode PIXELS}, by quality. */
const TOKENS: ReadonlyMap<unknown, number> = new Map([
  ["low", 272],
  ["medium", 1_056],
  ["high", 4_160],
  ["xhigh", 8_320],
  ["max", 16_640],
]);
const PIXELS = 1024 * 1024;
/** Of a quality that nobody names, or nobody here knows. */
const UNKNOWN_QUALITY = { likely: 1_056, most: 4_160 };
/** Where the model chooses: square, and the largest that it chooses among. */
const UNKNOWN_PIXELS = { likely: PIXELS, most: 1536 * 1024 };
/** Answers differ from the figures by so much. */
const MARGIN = 1.1;
/** Each image that is sent before it is done. */
const TOKENS_OF_PARTIAL = 100;
/** An image that is given: likely, and looked at closely. */
const TOKENS_OF_INPUT = { likely: 1_500, most: 6_500 };

/** The facts of a request that gives so many images. */
export function imageFacts(
  body: Readonly<JsonObject>,
  { capability, stream, given, ownOnly }: {
    readonly capability: Capability;
    readonly stream: boolean;
    readonly given: number;
    readonly ownOnly?: RequestFacts["ownOnly"];
  },
): RequestFacts {
  const prompt = typeof body.prompt === "string" ? body.prompt : "";
  const count = asCount(body.n) ?? 1;
  const terms = imageTerms(body);
  const tokens = tokensOf(body);
  const partial = (asCount(body.partial_images) ?? 0) * TOKENS_OF_PARTIAL;
  // Who makes one image at a time looks at those that are given for each.
  const looks = { likely: 1, most: count };
  const inputs = (of: "likely" | "most") =>
    given === 0 ? undefined : { inputImage: given * looks[of] * TOKENS_OF_INPUT[of] };
  return {
    capability,
    stream,
    tools: false,
    vision: false,
    jsonSchema: false,
    asked: { imageOut: count, ...(given > 0 && { image: given }) },
    expected: {
      likely: { outputImage: count * (tokens.likely + partial), ...inputs("likely") },
      most: { outputImage: count * (tokens.most + partial), ...inputs("most") },
    },
    isMedia: true,
    ...(ownOnly !== undefined && { ownOnly }),
    terms,
    openTerms: DECIDING.filter((name) => terms[name] === undefined),
    promptTokensEstimate: Math.ceil(prompt.length / CHARACTERS_PER_TOKEN),
    // Google's models make one image, or a few, at a time, and read the prompt for each request.
    promptTokensBound: prompt.length * MOST_BYTES_PER_CHARACTER * count,
    maxOutputTokens: undefined,
    choices: 1,
  };
}

const DECIDING = ["size", "quality"] as const satisfies readonly TermName[];

/** What a request, or an answer, says of what the price of an image may depend on. */
export function imageTerms(
  told: Readonly<JsonObject>,
  asked: Readonly<JsonObject> = {},
): Terms {
  const terms: { [name in TermName]?: string } = {};
  for (const name of DECIDING) {
    const value = nameable(told[name]) ?? nameable(asked[name]);
    if (value !== undefined) terms[name] = value;
  }
  return terms;
}

function nameable(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "auto" || value === "") return undefined;
  return value.length > MOST_TERM_CHARACTERS ? undefined : value;
}

function tokensOf({ size, quality }: Readonly<JsonObject>) {
  const known = TOKENS.get(quality);
  const byQuality = known === undefined ? UNKNOWN_QUALITY : { likely: known, most: known };
  const read = typeof size === "string" ? readVideoSize(size) : undefined;
  const area = read === undefined ? undefined : read.width * read.height;
  const byPixels = area === undefined ? UNKNOWN_PIXELS : { likely: area, most: area };
  return {
    likely: Math.ceil(byQuality.likely * byPixels.likely / PIXELS),
    most: Math.ceil(MARGIN * byQuality.most * byPixels.most / PIXELS),
  };
}

/** What a model reads of it, images aside: these are expected. */
export function imagePrompt({ prompt }: Readonly<JsonObject>): PromptParts {
  return { texts: typeof prompt === "string" && prompt !== "" ? [prompt] : [], otherTokens: 0 };
}
