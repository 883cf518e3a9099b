/**
 * Tells the motions that the weather and the hour make themselves: "heavy snow falling",
 * "night falls", "fog rolls in". Nobody else is to make them.
 *
 * @module
 */
import type { ReadWord } from "./read_words.ts";
import type { Motion } from "./scene.ts";
import { PREPOSITIONS } from "./words/grammar_words.ts";

/** What runs, swims or sleeps at night is somebody. */
const OWN_MOTIONS: ReadonlySet<Motion> = new Set<Motion>([
  "fall",
  "rise",
  "roll",
  "float",
  "fly",
  "spin",
  "grow",
  "bounce",
]);

/** Words that may stand between the noun and its verb: "is softly", "keeps on". */
const REACH_WORDS = 2;

/** Whether the verb at a place belongs to a word of the weather or the hour before it. */
export function isOfSetting(words: readonly ReadWord[], at: number): boolean {
  const { meaning } = words[at]!;
  if (meaning?.kind !== "motion" || !OWN_MOTIONS.has(meaning.value)) return false;
  for (let place = at; place > 0 && at - place <= REACH_WORDS; place--) {
    const { meaning: before } = words[place - 1]!;
    if (words[place]!.afterMark) return false;
    if (before?.kind === "weather" || before?.kind === "time") return !isInPhrase(words, place - 1);
    if (before !== undefined && before.kind !== "pace") return false;
  }
  return false;
}

/** "A fox in the snow" is not about the snow. */
function isInPhrase(words: readonly ReadWord[], at: number): boolean {
  for (let place = at; place > 0 && !words[place]!.afterMark; place--) {
    const { text, meaning } = words[place - 1]!;
    if (PREPOSITIONS.has(text)) return text !== "of";
    if (meaning?.kind === "thing") return false;
  }
  return false;
}
