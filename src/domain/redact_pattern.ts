/**
 * What an operator has redacted besides what is recognised by itself: literal words, with a few signs
 * that stand for others. No regular expression: of those, one that looks harmless may take minutes.
 *
 * @module
 */

/** How many a project may have. */
export const MOST_REDACT_PATTERNS = 50;

const MOST_LENGTH = 100;
/** Signs that stand for themselves: a pattern without them would redact everything. */
const LEAST_LITERALS = 3;
/** What one `*` stands for at most, characters: a text without spaces is not redacted as a whole. */
export const MOST_OF_STAR = 128;

/** Why a pattern cannot be used, and how to write it; `undefined` if it can. */
export function redactPatternFault(pattern: string): string | undefined {
  if (pattern.length > MOST_LENGTH) return `Expected at most ${MOST_LENGTH} characters`;
  if (pattern.includes("\n")) return "Expected one line";
  if (pattern.replaceAll(/[*?#\s]/g, "").length < LEAST_LITERALS) {
    return `Expected at least ${LEAST_LITERALS} characters that stand for themselves`;
  }
  if (/^[*?#]/.test(pattern)) return "Expected a character that stands for itself at the beginning";
  if (pattern.split("*").length > 2) return "Expected at most one '*'";
  return undefined;
}
