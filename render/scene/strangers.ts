/**
 * Whether a text names something that the vocabulary lacks.
 *
 * @module
 */
import type { ReadWord } from "./read_words.ts";
import type { Meaning } from "./vocabulary.ts";
import {
  ARTICLES,
  COPULAS,
  FILLERS,
  FOREIGN_ARTICLES,
  PREPOSITIONS,
  PRONOUNS,
  RIDING_WORDS,
  UPON_WORDS,
} from "./words/grammar_words.ts";

const SMALL_WORDS: readonly ReadonlySet<string>[] = [
  ARTICLES,
  COPULAS,
  FILLERS,
  FOREIGN_ARTICLES,
  PREPOSITIONS,
  PRONOUNS,
  RIDING_WORDS,
  UPON_WORDS,
];
/** A word before one of these describes it: "an enchanted forest" names no stranger. */
const DESCRIBED = new Set<Meaning["kind"]>(["thing", "place", "time", "weather", "season"]);

/** Whether a word that the vocabulary lacks stands where something is named. */
export function namesStranger(words: readonly ReadWord[]): boolean {
  let describes = false;
  for (let at = words.length - 1; at >= 0; at--) {
    const { text, meaning, afterMark } = words[at]!;
    if (meaning !== undefined) describes = DESCRIBED.has(meaning.kind);
    else if (!isSmall(text) && !describes) return true;
    else if (isSmall(text)) describes = false;
    if (afterMark) describes = false;
  }
  return false;
}

function isSmall(text: string): boolean {
  return text.length < 2 || /\d/.test(text) || text.endsWith("ly") ||
    SMALL_WORDS.some((words) => words.has(text));
}
