/**
 * A scene while it is being read: what the words say, and gaps where they say nothing.
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

/** A subject while words are still being bound to it. */
export interface DraftSubject {
  thing: string;
  plural: boolean;
  count?: number | undefined;
  colour?: number | undefined;
  scale?: number | undefined;
  motion?: Motion | undefined;
  pace?: number | undefined;
  direction?: "left" | "right" | undefined;
  on?: string | undefined;
  breathes?: boolean | undefined;
}

/** What the words say, before what they leave open is filled in. */
export interface SceneDraft {
  seed: number;
  place?: Place;
  placeColour?: number;
  time?: TimeOfDay;
  season?: Season;
  weather: Weather[];
  skyColour?: number;
  tint?: number;
  subjects: DraftSubject[];
  move?: CameraMove;
  distance?: CameraDistance;
  frozen: boolean;
  /** The words name things that nobody can draw. */
  strange: boolean;
  /** The words speak of what is found in rooms. */
  indoors?: boolean;
  /** The words want no clouds. */
  cloudless?: boolean;
  /** A motion of nobody in particular. */
  motion?: Motion;
}
