/**
 * What can be bought, and how it is priced: the one table of units. Catalogue file,
 * model list, usage on the wire, stored prices and all pricing derive from it; a new
 * unit is a row here and the code that counts it.
 *
 * @module
 */

interface UnitRow {
  /** What its rate is for: so many of it. */
  readonly per: "million" | "one";
  /** Its name in the catalogue file, the model list and stored rows. */
  readonly wire: string;
  /** The unit whose rate it has where it has none of its own. */
  readonly fallback?: string;
  /** The total of OpenAI's usage that it is a part of. */
  readonly side?: "prompt" | "completion";
  /** Its name in OpenAI's details of that total; of the rest of a total, none. */
  readonly detail?: string;
  /** Only bought by requests that have to do with more than text. */
  readonly isMedia?: true;
  /** What the catalogue file says of its price. */
  readonly describe: string;
}

/** A row for each unit. Buckets are disjoint: what one counts, no other one does. */
export const UNITS = {
  input: {
    per: "million",
    wire: "input",
    side: "prompt",
    describe: "Per million prompt tokens. A chat route needs it.",
  },
  cachedInput: {
    per: "million",
    wire: "cached_input",
    fallback: "input",
    side: "prompt",
    detail: "cached_tokens",
    describe: "Per million prompt tokens read from a cache; without it they cost `input`.",
  },
  cacheWrite: {
    per: "million",
    wire: "cache_write",
    fallback: "input",
    side: "prompt",
    detail: "cache_write_tokens",
    describe: "Per million prompt tokens written to a cache; without it they cost `input`.",
  },
  cacheWrite1h: {
    per: "million",
    wire: "cache_write_1h",
    fallback: "cacheWrite",
    side: "prompt",
    describe:
      "Per million prompt tokens written to a cache for an hour; without it they cost `cache_write`.",
  },
  inputAudio: {
    per: "million",
    wire: "input_audio",
    fallback: "input",
    side: "prompt",
    detail: "audio_tokens",
    isMedia: true,
    describe: "Per million prompt tokens of sound; without it they cost `input`.",
  },
  inputImage: {
    per: "million",
    wire: "input_image",
    fallback: "input",
    side: "prompt",
    detail: "image_tokens",
    isMedia: true,
    describe: "Per million prompt tokens of images; without it they cost `input`.",
  },
  output: {
    per: "million",
    wire: "output",
    side: "completion",
    describe: "Per million completion tokens. A chat route needs it.",
  },
  reasoning: {
    per: "million",
    wire: "reasoning",
    fallback: "output",
    side: "completion",
    detail: "reasoning_tokens",
    describe: "Per million reasoning tokens; without it they cost `output`.",
  },
  outputAudio: {
    per: "million",
    wire: "output_audio",
    fallback: "output",
    side: "completion",
    detail: "audio_tokens",
    isMedia: true,
    describe: "Per million completion tokens of sound; without it they cost `output`.",
  },
  outputImage: {
    per: "million",
    wire: "output_image",
    fallback: "output",
    side: "completion",
    detail: "image_tokens",
    isMedia: true,
    describe: "Per million completion tokens of images; without it they cost `output`.",
  },
  request: {
    per: "one",
    wire: "request",
    describe: "Per call, on top of everything else. Default: nothing.",
  },
  image: { per: "one", wire: "image", describe: "Per input image. Default: nothing." },
  imageOut: { per: "one", wire: "image_out", describe: "Per image that is made." },
  character: {
    per: "million",
    wire: "character",
    describe: "Per million characters of text that is spoken.",
  },
  audioSecond: { per: "one", wire: "audio_second", describe: "Per second of sound that is heard." },
  searchUnit: {
    per: "one",
    wire: "search_unit",
    describe: "Per search unit of a ranking: one query with up to 100 documents.",
  },
  search: {
    per: "one",
    wire: "search",
    describe: "Per search of the web that an upstream makes for an answer. Default: nothing.",
  },
  second: {
    per: "one",
    wire: "second",
    describe:
      "Per second of video: one price, or one per size, which is short for conditions of size.",
  },
} as const satisfies { readonly [name: string]: UnitRow };

/** The name of a unit. */
export type Unit = keyof typeof UNITS;

/** A unit's name in files. */
export type WireName<Name extends Unit> = typeof UNITS[Name]["wire"];

/** All units, in the table's order. */
export const UNIT_NAMES = Object.keys(UNITS) as readonly Unit[];

/** The facts of a unit, as one type. */
export function unitOf(name: Unit): UnitRow & { readonly fallback?: Unit } {
  return UNITS[name];
}

/** What a unit is called in files. */
export function wireName(name: Unit): string {
  return UNITS[name].wire;
}

/** The units that OpenAI's usage counts as prompt, and as completion. */
export const SIDES = {
  prompt: UNIT_NAMES.filter(isOf("prompt")),
  completion: UNIT_NAMES.filter(isOf("completion")),
} as const;

type SidedUnit = {
  [unit in Unit]: typeof UNITS[unit] extends { readonly side: string } ? unit : never;
}[Unit];

function isOf(side: UnitRow["side"]): (name: Unit) => name is SidedUnit {
  return (name): name is SidedUnit => unitOf(name).side === side;
}
