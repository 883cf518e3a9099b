/**
 * Every word the renderer knows and what it means.
 *
 * @module
 */
import type {
  CameraDistance,
  CameraMove,
  Motion,
  Place,
  Season,
  TimeOfDay,
  Weather,
} from "./scene.ts";
import { COLOUR_WORDS } from "./words/colour_words.ts";
import {
  CAMERA_WORDS,
  COUNT_WORDS,
  DIRECTION_WORDS,
  DISTANCE_WORDS,
  FROZEN_WORDS,
  MOTION_WORDS,
  NEGATION_WORDS,
  PACE_WORDS,
  SIZE_WORDS,
} from "./words/motion_words.ts";
import { BREATH_WORDS, GARMENT_WORDS, INDOOR_WORDS } from "./words/part_words.ts";
import { PLACE_WORDS } from "./words/place_words.ts";
import { SEASON_WORDS, TIME_WORDS, WEATHER_WORDS } from "./words/setting_words.ts";
import {
  CREATURE_WORDS,
  OBJECT_WORDS,
  SHAPE_WORDS,
  SKY_WORDS,
  VEHICLE_WORDS,
} from "./words/thing_words.ts";

/** What a word says. */
export type Meaning =
  | { readonly kind: "weather"; readonly value: Weather }
  | { readonly kind: "time"; readonly value: TimeOfDay }
  | { readonly kind: "season"; readonly value: Season }
  | { readonly kind: "place"; readonly value: Place }
  | { readonly kind: "colour"; readonly value: number }
  | { readonly kind: "thing"; readonly value: string; readonly plural: boolean }
  | { readonly kind: "motion"; readonly value: Motion }
  | { readonly kind: "direction"; readonly value: "left" | "right" }
  | { readonly kind: "camera"; readonly value: CameraMove }
  | { readonly kind: "distance"; readonly value: CameraDistance }
  | { readonly kind: "count"; readonly value: number }
  | { readonly kind: "size"; readonly value: number }
  | { readonly kind: "pace"; readonly value: number }
  | { readonly kind: "garment"; readonly value: "body" | "part" }
  | { readonly kind: "indoors" }
  | { readonly kind: "breath" }
  /** Said by what is denied, not by a word. */
  | { readonly kind: "cloudless" }
  | { readonly kind: "frozen" }
  | { readonly kind: "negation" };

/** One row of the vocabulary: words of one meaning; a phrase has spaces. */
export interface VocabularyRow {
  readonly theme: string;
  readonly meaning: Meaning;
  readonly words: readonly string[];
}

/** Listed words that already mean more than one. */
const PLURALS: ReadonlySet<string> = new Set(
  ("foxes wolves puppies kitties ponies oxen cattle bunnies mice oiseaux geese butterflies " +
    "fireflies fishes peces fische poissons people men women ladies children kinder snowmen " +
    "ferries buses lorries fortresses churches árboles bäume arbres cacti cactuses poppies daisies " +
    "lilies flores blumen fleurs leaves foliage hojas blätter feuilles watches boxes crosses " +
    "firemen policemen fishermen businessmen princesses actresses waitresses witches benches bookshelves glasses")
    .split(" "),
);

/** The whole vocabulary, row by row. */
export const VOCABULARY: readonly VocabularyRow[] = [
  ...rows("weather", WEATHER_WORDS, (value) => ({ kind: "weather", value })),
  ...rows("time of day", TIME_WORDS, (value) => ({ kind: "time", value })),
  ...rows("season", SEASON_WORDS, (value) => ({ kind: "season", value })),
  ...rows("place", PLACE_WORDS, (value) => ({ kind: "place", value })),
  ...Object.values(COLOUR_WORDS).map(({ colour, words }) =>
    row("colour", { kind: "colour", value: colour }, words)
  ),
  ...things("creature", CREATURE_WORDS),
  ...things("vehicle", VEHICLE_WORDS),
  ...things("object", OBJECT_WORDS),
  ...things("shape", SHAPE_WORDS),
  ...rows("sky", SKY_WORDS, (value) => ({ kind: "thing", value, plural: false })),
  ...rows("motion", MOTION_WORDS, (value) => ({ kind: "motion", value })),
  ...rows("camera", CAMERA_WORDS, (value) => ({ kind: "camera", value })),
  ...rows("camera", DISTANCE_WORDS, (value) => ({ kind: "distance", value })),
  ...rows("direction", DIRECTION_WORDS, (value) => ({ kind: "direction", value })),
  ...Object.entries(COUNT_WORDS).map(([value, words]) =>
    row("count", { kind: "count", value: Number(value) }, words)
  ),
  ...Object.values(SIZE_WORDS).map(({ scale, words }) =>
    row("size", { kind: "size", value: scale }, words)
  ),
  ...Object.values(PACE_WORDS).map(({ pace, words }) =>
    row("pace", { kind: "pace", value: pace }, words)
  ),
  ...rows("clothes", GARMENT_WORDS, (value) => ({ kind: "garment", value })),
  row("room", { kind: "indoors" }, INDOOR_WORDS),
  row("fire", { kind: "breath" }, BREATH_WORDS),
  row("stillness", { kind: "frozen" }, FROZEN_WORDS),
  row("negation", { kind: "negation" }, NEGATION_WORDS),
];

/** The words by theme, for the documentation. */
export function listVocabulary(): readonly { theme: string; words: readonly string[] }[] {
  const themes = new Map<string, string[]>();
  for (const { theme, words } of VOCABULARY) {
    themes.set(theme, [...themes.get(theme) ?? [], ...words]);
  }
  return [...themes].map(([theme, words]) => ({ theme, words }));
}

function row(theme: string, meaning: Meaning, words: string): VocabularyRow {
  const list = words.split(" ").filter((word) => word !== "|");
  return { theme, meaning, words: list.map((word) => word.replaceAll("_", " ")) };
}

function rows<Key extends string>(
  theme: string,
  table: Readonly<Record<Key, string>>,
  meaningOf: (key: Key) => Meaning,
): VocabularyRow[] {
  return (Object.keys(table) as Key[]).map((key) => row(theme, meaningOf(key), table[key]));
}

/** Things are listed in the singular; the regular plurals of the English words mean several. */
function things(theme: string, table: Readonly<Record<string, string>>): VocabularyRow[] {
  return Object.entries(table).flatMap(([thing, words]) => {
    const [english = ""] = words.split(" | ");
    const listed = row(theme, { kind: "thing", value: thing, plural: false }, words).words;
    const singular = listed.filter((word) => !PLURALS.has(word));
    const regular = row(theme, { kind: "thing", value: thing, plural: true }, english).words
      .filter((word) => !PLURALS.has(word) && word !== "star")
      .map(pluralOf);
    const plural = new Set([...listed.filter((word) => PLURALS.has(word)), ...regular]);
    for (const word of singular) plural.delete(word);
    return [
      { theme, meaning: { kind: "thing", value: thing, plural: false }, words: singular },
      { theme, meaning: { kind: "thing", value: thing, plural: true }, words: [...plural] },
    ];
  });
}

function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
