/**
 * Text that was percent-encoded.
 *
 * @module
 */

/** As it was before; `undefined` where a `%` stands for nothing. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
