/**
 * Size and time limits of upstream answers that no setting changes.
 *
 * @module
 */

/** Decoded bytes of a plain answer: enough for any text, audio or logprobs that a chat returns. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** The same of an answer with embeddings: thousands of vectors with all their digits. */
export const MAX_EMBEDDINGS_BYTES = 64 * 1024 * 1024;

/** The same of an answer with images in it: ten of the largest size, compressed. */
export const MAX_IMAGES_BYTES = 96 * 1024 * 1024;

/** The same of an answer, or a stream, whose images go to the disk: ten with all that come before. */
export const MAX_SIEVED_BYTES = 512 * 1024 * 1024;

/** Decoded bytes of an error answer; its message is all we want of it. */
export const MAX_ERROR_BYTES = 256 * 1024;

/** Bytes that may still come after the last event before its connection is given up. */
export const DRAIN_BYTES = 64 * 1024;

/** Milliseconds that an upstream has to end its body after the last event. */
export const DRAIN_MS = 1_000;
