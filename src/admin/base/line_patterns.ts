/**
 * Text that is one line, as patterns of a published schema: without `\p{…}`, which not every reader
 * of one knows.
 *
 * @module
 */

// deno-lint-ignore-file no-control-regex -- control characters are what is refused

/** No control character, `\p{Cc}`. */
export const WITHOUT_CONTROL = /^[^\x00-\x1f\x7f-\x9f]*$/;

/** None, no half of a surrogate pair, and nothing that ends a line or turns the direction of writing. */
export const ONE_LINE =
  /^[^\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]*$/u;
