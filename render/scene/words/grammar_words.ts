/**
 * Words that say nothing by themselves and tell what the others belong to.
 *
 * @module
 */
import type { Motion } from "../scene.ts";

/** Before a noun and its adjectives. */
export const ARTICLES: ReadonlySet<string> = setOf(
  "a an the his her its their my your our this that these those another some any each every",
);

/** After these a new noun phrase begins. */
export const OPENERS: ReadonlySet<string> = setOf("a an the and with while under over as by");

/** After these a colour no longer waits for its noun. */
export const PREPOSITIONS: ReadonlySet<string> = setOf(
  "at in on near through under over across during into onto along from to toward towards beside " +
    "behind above below around against between past off onto atop by inside outside upon of with",
);

/** What is before them is what comes after them. */
export const COPULAS: ReadonlySet<string> = setOf(
  "is are was were turns painted coloured colored",
);

/** Who does it, without a name. */
export const PRONOUNS: ReadonlySet<string> = setOf("he she it they who which we i you");

/** Words that neither name a thing nor describe one. */
export const FILLERS: ReadonlySet<string> = setOf(
  "and or but while as very quite really so then when where there here all only just up down out " +
    "away back along together camera shot view scene video film clip footage image picture style " +
    "mostly cinematic beautiful realistic high quality 4k 8k hd empty deserted alone background " +
    "foreground middle top side be been being has have having show shows showing make please " +
    "over-and-over again about than too also not more most",
);

/** Words that put a thing upon another, over it or into it. */
export const UPON_WORDS: ReadonlySet<string> = setOf(
  "on onto atop upon across over in inside crosses crossing cross along aboard",
);

/** Who sits on an animal. */
export const RIDING_WORDS: ReadonlySet<string> = setOf("ride rides riding rode mounted");

/** Articles of the other languages. */
export const FOREIGN_ARTICLES: ReadonlySet<string> = setOf(
  "un une le la les des du el los las una ein eine einen einem der die das den dem mit et y und",
);

/** Listed words of other languages, without accents, that are English words of another sense. */
export const FALSE_FRIENDS: ReadonlySet<string> = setOf(
  "bar chat kind court stern tour dort hai lit mesa",
);

/** What a listed noun says where it stands as a verb. */
export interface VerbForm {
  /** What its subject then does, if that can be shown. */
  readonly motion?: Motion;
  /** It is a verb before a preposition too, as in "circles over": no compound noun is. */
  readonly path?: boolean;
}

/** Listed nouns and places that are verbs too. */
export const VERB_FORMS: ReadonlyMap<string, VerbForm> = new Map<string, VerbForm>([
  ["crosses", { path: true }],
  ["cross", {}],
  ["watches", { path: true }],
  ["watch", {}],
  ["rocks", { motion: "wave" }],
  ["rock", { motion: "wave" }],
  ["rings", {}],
  ["boxes", {}],
  ["books", {}],
  ["trains", {}],
  ["ships", {}],
  ["bridges", {}],
  ["presents", {}],
  ["bears", {}],
  ["leaves", {}],
  ["circles", { path: true }],
  ["circle", { path: true }],
  ["spirals", { path: true }],
  ["towers", {}],
  ["ducks", { path: true }],
  ["fishes", { path: true }],
  ["crows", {}],
  ["swallows", {}],
  ["camps", { path: true }],
  ["stars", {}],
  ["balloons", {}],
  ["waves", { motion: "wave", path: true }],
  ["parks", { motion: "still", path: true }],
  ["docks", { path: true }],
  ["streams", { path: true }],
  ["winds", { path: true }],
  ["showers", {}],
  ["storms", { motion: "run", path: true }],
  ["fields", {}],
  ["peaks", {}],
  ["orbit", {}],
  ["springs", { motion: "jump", path: true }],
  ["flowers", {}],
  ["houses", {}],
  ["clouds", {}],
  ["rose", { motion: "rise", path: true }],
]);

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}
