/**
 * Reads a prompt and says what to draw: which word belongs to which noun.
 *
 * @module
 */
import { CARRIERS, carriesBy } from "./carriers.ts";
import { placeInSentence } from "./place_in_sentence.ts";
import { type ReadWord, readWords } from "./read_words.ts";
import type { Motion, Place, Scene } from "./scene.ts";
import type { DraftSubject, SceneDraft } from "./scene_draft.ts";
import { isOfSetting } from "./setting_motion.ts";
import { settleScene } from "./settle_scene.ts";
import { namesStranger } from "./strangers.ts";
import type { Meaning } from "./vocabulary.ts";
import {
  ARTICLES,
  COPULAS,
  OPENERS,
  PREPOSITIONS,
  RIDING_WORDS,
  UPON_WORDS,
} from "./words/grammar_words.ts";

/** Words that wait for their noun, and how far away it may stand. */
type Pending = Omit<DraftSubject, "thing" | "plural"> & {
  at: number;
  /** The colour is that of a thing the vocabulary lacks. */
  isTaken?: boolean;
};

/** A colour and its noun may have this many words between them, as in "red, very old boat". */
const REACH_WORDS = 4;
/** What the words of `prompt` say; the same prompt always gives the same scene. */
export function composeScene(prompt: string): Scene {
  const words = placeInSentence(readWords(prompt));
  return settleScene(new Reading(words).draft);
}

class Reading {
  readonly draft: SceneDraft;
  #pending: Pending = { at: 0 };
  #subject: DraftSubject | undefined;
  /** A noun phrase began after the last subject: what follows is not about that one. */
  #opened = true;
  #cameraAt = -9;
  /** A colour whose noun did not come. */
  #stray: number | undefined;
  #isTaken = false;
  /** Who has been named since the last mark, and the word that puts them upon what follows. */
  #clause: DraftSubject[] = [];
  #upon: string | undefined;
  /** What follows "with" is a part of something: its colour is nobody's else. */
  #isPart = false;

  constructor(words: readonly ReadWord[]) {
    const strange = namesStranger(words);
    this.draft = { seed: seedOf(words), weather: [], subjects: [], frozen: false, strange };
    for (const at of words.keys()) this.#read(words, at);
    this.#bindWhatIsLeft();
  }

  #read(words: readonly ReadWord[], at: number): void {
    const { text, meaning, afterMark } = words[at]!;
    if (afterMark) {
      this.#opened = true;
      this.#clause = [];
      this.#upon = undefined;
    }
    if (at - this.#pending.at > REACH_WORDS) this.#expire();
    if (text === "camera") this.#cameraAt = at;
    if (OPENERS.has(text)) this.#opened = true;
    const isPart = text === "of" || words[at - 1]?.text === "of";
    if ((PREPOSITIONS.has(text) || ARTICLES.has(text)) && !isPart) this.#expire();
    if (text === "with") this.#isPart = true;
    else if (PREPOSITIONS.has(text)) this.#isPart = false;
    if (UPON_WORDS.has(text) || RIDING_WORDS.has(text)) this.#upon = text;
    else if (PREPOSITIONS.has(text) && text !== "of" || text === "and") this.#upon = undefined;
    if (meaning === undefined || meaning.kind === "negation" || isOfSetting(words, at)) return;
    if (meaning.kind === "colour" && !continuesColour(words, at)) this.#strayColour();
    const isTaken = namesStranger(words.slice(at + 1, at + 2));
    this.#bind(meaning, at, { isAfterNoun: followsItsNoun(words, at), isTaken });
  }

  #bind(meaning: Meaning, at: number, stands: { isAfterNoun: boolean; isTaken: boolean }): void {
    const { isAfterNoun, isTaken } = stands;
    const draft = this.draft;
    switch (meaning.kind) {
      case "thing":
        return this.#bindThing(meaning.value, meaning.plural);
      case "place":
        return this.#bindPlace(meaning.value);
      case "weather":
        if (!draft.weather.includes(meaning.value)) draft.weather.push(meaning.value);
        // "Falling snow" says nothing new, "running in the rain" does.
        if (at - this.#pending.at <= 1) this.#pending.motion = undefined;
        return this.#describe();
      case "time":
        draft.time ??= meaning.value;
        if (this.#pending.colour !== undefined) draft.skyColour ??= this.#pending.colour;
        return this.#describe();
      case "season":
        draft.season ??= meaning.value;
        return this.#describe();
      case "camera":
        draft.move ??= meaning.value;
        this.#cameraAt = at;
        if (meaning.value === "still" && !this.#opened) this.#amend({ motion: "still" }, at);
        return;
      case "distance":
        draft.distance ??= meaning.value;
        return;
      case "direction":
        if (at - this.#cameraAt <= 5) draft.move = `pan_${meaning.value}`;
        else if (this.#subject !== undefined) this.#subject.direction ??= meaning.value;
        else this.#await({ direction: meaning.value }, at);
        return;
      case "motion":
        return this.#amend({ motion: meaning.value }, at);
      case "pace":
        return this.#amend({ pace: meaning.value }, at);
      case "colour":
        if (isAfterNoun && this.#subject !== undefined) this.#subject.colour ??= meaning.value;
        else this.#await({ colour: this.#pending.colour ?? meaning.value, isTaken }, at);
        return;
      case "count":
        return this.#await({ count: meaning.value }, at);
      case "size":
        return this.#await({ scale: meaning.value }, at);
      case "garment":
        return this.#bindGarment(meaning.value);
      case "indoors":
        draft.indoors = true;
        return this.#describe();
      case "cloudless":
        draft.cloudless = true;
        return;
      case "breath":
        if (draft.subjects.length > 0) {
          (draft.subjects.find(({ thing }) => thing === "dragon") ?? draft.subjects[0]!).breathes =
            true;
        } else this.#pending = { ...this.#pending, breathes: true, at };
        return;
      case "frozen":
        draft.frozen = true;
    }
  }

  /** What is worn over the body colours the person, the rest has a colour that nobody sees. */
  #bindGarment(worn: "body" | "part"): void {
    const { colour } = this.#pending;
    const wearer = this.#subject;
    if (worn === "body" && wearer !== undefined && WEARERS.has(wearer.thing)) {
      wearer.colour ??= colour;
    }
    this.#describe();
    // What follows is again about who wears it: "in a red coat, walking".
    this.#opened = this.#subject === undefined;
  }

  /** Puts those named in this clause upon `carrier`, if it carries and the words say so. */
  #carry(carrier: DraftSubject): void {
    const word = this.#upon;
    this.#upon = undefined;
    const as = CARRIERS.get(carrier.thing)?.as;
    if (word === undefined || as === undefined || !carriesBy(carrier.thing, word)) return;
    for (const rider of this.#clause) {
      if (rider === carrier || rider.on !== undefined) continue;
      rider.on = carrier.thing;
      if (as !== "mount") continue;
      if (RIDING_WORDS.has(word)) carrier.motion ??= RIDDEN[carrier.thing] ?? "walk";
      else if (rider.motion !== "still" && rider.motion !== "sit") carrier.motion ??= rider.motion;
      carrier.direction ??= rider.direction;
      rider.motion = "sit";
    }
  }

  #bindThing(name: string, plural: boolean): void {
    const { count, colour, scale, motion, pace, direction, breathes } = this.#pending;
    const said = { count, colour, scale, motion, pace, direction, breathes };
    const thing = name === "stars" && (said.count ?? said.colour) !== undefined ? "star" : name;
    const known = this.draft.subjects.find((subject) => subject.thing === thing);
    if (known === undefined) {
      this.#subject = { thing, plural: plural || name === "stars", ...said };
      this.draft.subjects.push(this.#subject);
    } else {
      this.#subject = known;
      known.count ??= said.count;
      known.colour ??= said.colour;
      known.motion ??= said.motion;
      known.scale ??= said.scale;
    }
    this.#carry(this.#subject);
    this.#clause.push(this.#subject);
    this.#opened = false;
    this.#forget();
  }

  #bindPlace(place: Place): void {
    const { colour } = this.#pending;
    this.#describe();
    if (place === "sky") {
      if (colour !== undefined) this.draft.skyColour ??= colour;
      // "A boat under a red sky" is not about the sky.
      if (this.draft.subjects.length === 0) this.draft.place ??= "sky";
    } else {
      if (this.draft.place === undefined || this.draft.place === "sky") this.draft.place = place;
      if (colour !== undefined && this.draft.place === place) this.draft.placeColour ??= colour;
    }
    this.#opened = true;
  }

  /** Adds to the subject just named, or to the one that comes. */
  #amend(said: { motion?: Motion; pace?: number }, at: number): void {
    const subject = this.#subject;
    if (subject === undefined || this.#opened) return this.#await(said, at);
    if (said.motion !== undefined) subject.motion ??= said.motion;
    if (said.pace !== undefined) subject.pace ??= said.pace;
  }

  #await(said: Omit<Pending, "at">, at: number): void {
    this.#pending = { ...this.#pending, ...said, at };
  }

  /** What waited belonged to a word of the setting; a motion still waits for its subject. */
  #describe(): void {
    const { motion, pace, direction, at } = this.#pending;
    this.#pending = { motion, pace, direction, at };
  }

  #forget(): void {
    this.#pending = { at: 0 };
  }

  /** The noun did not come: a colour then tints the whole, a motion is kept for the subject. */
  #expire(): void {
    this.#strayColour();
    const { motion, pace, direction, at } = this.#pending;
    this.#pending = { motion, pace, direction, at };
  }

  #strayColour(): void {
    const { colour, isTaken } = this.#pending;
    if (!this.#isPart && this.#stray === undefined && colour !== undefined) {
      this.#stray = colour;
      this.#isTaken = isTaken === true;
    }
    this.#pending = { ...this.#pending, colour: undefined };
  }

  #bindWhatIsLeft(): void {
    const { count, scale, motion, pace, direction } = this.#pending;
    const draft = this.draft;
    const idle = draft.subjects.find((subject) => subject.motion === undefined);
    if (motion !== undefined && draft.subjects.length === 0) {
      const thing = draft.strange ? undefined : MOVERS[motion];
      if (thing === undefined) draft.motion = motion;
      else draft.subjects.push({ thing, plural: false, motion, count, scale });
    } else if (motion !== undefined && idle !== undefined) idle.motion = motion;
    const main = draft.subjects[0];
    if (main !== undefined) {
      if (pace !== undefined) main.pace ??= pace;
      if (direction !== undefined) main.direction ??= direction;
    }
    this.#strayColour();
    const colour = this.#stray;
    // Unknown clothes still colour who wears them, an unknown thing beside somebody does not.
    const isAnothers = this.#isTaken && main !== undefined && !WEARERS.has(main.thing);
    if (colour === undefined || isAnothers) return;
    if (main !== undefined && main.colour === undefined) main.colour = colour;
    else draft.tint = colour;
  }
}

/** "Black and white", "dark red": one noun's colours, of which the first counts. */
function continuesColour(words: readonly ReadWord[], at: number): boolean {
  const before = words[at - 1];
  const joined = before?.text === "and" || before?.text === "or" ? words[at - 2] : before;
  return joined?.meaning?.kind === "colour" || words[at]!.afterMark === true;
}

/** "The fox is red", and "el gato negro": an adjective that belongs to the noun before it. */
function followsItsNoun(words: readonly ReadWord[], at: number): boolean {
  const previous = words[at - 1];
  if (previous === undefined || words[at]!.afterMark) return false;
  if (COPULAS.has(previous.text)) return true;
  const next = words[at + 1]?.meaning?.kind;
  return previous.meaning?.kind === "thing" && next !== "thing" && next !== "place";
}

/** Who is seen in the colour of the clothes; a cat in a red hat stays as it is. */
const WEARERS = new Set(["person", "woman", "child", "astronaut"]);

/** How a mount goes that does not walk. */
const RIDDEN: Readonly<Record<string, Motion>> = {
  horse: "run",
  unicorn: "run",
  bicycle: "run",
  dragon: "fly",
  whale: "swim",
};

/** Who does it when the words name nobody. */
const MOVERS: Partial<Record<Motion, string>> = {
  walk: "person",
  run: "person",
  dance: "woman",
  jump: "person",
  sleep: "cat",
  still: "person",
  sit: "person",
  fly: "bird",
  sail: "sailboat",
  swim: "fish",
  float: "balloon",
  rise: "hot_air_balloon",
  fall: "leaf",
  roll: "ball",
  bounce: "ball",
  spin: "windmill",
  grow: "flower",
};

/**
 * From the things, the place and the words the vocabulary lacks (FNV-1a). What else is said, such
 * as colour, weather, count or camera, changes its own property and leaves the layout where it was.
 */
function seedOf(words: readonly ReadWord[]): number {
  let hash = 2166136261;
  for (const { text, meaning } of words) {
    const layout = meaning === undefined
      ? OPENERS.has(text) ? "" : text
      : meaning.kind === "thing" || meaning.kind === "place"
      ? meaning.value
      : "";
    for (let i = 0; i < layout.length; i++) {
      hash = Math.imul(hash ^ layout.charCodeAt(i), 16777619);
    }
  }
  // FNV leaves its low bits alike for like words: mix them.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
