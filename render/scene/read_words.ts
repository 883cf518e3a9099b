/**
 * Finds the known words of a text, in any of its languages, in time linear in its length.
 *
 * @module
 */
import { type Meaning, VOCABULARY } from "./vocabulary.ts";

/** One word of the text, or one known phrase, in reading order. */
export interface ReadWord {
  /** Lower case, without accents. */
  readonly text: string;
  /** What it says; `undefined` for a word the vocabulary lacks. */
  readonly meaning: Meaning | undefined;
  /** A comma, full stop or other mark stands before it. */
  readonly afterMark: boolean;
}

/** Listed phrases have up to this many words. */
const LONGEST_PHRASE = 5;
/** Words of languages written without spaces have up to this many characters. */
const LONGEST_UNSPACED = 5;

const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  VOCABULARY.flatMap(({ meaning, words }) =>
    words.map((word): [string, Meaning] => [plainOf(word), meaning])
  ),
);

/** The words of `text` with what they say. */
export function readWords(text: string): readonly ReadWord[] {
  const tokens = tokensOf(text);
  const words: ReadWord[] = [];
  for (let at = 0; at < tokens.length;) {
    const { length, ...word } = longestPhrase(tokens, at);
    words.push(word);
    at += length;
  }
  return words;
}

interface Token {
  readonly text: string;
  readonly afterMark: boolean;
}

function longestPhrase(tokens: readonly Token[], at: number): ReadWord & { length: number } {
  const { afterMark, text } = tokens[at]!;
  const most = Math.min(LONGEST_PHRASE, tokens.length - at);
  for (let length = most; length > 1; length--) {
    const phrase = tokens.slice(at, at + length).map((token) => token.text).join(" ");
    const meaning = MEANINGS.get(phrase);
    if (meaning !== undefined) return { text: phrase, meaning, afterMark, length };
  }
  return { text, meaning: MEANINGS.get(text), afterMark, length: 1 };
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let marked = false;
  for (const [run] of withoutAccents(text).matchAll(/[\p{L}\p{N}]+|[^\p{L}\p{N}]+/gu)) {
    if (!/^[\p{L}\p{N}]/u.test(run)) {
      marked = /[.,;:!?\n。，；！？、]/.test(run);
      continue;
    }
    for (const part of partsOf(run)) {
      tokens.push({ text: part, afterMark: marked });
      marked = false;
    }
  }
  return tokens;
}

/** Splits a run of letters where the script changes, and unspaced script into known words. */
function partsOf(run: string): string[] {
  if (!/\p{Script=Han}/u.test(run)) return [run];
  const parts: string[] = [];
  for (const [piece] of run.matchAll(/\p{Script=Han}+|[^\p{Script=Han}]+/gu)) {
    if (!/^\p{Script=Han}/u.test(piece)) {
      parts.push(piece);
      continue;
    }
    for (let at = 0; at < piece.length;) {
      let length = Math.min(LONGEST_UNSPACED, piece.length - at);
      while (length > 1 && !MEANINGS.has(piece.slice(at, at + length))) length--;
      parts.push(piece.slice(at, at + length));
      at += length;
    }
  }
  return parts;
}

function withoutAccents(text: string): string {
  return text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").replaceAll("ß", "ss");
}

/** A listed word as `readWords` would spell it. */
function plainOf(word: string): string {
  return withoutAccents(word).split(/[^\p{L}\p{N}]+/u).filter((part) => part !== "").join(" ");
}
