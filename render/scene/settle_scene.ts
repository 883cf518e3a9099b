/**
 * Fills in what the words leave open, from what they do say and, last, from the seed.
 *
 * @module
 */
import { CARRIERS } from "./carriers.ts";
import type { DraftSubject, SceneDraft } from "./scene_draft.ts";
import type { CameraMove, Place, Scene, Season, Subject, TimeOfDay, Weather } from "./scene.ts";
import { traitsOf } from "./thing_traits.ts";

const MOST_OF_A_KIND = 24;
const MOST_KINDS = 6;

const PLEASANT_PLACES: readonly Place[] = [
  "meadow",
  "lake",
  "hills",
  "beach",
  "mountains",
  "river",
];
const PLEASANT_TIMES: readonly TimeOfDay[] = ["morning", "afternoon", "sunset", "dawn", "noon"];

/** Things that are seen by night. */
const NIGHT_THINGS = new Set(["moon", "stars", "aurora", "comet", "fireworks", "firefly"]);
/** Places whose ground is water. */
const WATER_PLACES = new Set<Place>(["sea", "lake", "river", "harbour", "island", "beach"]);

/** Things that stand on a table: alone, they are seen from near. */
const TABLETOP_THINGS = new Set(
  "cup book apple cake candle gift clock bottle glass vase flower leaf bubble".split(" "),
);
/** Furniture: where no place is named, it implies a room. */
const FURNITURE = new Set(
  "sofa table chair bed fireplace bookshelf".split(" "),
);

/** The scene of a draft, with nothing left open. */
export function settleScene(draft: SceneDraft): Scene {
  const { seed } = draft;
  const saysNothing = draft.subjects.length === 0 && draft.place === undefined &&
    draft.weather.length === 0 && draft.time === undefined && draft.season === undefined;
  const drafts = draft.subjects;
  const place = placeOf(draft, saysNothing);
  const table = place === "tabletop" ? drafts.find(({ thing }) => thing === "table") : undefined;
  const weather = settleWeather(draft.weather);
  const subjects = drafts.filter((subject) => subject !== table).slice(0, MOST_KINDS);
  const settled = subjects.map((subject) => settleSubject(subject, { draft, subjects }));
  return {
    seed,
    place,
    placeColour: draft.placeColour ?? table?.colour,
    time: draft.time ?? timeOf(drafts) ?? (saysNothing ? pick(PLEASANT_TIMES, seed, 1) : "morning"),
    season: draft.season ?? seasonOf(place, weather),
    weather,
    cloudless: draft.cloudless,
    skyColour: draft.skyColour,
    tint: draft.tint,
    motion: draft.frozen ? undefined : draft.motion,
    subjects: settled,
    camera: {
      move: draft.frozen ? "still" : draft.move ?? usualMove(settled),
      distance: draft.distance ?? "medium",
    },
    frozen: draft.frozen,
  };
}

function placeOf(draft: SceneDraft, saysNothing: boolean): Place {
  const { subjects, seed } = draft;
  const isIndoors = subjects.some(({ thing }) => FURNITURE.has(thing)) ||
    draft.indoors === true && !subjects.some(({ thing }) => traitsOf(thing).station === "back");
  const place = draft.place ?? (isIndoors ? "room" : homeOf(subjects)) ??
    (saysNothing || draft.strange ? "abstract" : pick(PLEASANT_PLACES, seed, 0));
  const [main] = subjects;
  const isSmall = main !== undefined && TABLETOP_THINGS.has(main.thing) &&
    subjects.every(({ thing }) => TABLETOP_THINGS.has(thing) || thing === "table");
  return place === "room" && isSmall ? "tabletop" : place;
}

function settleSubject(
  draft: DraftSubject,
  among: { readonly draft: SceneDraft; readonly subjects: readonly DraftSubject[] },
): Subject {
  const { frozen } = among.draft;
  const traits = traitsOf(draft.thing);
  const carrier = among.subjects.find(({ thing, on }) => thing === draft.on && on === undefined);
  // Who has a kite stays on the ground.
  const holds = draft.motion === "fly" && traits.station === "ground" &&
    among.subjects.some(({ thing }) => thing === "kite");
  const seated = carrier !== undefined && CARRIERS.get(carrier.thing)!.as !== "deck";
  const count = draft.count ?? (draft.plural ? traits.several : 1);
  return {
    thing: draft.thing,
    count: Math.min(MOST_OF_A_KIND, count),
    colour: draft.colour,
    scale: draft.scale ?? 1,
    motion: frozen ? "still" : holds ? "walk" : draft.motion ?? (seated ? "sit" : traits.motion),
    pace: draft.pace ?? 1,
    direction: draft.direction ?? carrier?.direction ?? "right",
    on: carrier?.thing,
    breathes: draft.breathes,
  };
}

function homeOf(drafts: readonly DraftSubject[]): Place | undefined {
  const isFar = drafts.some(({ thing }) => thing === "astronaut") ||
    drafts.length > 1 && drafts.some(({ thing }) => thing === "earth");
  if (isFar && drafts.some(({ thing }) => traitsOf(thing).station === "ground")) {
    return "moon_surface";
  }
  // A rider is where the mount is.
  const placed = drafts.filter(({ on }) => on === undefined);
  const homes = placed.map(({ thing }) => traitsOf(thing).home);
  // A lighthouse and a boat: where there is water, both can be.
  return homes.find((home) => WATER_PLACES.has(home)) ?? homes[0];
}

function timeOf(drafts: readonly DraftSubject[]): TimeOfDay | undefined {
  return drafts.some(({ thing }) => NIGHT_THINGS.has(thing)) ? "night" : undefined;
}

function seasonOf(place: Place, weather: readonly Weather[]): Season {
  return place === "arctic" || weather.includes("snow") ? "winter" : "summer";
}

function settleWeather(said: readonly Weather[]): readonly Weather[] {
  const bad = said.filter((weather) => weather !== "clear");
  return bad.length > 0 ? bad : ["clear"];
}

function usualMove(subjects: readonly Subject[]): CameraMove {
  // Beside something that stays, a camera that follows would soon have lost it.
  const goes = subjects.filter(({ thing, on }) =>
    on === undefined && traitsOf(thing).station !== "sky"
  )
    .map(({ motion }) => motion === "run" || motion === "walk");
  return goes.length > 0 && goes.every((going) => going) ? "track" : "drift";
}

function pick<Item>(items: readonly Item[], seed: number, turn: number): Item {
  return items[((seed >>> (turn * 5)) & 0xffff) % items.length]!;
}
