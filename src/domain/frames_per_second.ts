/**
 * How fast films are shown.
 *
 * @module
 */

/** Frames of every film made here, per second. */
export const FRAMES_PER_SECOND = 24;
