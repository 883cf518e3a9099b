/**
 * What a text is made of, for comparing texts: words, pairs of words and pieces
 * of words, each with a weight.
 *
 * @module
 */

/** Told of each feature of a text, in no order that matters. */
export type OnFeature = (feature: string, weight: number) => void;

const WORD = /[\p{L}\p{N}]+/gu;
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

/** Tells every feature of a text. */
export function eachFeature(text: string, onFeature: OnFeature): void {
  let before: string | undefined;
  for (const [found] of text.normalize("NFKC").toLowerCase().matchAll(WORD)) {
    for (const word of UNSPACED.test(found) ? found : [found]) {
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
}

/** Tells every feature of a list of token ids. */
export function eachTokenFeature(tokens: readonly number[], onFeature: OnFeature): void {
  for (const [index, token] of tokens.entries()) {
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
