/**
 * What Google's models take and refuse, by their names at the upstream: data of November 2026. A
 * `gemini-` model that is not in the list is taken for one of the newest, any other one for one that
 * cannot be told how much to think.
 *
 * @module
 */

/** How a model is told how much to think. */
export type Thinking =
  /** By a word, and the least one that it takes. */
  | { readonly by: "level"; readonly least: "minimal" | "low" }
  /** By a number of tokens, from the least that it takes (0: not at all) to the most. */
  | { readonly by: "budget"; readonly least: number; readonly most: number }
  | { readonly by: "nothing" };

export interface ModelTraits {
  readonly thinking: Thinking;
  /** Whether calls that are given back have to be signed. */
  readonly signs: boolean;
  /** Whether an answer can be JSON while tools are offered. */
  readonly formatWithTools: boolean;
  /** Whether what a tool gave may have pictures and files in it. */
  readonly richResults: boolean;
  /** Whether there is a place for instructions; else they are said first. */
  readonly instructions: boolean;
}

const NEWEST: ModelTraits = {
  // Refused with a 400 by 3.1-pro, 3.7-flash and 3.8-flash, as recorded; taken by all: low.
  thinking: { by: "level", least: "low" },
  signs: true,
  formatWithTools: true,
  richResults: true,
  instructions: true,
};
const MINIMAL: ModelTraits = { ...NEWEST, thinking: { by: "level", least: "minimal" } };
const OLDER: ModelTraits = {
  ...NEWEST,
  thinking: { by: "nothing" },
  signs: false,
  formatWithTools: false,
  richResults: false,
};
const BUDGETED: ModelTraits = { ...OLDER, thinking: { by: "budget", least: 0, most: 24_576 } };

const BY_NAME: readonly (readonly [RegExp, ModelTraits])[] = [
  [/gemini-3-pro-image/, { ...NEWEST, thinking: { by: "nothing" } }],
  [/gemini-3[\d.]*-flash-lite|gemini-3-flash|gemini-3\.6-flash/, MINIMAL],
  [/gemini-2\.5-[a-z-]*image/, OLDER],
  [/gemini-2\.5-pro/, { ...OLDER, thinking: { by: "budget", least: 128, most: 32_768 } }],
  [/gemini-2\.5/, BUDGETED],
  [/gemini-[12](?:[.-]|$)|gemini-pro/, OLDER],
  [/gemini-/, NEWEST],
  [/gemma-/, { ...OLDER, instructions: false }],
];

/** Of a model, by its name at the upstream. */
export function traitsOf(model = "gemini-"): ModelTraits {
  return BY_NAME.find(([pattern]) => pattern.test(model))?.[1] ?? OLDER;
}
