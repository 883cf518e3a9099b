/**
 * Free text as a column can hold it.
 *
 * @module
 */

/** The text with U+FFFD for U+0000, up to which alone the runtime would read it back. */
export function storableText(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text;
}
