/**
 * What OpenAI's older paths take for a prompt: a text or token ids, or a list of either.
 *
 * @module
 */

/** As OpenAI's own limit. */
const MOST_INPUTS = 2_048;
/** Far beyond any context of today. */
const MOST_TOKENS = 100_000;
/** Far beyond any vocabulary. */
const LARGEST_TOKEN = 9_999_999;

/** The forms of a text. */
const TEXT = { type: "string", minLength: 1 } as const;
const TOKENS = listOf({ type: "integer", minimum: 0, maximum: LARGEST_TOKEN }, MOST_TOKENS);

/** What is wrong with a prompt, and where. */
export interface InputFault {
  readonly path: (string | number)[];
  readonly message: string;
}

/** The forms in the API's document; {@linkcode faultOfPrompts} is what checks them. */
export const PROMPT_FORMS = {
  description: "A text, a list of texts, a list of token ids, or a list of those",
  anyOf: [TEXT, listOf(TEXT, MOST_INPUTS), TOKENS, listOf(TOKENS, MOST_INPUTS)],
};

/** A prompt of any of the forms as a list of texts or of token lists. */
export function promptList(value: unknown): readonly string[] | readonly (readonly number[])[] {
  const list = value as string | readonly (string | number | readonly number[])[];
  const isOne = typeof list === "string" || typeof list[0] === "number";
  return (isOne ? [list] : list) as readonly string[] | readonly (readonly number[])[];
}

function listOf(items: object, maxItems: number): object {
  return { type: "array", minItems: 1, maxItems, items };
}

/**
 * Stops at the first fault: a list may have a million entries.
 *
 * @param mayBeEmpty Whether a text may have no character.
 */
export function faultOfPrompts(input: unknown, mayBeEmpty = false): InputFault | undefined {
  if (typeof input === "string") return faultOfText(input, { path: [], mayBeEmpty });
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
    const fault = isTexts
      ? faultOfText(one, { path: [index], mayBeEmpty })
      : faultOfTokens(one, [index]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfText(
  value: unknown,
  { path, mayBeEmpty }: { readonly path: (string | number)[]; readonly mayBeEmpty: boolean },
): InputFault | undefined {
  if (typeof value !== "string") {
    return { path, message: "Expected a text, as the first input is one" };
  }
  return value === "" && !mayBeEmpty
    ? { path, message: "Expected a text that is not empty" }
    : undefined;
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
