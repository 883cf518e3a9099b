/**
 * What goes into the rendering of one film and what comes out: plain values that cross to a Worker
 * and back.
 *
 * @module
 */

import type { FilmFaults } from "./faults.ts";

/** Frames of every film, per second. */
export const FRAMES_PER_SECOND = 24;

/** A film to make. The same order always gives the same bytes. */
export interface FilmOrder {
  readonly prompt: string;
  /** Pixels, even. */
  readonly width: number;
  /** Pixels, even. */
  readonly height: number;
  /** Whole seconds, at least 1. */
  readonly seconds: number;
  /** A PNG, JPEG or WebP file that the film's first frame shows. */
  readonly reference?: Uint8Array<ArrayBuffer>;
  readonly faults: FilmFaults;
}

/** A film as made. */
export interface RenderedFilm {
  /** An MP4 file, its index first. */
  readonly film: Uint8Array<ArrayBuffer>;
  /** A WebP file of one typical frame, at most 640 pixels on its longer side. */
  readonly thumbnail: Uint8Array<ArrayBuffer>;
  /** Frames in the film. */
  readonly frames: number;
}
