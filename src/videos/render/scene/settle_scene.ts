/**
 * Fills in what the words leave open, from what they do say and, last, from the seed.
 *
 * @module
 */
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
const PLEASANT_THINGS: readonly string[] = ["tree", "hot_air_balloon", "sailboat", "house", "deer"];

/** Things that are seen by night. */
const NIGHT_THINGS = new Set(["moon", "stars", "aurora", "comet", "fireworks", "firefly"]);
/** Places whose ground is water. */
const WATER_PLACES = new Set<Place>(["sea", "lake", "river", "harbour", "island", "beach"]);

/** The scene of a draft, with nothing left open. */
export function settleScene(draft: SceneDraft): Scene {
  const { seed } = draft;
  const saysNothing = draft.subjects.length === 0 && draft.place === undefined &&
    draft.weather.length === 0 && draft.time === undefined && draft.season === undefined;
  const drafts: readonly DraftSubject[] = saysNothing
    ? [{ thing: pick(PLEASANT_THINGS, seed, 3), plural: false }]
    : draft.subjects;
  const place = draft.place ?? homeOf(drafts) ?? pick(PLEASANT_PLACES, seed, 0);
  const weather = settleWeather(draft.weather);
  const subjects = drafts.slice(0, MOST_KINDS).map((subject) =>
    settleSubject(subject, draft.frozen)
  );
  return {
    seed,
    place,
    placeColour: draft.placeColour,
    time: draft.time ?? timeOf(drafts) ?? (saysNothing ? pick(PLEASANT_TIMES, seed, 1) : "morning"),
    season: draft.season ?? seasonOf(place, weather),
    weather,
    skyColour: draft.skyColour,
    tint: draft.tint,
    subjects,
    camera: {
      move: draft.frozen ? "still" : draft.move ?? usualMove(subjects),
      distance: draft.distance ?? "medium",
    },
    frozen: draft.frozen,
  };
}

function settleSubject(draft: DraftSubject, frozen: boolean): Subject {
  const traits = traitsOf(draft.thing);
  const count = draft.count ?? (draft.plural ? traits.several : 1);
  return {
    thing: draft.thing,
    count: Math.min(MOST_OF_A_KIND, count),
    colour: draft.colour,
    scale: draft.scale ?? 1,
    motion: frozen ? "still" : draft.motion ?? traits.motion,
    pace: draft.pace ?? 1,
    direction: draft.direction ?? "right",
  };
}

function homeOf(drafts: readonly DraftSubject[]): Place | undefined {
  const homes = drafts.map(({ thing }) => traitsOf(thing).home);
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
  const goes = subjects.filter(({ thing }) => traitsOf(thing).station !== "sky")
    .map(({ motion }) => motion === "run" || motion === "walk");
  return goes.length > 0 && goes.every((going) => going) ? "track" : "drift";
}

function pick<Item>(items: readonly Item[], seed: number, turn: number): Item {
  return items[((seed >>> (turn * 5)) & 0xffff) % items.length]!;
}
