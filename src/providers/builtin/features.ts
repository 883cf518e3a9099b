/**
 * What a text is made of, for comparing texts: words, pairs of words and pieces
 * of words, each with a weight.
 *
 * @module
 */

/** Told of each feature of a text, in no order that matters. */
export type OnFeature = (feature: string, weight: number) => void;

const WORD = /[\p{L}\p{N}]+/gu;
const BLANK = /\s/;
/** Scripts that set no blanks between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const PIECE_CHARACTERS = 4;
const WORD_WEIGHT = 1;
const PAIR_WEIGHT = 0.4;
const PIECE_WEIGHT = 0.35;
/** Words that stand in most texts say little about any. */
const COMMON_WEIGHT = 0.15;
const COMMON: ReadonlySet<string> = new Set(
  ("a an and are as at be been but by can could did do does for from had has have he her his how i " +
    "if in into is it its just may me more my no not of on or our she should so some than that the " +
    "their them then there these they this those to too us very was we were what when where which " +
    "who why will with would you your").split(" "),
);
/** Endings that change a word's form more than its meaning, longest first. */
const ENDINGS = [
  "ations",
  "ation",
  "ingly",
  "ings",
  "ing",
  "edly",
  "ied",
  "ies",
  "ers",
  "er",
  "ed",
  "es",
  "ly",
  "s",
];
const SHORTEST_STEM = 3;
/** No word is longer than a slice that is normalised at one time. */
const WORDS_PER_STEP = 100;
const TOKENS_PER_STEP = 500;
/** Normalising takes time by the square of a run of combining marks: longer texts are cut first. */
const MOST_NORMALISED = 500;
/** Longer normal forms are left alone: a sign that stands for a sentence says more than its words. */
const MOST_EXPANSION = 4;

/** Tells every feature of a text, in steps. */
export function* eachFeature(text: string, onFeature: OnFeature): Generator<void> {
  let before: string | undefined;
  let left = WORDS_PER_STEP;
  for (const word of wordsOf(text)) {
    if (left-- === 0) {
      yield;
      left = WORDS_PER_STEP;
    }
    const isCommon = COMMON.has(word);
    const stem = isCommon ? word : stemOf(word);
    onFeature(`w ${stem}`, isCommon ? COMMON_WEIGHT : WORD_WEIGHT);
    if (before !== undefined) {
      onFeature(`p ${before} ${stem}`, isCommon ? COMMON_WEIGHT : PAIR_WEIGHT);
    }
    if (!isCommon) eachPiece(stem, onFeature);
    before = stem;
  }
}

function* wordsOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = endOfSlice(text, start);
    for (const [found] of normalised(text.slice(start, end)).toLowerCase().matchAll(WORD)) {
      if (UNSPACED.test(found)) yield* found;
      else yield found;
    }
    start = end;
  }
}

/** Behind the last blank within reach, so that a word is cut only where it is longer than any. */
function endOfSlice(text: string, start: number): number {
  const most = start + MOST_NORMALISED;
  if (most >= text.length) return text.length;
  for (let end = most; end > start; end--) {
    if (BLANK.test(text[end - 1]!)) return end;
  }
  return isLowSurrogate(text.charCodeAt(most)) ? most - 1 : most;
}

function normalised(slice: string): string {
  const normal = slice.normalize("NFKC");
  return normal.length > slice.length * MOST_EXPANSION ? slice : normal;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Tells every feature of a list of token ids, in steps. */
export function* eachTokenFeature(
  tokens: readonly number[],
  onFeature: OnFeature,
): Generator<void> {
  for (const [index, token] of tokens.entries()) {
    if (index % TOKENS_PER_STEP === TOKENS_PER_STEP - 1) yield;
    onFeature(`t ${token}`, WORD_WEIGHT);
    if (index > 0) onFeature(`u ${tokens[index - 1]} ${token}`, PAIR_WEIGHT);
  }
}

/** Pieces find words of one family, and words with a slip of the pen. */
function eachPiece(word: string, onFeature: OnFeature): void {
  const marked = `<${word}>`;
  const pieces = marked.length - PIECE_CHARACTERS + 1;
  for (let start = 0; start < pieces; start++) {
    onFeature(
      `c ${marked.slice(start, start + PIECE_CHARACTERS)}`,
      PIECE_WEIGHT / Math.sqrt(pieces),
    );
  }
}

function stemOf(word: string): string {
  for (const ending of ENDINGS) {
    if (word.endsWith(ending) && word.length - ending.length >= SHORTEST_STEM) {
      const stem = word.slice(0, -ending.length);
      return ending === "ies" || ending === "ied" ? `${stem}y` : stem;
    }
  }
  return word;
}
