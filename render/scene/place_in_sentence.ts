/**
 * Reads words by their place in the sentence: a noun that stands as a verb, a word of another
 * language in an English text, what is denied, what is a background.
 *
 * @module
 */
import type { ReadWord } from "./read_words.ts";
import type { Meaning } from "./vocabulary.ts";
import {
  ARTICLES,
  FALSE_FRIENDS,
  FOREIGN_ARTICLES,
  PREPOSITIONS,
  PRONOUNS,
  VERB_FORMS,
} from "./words/grammar_words.ts";

/** The words of `words` that hold, each with what it says where it stands; denied ones are gone. */
export function placeInSentence(words: readonly ReadWord[]): readonly ReadWord[] {
  const foreign = words.length === 1 || words.some(({ text }) => FOREIGN_ARTICLES.has(text));
  const read = words.map((word, at) => {
    // "Le renard court" runs, a tennis court does not.
    const isDone = word.meaning?.kind === "motion" && words[at - 1]?.meaning?.kind === "thing";
    if (FALSE_FRIENDS.has(word.text) && !foreign && !isDone) {
      return { ...word, meaning: undefined };
    }
    if (isMaterial(words, at)) return { ...word, meaning: undefined };
    if (word.text === "background" || word.text === "backdrop") return asBackground(words, at);
    return asVerb(words, at) ?? word;
  });
  return withoutDenied(read);
}

const MATERIALS = new Set(["glass", "rock", "crystal", "diamond", "campfire"]);

/** What a thing is made of, as in "a stone bridge" and "a fire truck". */
function isMaterial(words: readonly ReadWord[], at: number): boolean {
  const { meaning } = words[at]!;
  const next = words[at + 1];
  return meaning?.kind === "thing" && !meaning.plural && MATERIALS.has(meaning.value) &&
    next?.meaning?.kind === "thing" && !next.afterMark && !VERB_FORMS.has(next.text);
}

/** "On a white background" is a place, "in the background" is none. */
function asBackground(words: readonly ReadWord[], at: number): ReadWord {
  const isColoured = words[at - 1]?.meaning?.kind === "colour";
  const meaning: Meaning = { kind: "place", value: "studio" };
  return isColoured ? { ...words[at]!, meaning } : words[at]!;
}

function asVerb(words: readonly ReadWord[], at: number): ReadWord | undefined {
  const word = words[at]!;
  const form = VERB_FORMS.get(word.text);
  const before = words[at - 1];
  if (form === undefined || before === undefined || word.afterMark) return undefined;
  const next = words[at + 1];
  const hasObject = next !== undefined && !next.afterMark && ARTICLES.has(next.text);
  const hasPath = next !== undefined && !next.afterMark &&
    (PREPOSITIONS.has(next.text) || next.meaning?.kind === "pace");
  const kind = before.meaning?.kind;
  const isSubject = PRONOUNS.has(before.text) || kind === "thing";
  const isName = isSubject || kind === undefined && isOpen(before.text) || kind === "place" ||
    kind === "weather" || kind === "pace";
  // "A child waves": what nothing follows is a verb if it is one that can be shown.
  const ends = next === undefined || next.afterMark || next.text === "and";
  const stands = PRONOUNS.has(before.text) || isName && hasObject ||
    isSubject && (form.path === true && (hasPath || ends && form.motion !== undefined)) ||
    kind === "thing" && isSeveral(before) && next?.meaning?.kind === "thing" &&
      form.path !== true &&
      !word.text.endsWith("s");
  if (!stands) return undefined;
  const meaning: Meaning | undefined = form.motion && { kind: "motion", value: form.motion };
  return { ...word, meaning };
}

/** Whether several are meant: "people watch" has a verb that "a person watch" has not. */
function isSeveral(word: ReadWord): boolean {
  return word.meaning?.kind === "thing" && word.meaning.plural;
}

/** A word that may name something. */
function isOpen(text: string): boolean {
  return !ARTICLES.has(text) && !PREPOSITIONS.has(text) && text !== "and" && text !== "or";
}

/** Leaves out "no red cars or people": the denied noun, what describes it, and what "or" adds. */
function withoutDenied(words: readonly ReadWord[]): readonly ReadWord[] {
  const kept: ReadWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word.meaning?.kind !== "negation") {
      kept.push(word);
      continue;
    }
    kept.push(word);
    const end = endOfDenial(words, at);
    const denied = words.slice(at + 1, end + 1);
    at = end;
    if (denied.some(({ meaning }) => meaning?.kind === "weather" && meaning.value === "cloudy")) {
      kept.push({ text: "", meaning: { kind: "cloudless" }, afterMark: true });
    }
    const mark = words[at + 1];
    if (mark !== undefined) kept.push({ text: "", meaning: undefined, afterMark: true });
  }
  return kept;
}

const ADJECTIVES = new Set<Meaning["kind"]>(["colour", "count", "size", "pace"]);
const JOINTS = new Set(["or", "nor"]);
/** A denial reaches its noun over this many words that the vocabulary lacks. */
const DENIED_STRANGERS = 2;

/** The last word that the denial at `from` covers. */
function endOfDenial(words: readonly ReadWord[], from: number): number {
  let end = from;
  let strangers = 0;
  for (let at = from + 1; at < words.length; at++) {
    const { meaning, text, afterMark } = words[at]!;
    if (afterMark && !JOINTS.has(text)) break;
    if (meaning === undefined) {
      if (PREPOSITIONS.has(text) && text !== "of" || text === "and" || text === "but") break;
      if (!ARTICLES.has(text) && ++strangers > DENIED_STRANGERS) break;
      continue;
    }
    end = at;
    if (ADJECTIVES.has(meaning.kind)) continue;
    if (JOINTS.has(words[at + 1]?.text ?? "")) {
      strangers = 0;
      at++;
      continue;
    }
    break;
  }
  return end;
}
