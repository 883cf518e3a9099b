/**
 * Tags: what a caller calls a call by, for its own reports.
 *
 * @module
 */

/** Values by name. */
export type Tags = { readonly [name: string]: string };

/** Pairs that a call may have. */
export const MOST_TAGS = 8;
/** Characters that a value may have. */
export const MOST_TAG_CHARACTERS = 128;

/** What a name looks like. */
export const TAG_NAME = /^[A-Za-z0-9_.-]{1,32}$/;

/** What a value looks like: text without control characters. */
// deno-lint-ignore no-control-regex -- exactly those are refused
export const TAG_VALUE = /^[^\u0000-\u001f\u007f]{1,128}$/;
