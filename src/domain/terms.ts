/**
 * What a price may depend on besides counts.
 *
 * @module
 */

import { readVideoSize } from "./video_size.ts";

/** What conditions can be told of: films, images, or answers that are written. */
export type ToldOf = "films" | "images" | "answers";

interface ConditionRow {
  /** In the catalogue file. */
  readonly wire: string;
  readonly of: readonly ToldOf[];
  /** Decided by the answer; what was asked for counts only where that says nothing, and is dearer. */
  readonly isReported?: true;
  /** Told by the request alone, so that it has to be stored with the call. */
  readonly isStored?: true;
  /** What means nothing out of the usual: as if it were not told, and no condition. */
  readonly usual?: readonly string[];
  readonly describe: string;
}

/** The longest text that a condition compares. */
export const MOST_TERM_CHARACTERS = 64;

/** Conditions that compare a text. */
export const CONDITIONS = {
  size: {
    wire: "size",
    of: ["films", "images"],
    describe: "The film's or the image's size, such as 1280x720.",
  },
  resolution: {
    wire: "resolution",
    of: ["films"],
    describe: "The shorter side of the film's size, such as 720p.",
  },
  quality: {
    wire: "quality",
    of: ["films", "images"],
    isStored: true,
    describe:
      "The request's `quality`, which a film's route passes on (`video.pass_fields`); of an " +
      "image what the answer says of it, if anything.",
  },
  serviceTier: {
    wire: "service_tier",
    of: ["answers"],
    isReported: true,
    usual: ["auto", "default"],
    describe: "The tier that the answer names, such as priority or flex.",
  },
  speed: {
    wire: "speed",
    of: ["answers"],
    isReported: true,
    usual: ["standard"],
    describe: "The speed that the answer names, such as fast.",
  },
  inferenceGeo: {
    wire: "inference_geo",
    of: ["answers"],
    isReported: true,
    usual: ["global", "not_available"],
    describe: "Where the answer says that it was made, such as us.",
  },
} as const satisfies { readonly [name: string]: ConditionRow };

/** The name of a condition that compares a text. */
export type TermName = keyof typeof CONDITIONS;

/** All of them. */
export const TERM_NAMES = Object.keys(CONDITIONS) as readonly TermName[];

/** Facts of a call that conditions are decided by; an absent one is not known. */
export type Terms = { readonly [name in TermName]?: string };

/** Nothing out of the usual. */
export const NO_TERMS: Terms = Object.freeze({});

/** What has to be so, all of it. */
export interface Condition extends Terms {
  /** More tokens in the prompt than this. */
  readonly contextAbove?: number;
}

/** The facts of a condition, as one type. */
export function conditionOf(name: TermName): ConditionRow {
  return CONDITIONS[name];
}

/** Of what a request says what has to be stored to price it later; `undefined` for nothing. */
export function storedTerms(terms: Terms | undefined): Terms | undefined {
  const stored = TERM_NAMES.flatMap((name) =>
    terms?.[name] !== undefined && conditionOf(name).isStored === true ? [[name, terms[name]]] : []
  );
  return stored.length === 0 ? undefined : Object.fromEntries(stored);
}

/** What a film's size says. */
export function videoTerms(size: string): Terms {
  const pixels = readVideoSize(size);
  if (pixels === undefined) return { size };
  return { size, resolution: `${Math.min(pixels.width, pixels.height)}p` };
}
