/**
 * What a prompt says, as plain data: the whole of what the drawing knows about it.
 *
 * @module
 */

/** Where the scene is. */
export type Place =
  | "sea"
  | "beach"
  | "island"
  | "harbour"
  | "lake"
  | "pond"
  | "river"
  | "mountains"
  | "hills"
  | "forest"
  | "jungle"
  | "bamboo"
  | "meadow"
  | "field"
  | "garden"
  | "desert"
  | "arctic"
  | "volcano"
  | "waterfall"
  | "city"
  | "street"
  | "road"
  | "village"
  | "room"
  | "kitchen"
  | "tabletop"
  | "studio"
  | "abstract"
  | "sky"
  | "space"
  | "moon_surface"
  | "underwater";

/** When the scene is. */
export type TimeOfDay = "dawn" | "morning" | "noon" | "afternoon" | "sunset" | "dusk" | "night";

/** The season that colours plants and ground. */
export type Season = "spring" | "summer" | "autumn" | "winter";

/** The weather; several may hold at once, as in "a windy snow storm". */
export type Weather = "clear" | "cloudy" | "rain" | "snow" | "fog" | "storm" | "wind";

/** How a subject moves. */
export type Motion =
  | "idle"
  | "still"
  | "sit"
  | "walk"
  | "run"
  | "fly"
  | "sail"
  | "swim"
  | "jump"
  | "dance"
  | "spin"
  | "fall"
  | "rise"
  | "float"
  | "wave"
  | "roll"
  | "bounce"
  | "glow"
  | "grow"
  | "sleep";

/** How the camera moves over the film. */
export type CameraMove =
  | "drift"
  | "still"
  | "pan_left"
  | "pan_right"
  | "zoom_in"
  | "zoom_out"
  | "tilt_up"
  | "tilt_down"
  | "track";

/** How far the camera stands from its subject. */
export type CameraDistance = "wide" | "medium" | "close" | "aerial";

/** One kind of thing, as often as the words say, looking and moving as they say. */
export interface Subject {
  /** A key of the table of drawings, such as `fox` or `sailboat`. */
  readonly thing: string;
  /** How many, 1 to 24. */
  readonly count: number;
  /** The colour the words give it, 0xRRGGBB; `undefined` leaves it its own. */
  readonly colour: number | undefined;
  /** Times its usual size. */
  readonly scale: number;
  readonly motion: Motion;
  /** Times its usual pace. */
  readonly pace: number;
  /** Which way it faces and moves. */
  readonly direction: "left" | "right";
  /** The thing among the subjects that carries it. */
  readonly on?: string | undefined;
  /** Breathes fire. */
  readonly breathes?: boolean | undefined;
}

/** The scene of one film. */
export interface Scene {
  /** Varies layout and palette; derived from the prompt's text, 32 bits unsigned. */
  readonly seed: number;
  readonly place: Place;
  /** A colour the words give the place, 0xRRGGBB. */
  readonly placeColour: number | undefined;
  readonly time: TimeOfDay;
  readonly season: Season;
  readonly weather: readonly Weather[];
  /** Not one cloud is in the sky. */
  readonly cloudless?: boolean | undefined;
  /** A colour the words give the sky, 0xRRGGBB. */
  readonly skyColour: number | undefined;
  /** A colour that belongs to nothing in particular tints the whole, 0xRRGGBB. */
  readonly tint: number | undefined;
  /** How the scene itself moves, when the words say so of nobody that can be drawn. */
  readonly motion?: Motion | undefined;
  /** Foremost first. */
  readonly subjects: readonly Subject[];
  readonly camera: { readonly move: CameraMove; readonly distance: CameraDistance };
  /** The words ask for a picture in which nothing moves at all. */
  readonly frozen: boolean;
}
