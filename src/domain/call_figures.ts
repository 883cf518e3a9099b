/**
 * What detailed sums count of a call, besides what every sum does.
 *
 * @module
 */

import type { ClosedCall } from "./call.ts";

/** The figures, in the order of their columns. */
export const DETAIL_FIGURES = [
  "failed_calls",
  "cached_tokens",
  "reasoning_tokens",
  "images",
  "characters",
  "audio_seconds",
  "searches",
  "films",
  "film_seconds",
] as const;

/** One of {@linkcode DETAIL_FIGURES}. */
export type DetailFigure = typeof DETAIL_FIGURES[number];

/**
 * The figures of a closed call, in that order: images that were made, characters that were spoken,
 * seconds of sound that was heard, searches of the web and units of rankings. Of a film that was given
 * up half-way, its seconds count by how much of it was made.
 */
export function detailFigures({ result, state, work, video }: ClosedCall): readonly number[] {
  const isFilm = video !== undefined && state === "settled";
  return [
    result === "completed" ? 0 : 1,
    work.cachedInput ?? 0,
    work.reasoning ?? 0,
    work.imageOut ?? 0,
    work.character ?? 0,
    work.audioSecond ?? 0,
    (work.search ?? 0) + (work.searchUnit ?? 0),
    isFilm ? 1 : 0,
    isFilm ? Math.round(video.seconds * (video.percent ?? 100) / 100) : 0,
  ];
}
