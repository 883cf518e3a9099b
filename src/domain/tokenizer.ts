/**
 * A small deterministic tokenizer: what built-in models count with, and what
 * usage is estimated with when an upstream reports none. It needs no vocabulary
 * and one pass over the text.
 *
 * A token is the longest of these at its place:
 * - up to 8 ASCII letters, or up to 4 letters of other alphabets, with one space before them;
 * - up to 3 digits, with one space before them;
 * - one CJK character (ideograph, kana, hangul syllable);
 * - up to 4 punctuation marks or symbols, with one space before them;
 * - a run of up to 16 white-space characters;
 * - one character outside the basic plane (an emoji).
 *
 * English prose comes within some 10 % of what vendors' vocabularies count;
 * other text within a factor of two.
 *
 * @module
 */

const SPACE = 32;

const LETTER = 0;
const ALPHABET = 1;
const DIGIT = 2;
const CJK = 3;
const MARK = 4;
const WHITE = 5;

/** Characters of one kind that make at most one token, by kind. */
const LONGEST: readonly number[] = [8, 4, 3, 1, 4, 16];

/** How many tokens a text has. */
export function countTokens(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at = endOfToken(text, at);
  return count;
}

/** Where the token ends that begins at `start`, which is before the end of the text. */
export function endOfToken(text: string, start: number): number {
  let at = start;
  let code = text.charCodeAt(at);
  if (code === SPACE && at + 1 < text.length) {
    const next = text.charCodeAt(at + 1);
    const kind = kindOf(next);
    if (kind !== WHITE && kind !== CJK && !isSurrogate(next)) {
      at++;
      code = next;
    }
  }
  if (isSurrogate(code)) return at + (isPair(text, at) ? 2 : 1);
  const kind = kindOf(code);
  const limit = Math.min(text.length, at + LONGEST[kind]!);
  for (at++; at < limit; at++) {
    const next = text.charCodeAt(at);
    if (isSurrogate(next) || kindOf(next) !== kind) break;
  }
  return at;
}

function kindOf(code: number): number {
  if (code < 128) {
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return LETTER;
    if (code >= 48 && code <= 57) return DIGIT;
    if (code === SPACE || (code >= 9 && code <= 13)) return WHITE;
    return MARK;
  }
  if (code < 0xc0) return code === 0xa0 ? WHITE : MARK;
  // Radicals, kana, ideographs, hangul syllables and full-width forms.
  if ((code >= 0x2e80 && code <= 0xd7ff) || (code >= 0xf900 && code <= 0xfaff)) return CJK;
  if (code >= 0xff00 && code <= 0xffef) return CJK;
  if (code >= 0x2000 && code <= 0x2bff) return code <= 0x200a ? WHITE : MARK;
  return ALPHABET;
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

function isPair(text: string, at: number): boolean {
  const first = text.charCodeAt(at);
  const second = text.charCodeAt(at + 1);
  return first <= 0xdbff && second >= 0xdc00 && second <= 0xdfff;
}
