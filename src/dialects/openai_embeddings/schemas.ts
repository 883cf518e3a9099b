/**
 * `POST /v1/embeddings`: what the gateway itself reads of the body, of which everything else is
 * forwarded untouched, and the answer.
 *
 * @module
 */

import * as z from "zod";
import { modelField, routingFields } from "../base/routing_fields.ts";
import { answerFields } from "../base/answer.ts";

/** As OpenAI's own limit. */
const MOST_INPUTS = 2_048;
/** Far beyond any context of today. */
const MOST_TOKENS = 100_000;
/** Far beyond any vocabulary. */
const LARGEST_TOKEN = 9_999_999;

/** The forms of `input` in the API's document; {@linkcode faultOf} is what checks them. */
const TEXT = { type: "string", minLength: 1 } as const;
const TOKENS = listOf({ type: "integer", minimum: 0, maximum: LARGEST_TOKEN }, MOST_TOKENS);

/** What is wrong with `input`, and where. */
interface InputFault {
  readonly path: (string | number)[];
  readonly message: string;
}

/** `input` as a list of texts or of token lists, whichever of its four forms it came in. */
const inputs = z.unknown().transform((value, context) => {
  const fault = faultOf(value);
  if (fault !== undefined) {
    context.addIssue({ code: "custom", ...fault });
    return z.NEVER;
  }
  const list = value as string | readonly (string | number | readonly number[])[];
  const isOne = typeof list === "string" || typeof list[0] === "number";
  return (isOne ? [list] : list) as readonly string[] | readonly (readonly number[])[];
});

/** The body of an embeddings request. */
export const embeddingRequest = z.looseObject({
  model: modelField,
  input: inputs.meta({
    description: "A text, a list of texts, a list of token ids, or a list of those",
    anyOf: [TEXT, listOf(TEXT, MOST_INPUTS), TOKENS, listOf(TOKENS, MOST_INPUTS)],
  }),
  encoding_format: z.enum(["float", "base64"]).nullish().describe(
    "float (default), or base64 of 32-bit floats, little-endian",
  ),
  dimensions: z.int().min(1).max(100_000).nullish().describe(
    "Length of the vectors, where the model can choose",
  ),
  user: z.string().nullish(),
  ...routingFields,
});

function listOf(items: object, maxItems: number): object {
  return { type: "array", minItems: 1, maxItems, items };
}

/** Stops at the first fault: a list may have a million entries. */
function faultOf(input: unknown): InputFault | undefined {
  if (typeof input === "string") return faultOfText(input, []);
  if (!Array.isArray(input)) {
    return { path: [], message: "Expected a text, a list of texts, or a list of token ids" };
  }
  if (input.length === 0) return { path: [], message: "Expected at least one input" };
  if (typeof input[0] === "number") return faultOfTokens(input, []);
  if (input.length > MOST_INPUTS) {
    return { path: [], message: `Expected at most ${MOST_INPUTS} inputs: it has ${input.length}` };
  }
  const isTexts = typeof input[0] === "string";
  for (const [index, one] of input.entries()) {
    const fault = isTexts ? faultOfText(one, [index]) : faultOfTokens(one, [index]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfText(value: unknown, path: (string | number)[]): InputFault | undefined {
  if (typeof value !== "string") {
    return { path, message: "Expected a text, as the first input is one" };
  }
  return value === "" ? { path, message: "Expected a text that is not empty" } : undefined;
}

function faultOfTokens(value: unknown, path: (string | number)[]): InputFault | undefined {
  if (!Array.isArray(value)) return { path, message: "Expected a text or a list of token ids" };
  if (value.length === 0) return { path, message: "Expected at least one token id" };
  if (value.length > MOST_TOKENS) {
    return { path, message: `Expected at most ${MOST_TOKENS} token ids: it has ${value.length}` };
  }
  for (let index = 0; index < value.length; index++) {
    const token: unknown = value[index];
    if (!Number.isInteger(token) || (token as number) < 0 || (token as number) > LARGEST_TOKEN) {
      const message = `Expected a token id, a whole number from 0 to ${LARGEST_TOKEN}`;
      return { path: [...path, index], message };
    }
  }
  return undefined;
}

/** The answer to `POST /v1/embeddings`. */
export const embeddingListSchema = z.looseObject({
  object: z.literal("list"),
  data: z.array(z.object({
    object: z.literal("embedding"),
    index: z.int().min(0),
    embedding: z.union([z.array(z.number()), z.string()]).describe(
      "Numbers, or base64 of 32-bit floats, little-endian",
    ),
  })),
  model: z.string().describe("The logical model"),
  usage: z.looseObject({ prompt_tokens: z.int().min(0), total_tokens: z.int().min(0) }),
  ...answerFields,
});
