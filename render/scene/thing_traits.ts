/**
 * What things are like before the words say otherwise: size, colour, where they belong and move.
 *
 * @module
 */
import type { Motion, Place } from "./scene.ts";

/** Where in the picture a thing goes. */
export type Station = "ground" | "back" | "water" | "deep" | "air" | "high" | "sky";

/** The usual properties of a thing. */
export interface Traits {
  /** Height as a share of the picture's shorter side when it is the subject. */
  readonly size: number;
  /** 0xRRGGBB. */
  readonly colour: number;
  readonly station: Station;
  /** The place a prompt means that names the thing and no place. */
  readonly home: Place;
  /** What it does when the words do not say. */
  readonly motion: Motion;
  /** How many a plural without a number means. */
  readonly several: number;
  /** Width over height, for spacing. */
  readonly aspect: number;
}

type Row = readonly [
  size: number,
  colour: number,
  station: Station,
  home: Place,
  motion: Motion,
  several: number,
  aspect: number,
];

const ROWS: Readonly<Record<string, Row>> = {
  fox: [0.3, 0xd9702a, "ground", "forest", "idle", 3, 1.7],
  wolf: [0.32, 0x7f8690, "ground", "forest", "idle", 4, 1.6],
  dog: [0.29, 0xb98148, "ground", "meadow", "idle", 3, 1.4],
  cat: [0.25, 0xd08c4a, "ground", "garden", "idle", 3, 1.5],
  horse: [0.42, 0x8a5230, "ground", "meadow", "idle", 3, 1.3],
  unicorn: [0.42, 0xf6f0f4, "ground", "meadow", "idle", 3, 1.3],
  deer: [0.42, 0xa9713e, "ground", "forest", "idle", 3, 1.1],
  cow: [0.34, 0xf2eee8, "ground", "meadow", "idle", 4, 1.6],
  sheep: [0.25, 0xf3efe4, "ground", "hills", "idle", 5, 1.4],
  pig: [0.23, 0xf0a4a0, "ground", "field", "idle", 3, 1.6],
  bear: [0.36, 0x6e4527, "ground", "forest", "idle", 2, 1.5],
  polar_bear: [0.36, 0xf2f1ea, "ground", "arctic", "idle", 2, 1.5],
  panda: [0.34, 0xf4f3ee, "ground", "bamboo", "idle", 2, 1.4],
  lion: [0.36, 0xd39a45, "ground", "field", "idle", 3, 1.5],
  tiger: [0.34, 0xe08428, "ground", "jungle", "idle", 2, 1.6],
  elephant: [0.48, 0x8b9098, "ground", "field", "idle", 3, 1.4],
  giraffe: [0.6, 0xe2b257, "ground", "field", "idle", 3, 0.8],
  zebra: [0.38, 0xf3f1ec, "ground", "field", "idle", 4, 1.3],
  camel: [0.44, 0xc99a5e, "ground", "desert", "idle", 3, 1.2],
  rabbit: [0.27, 0xb9a08a, "ground", "meadow", "idle", 4, 1.1],
  mouse: [0.15, 0x9c9690, "ground", "field", "idle", 3, 1.5],
  dinosaur: [0.52, 0x5f9a4a, "ground", "jungle", "idle", 3, 1.3],
  dragon: [0.44, 0x3f8f58, "high", "mountains", "fly", 2, 1.9],
  bird: [0.17, 0x4a6fb0, "high", "hills", "fly", 6, 1.8],
  eagle: [0.18, 0x6b4526, "high", "mountains", "fly", 3, 2.4],
  gull: [0.16, 0xf4f4f4, "high", "beach", "fly", 6, 2.2],
  crow: [0.16, 0x26262e, "high", "field", "fly", 6, 1.9],
  owl: [0.24, 0x8a6844, "ground", "forest", "idle", 3, 0.8],
  duck: [0.16, 0x9c7b4e, "water", "lake", "swim", 4, 1.4],
  swan: [0.26, 0xf7f6f2, "water", "lake", "swim", 3, 1.3],
  penguin: [0.27, 0x262b36, "ground", "arctic", "idle", 5, 0.6],
  chicken: [0.24, 0xf1e6d6, "ground", "field", "idle", 4, 1.0],
  butterfly: [0.17, 0xf08a2c, "air", "garden", "fly", 5, 1.2],
  bee: [0.11, 0xf4c02e, "air", "garden", "fly", 6, 1.4],
  firefly: [0.03, 0xf2f07a, "air", "forest", "glow", 18, 1],
  fish: [0.15, 0xf28a35, "deep", "underwater", "swim", 6, 1.8],
  shark: [0.24, 0x6f7f8e, "deep", "underwater", "swim", 3, 2.3],
  whale: [0.3, 0x3f5f80, "deep", "sea", "swim", 2, 2.1],
  dolphin: [0.22, 0x6d8799, "deep", "sea", "jump", 3, 1.9],
  jellyfish: [0.27, 0xd88ad0, "deep", "underwater", "float", 5, 0.8],
  turtle: [0.18, 0x5f8f4a, "deep", "underwater", "swim", 3, 1.7],
  octopus: [0.3, 0xd0605a, "deep", "underwater", "float", 2, 1.1],
  crab: [0.15, 0xdd4f35, "ground", "beach", "walk", 4, 1.7],
  person: [0.38, 0x3c66a8, "ground", "meadow", "idle", 4, 0.45],
  woman: [0.37, 0xb8456e, "ground", "meadow", "idle", 3, 0.45],
  child: [0.28, 0xe0a33a, "ground", "meadow", "idle", 3, 0.5],
  astronaut: [0.4, 0xf0f2f4, "ground", "moon_surface", "idle", 2, 0.6],
  robot: [0.4, 0x8aa4b8, "ground", "city", "idle", 3, 0.7],
  snowman: [0.36, 0xf6f9fc, "ground", "arctic", "idle", 3, 0.75],
  sailboat: [0.36, 0xf4f1ea, "water", "sea", "sail", 3, 0.9],
  ship: [0.34, 0x34506e, "water", "sea", "sail", 3, 1.9],
  submarine: [0.24, 0xe8b830, "deep", "underwater", "sail", 2, 2.2],
  car: [0.2, 0xc8342c, "ground", "street", "run", 4, 2.2],
  bus: [0.28, 0xe0a020, "ground", "street", "run", 2, 2.2],
  truck: [0.28, 0x3f78b4, "ground", "street", "run", 3, 2.2],
  train: [0.24, 0x2f6f5a, "ground", "field", "run", 1, 4.6],
  bicycle: [0.34, 0x2d7fb8, "ground", "street", "run", 3, 1.2],
  plane: [0.19, 0xf2f4f6, "high", "sky", "fly", 3, 2.6],
  helicopter: [0.22, 0x3f7f5a, "high", "sky", "fly", 2, 1.9],
  rocket: [0.42, 0xf0f0ee, "air", "space", "rise", 3, 0.45],
  ufo: [0.18, 0x9fb0bc, "high", "field", "float", 3, 2.2],
  hot_air_balloon: [0.44, 0xe2483a, "high", "hills", "float", 4, 0.75],
  balloon: [0.34, 0xe0392f, "air", "meadow", "float", 5, 0.5],
  kite: [0.34, 0xe8542e, "high", "beach", "wave", 3, 0.8],
  house: [0.4, 0xd9c3a0, "back", "meadow", "idle", 4, 1.2],
  castle: [0.56, 0xa8a29a, "back", "hills", "idle", 2, 1.3],
  tower: [0.58, 0xa39584, "back", "hills", "idle", 3, 0.4],
  lighthouse: [0.6, 0xf4f1ec, "back", "beach", "idle", 2, 0.4],
  windmill: [0.54, 0xe9e0cf, "back", "field", "spin", 3, 0.8],
  bridge: [0.34, 0x9c6b52, "back", "river", "idle", 1, 3.2],
  church: [0.54, 0xe6dfd2, "back", "village", "idle", 2, 0.9],
  temple: [0.54, 0xb0392e, "back", "mountains", "idle", 2, 1.1],
  tent: [0.26, 0xe07b34, "back", "forest", "idle", 3, 1.6],
  pyramid: [0.44, 0xd8b06a, "back", "desert", "idle", 3, 1.7],
  statue: [0.46, 0x9aa8a2, "back", "city", "idle", 2, 0.5],
  tree: [0.56, 0x4d8f3c, "back", "meadow", "idle", 5, 0.8],
  pine: [0.58, 0x2f6b4a, "back", "mountains", "idle", 5, 0.5],
  palm: [0.58, 0x4f9a48, "back", "beach", "idle", 4, 0.8],
  cherry_tree: [0.52, 0xf2a8c0, "back", "garden", "idle", 4, 0.95],
  cactus: [0.42, 0x4d8f52, "back", "desert", "idle", 4, 0.6],
  flower: [0.36, 0xe2466e, "ground", "meadow", "idle", 9, 0.45],
  sunflower: [0.4, 0xf5bd22, "ground", "field", "idle", 9, 0.45],
  mushroom: [0.24, 0xcc3a30, "ground", "forest", "idle", 5, 0.9],
  leaf: [0.1, 0xd97b2a, "air", "forest", "fall", 18, 1.2],
  rock: [0.2, 0x8a8680, "ground", "meadow", "idle", 4, 1.5],
  lamp: [0.5, 0x3a3f46, "ground", "street", "glow", 4, 0.3],
  lantern: [0.17, 0xf08a2e, "air", "lake", "float", 9, 0.75],
  candle: [0.26, 0xf4ead2, "ground", "room", "glow", 4, 0.3],
  campfire: [0.24, 0xf58a24, "ground", "forest", "glow", 2, 1.1],
  umbrella: [0.34, 0xd6333c, "ground", "beach", "idle", 4, 1.0],
  clock: [0.36, 0xf1e8d2, "ground", "room", "spin", 3, 1.0],
  book: [0.2, 0x8a3b3b, "ground", "room", "idle", 4, 1.7],
  sofa: [0.36, 0x4f7f8c, "ground", "room", "idle", 2, 2.1],
  table: [0.32, 0x9a6a3c, "ground", "room", "idle", 2, 1.7],
  chair: [0.34, 0x8a5a34, "ground", "room", "idle", 3, 0.6],
  bed: [0.32, 0x5f7fb4, "ground", "room", "idle", 2, 2.2],
  fireplace: [0.5, 0xa86a54, "back", "room", "glow", 1, 1.15],
  bookshelf: [0.6, 0x7a4f2c, "back", "room", "idle", 2, 0.7],
  bottle: [0.24, 0x3f8f6a, "ground", "room", "idle", 4, 0.35],
  glass: [0.2, 0xcfe6f2, "ground", "room", "idle", 3, 0.55],
  vase: [0.3, 0xb4603c, "ground", "room", "idle", 3, 0.7],
  cup: [0.22, 0xf0ece4, "ground", "room", "idle", 3, 1.2],
  apple: [0.2, 0xd6302c, "ground", "room", "idle", 5, 0.95],
  cake: [0.26, 0xf6d6dc, "ground", "room", "idle", 2, 1.2],
  gift: [0.23, 0xc63a58, "ground", "room", "idle", 4, 1.0],
  guitar: [0.44, 0xb5702f, "ground", "room", "idle", 2, 0.42],
  bubble: [0.17, 0xbfe4f2, "air", "meadow", "float", 12, 1.0],
  crystal: [0.34, 0x7ad0e8, "ground", "mountains", "glow", 5, 0.7],
  ball: [0.28, 0xd8382e, "ground", "meadow", "idle", 5, 1.0],
  circle: [0.32, 0xe0a030, "air", "meadow", "float", 5, 1.0],
  square: [0.3, 0x3a7fc8, "air", "meadow", "float", 5, 1.0],
  rectangle: [0.26, 0x3aa88c, "air", "meadow", "float", 4, 1.7],
  triangle: [0.32, 0xe2643a, "air", "meadow", "float", 5, 1.1],
  star: [0.32, 0xf6c92e, "air", "hills", "float", 7, 1.0],
  heart: [0.3, 0xe23a55, "air", "meadow", "float", 6, 1.05],
  diamond: [0.34, 0x5cc0e6, "air", "meadow", "float", 5, 0.75],
  hexagon: [0.3, 0xa458c8, "air", "meadow", "float", 5, 1.1],
  cube: [0.28, 0x5f8fd0, "ground", "meadow", "idle", 4, 1.0],
  ring: [0.32, 0xe8b730, "air", "meadow", "float", 4, 1.0],
  spiral: [0.32, 0x8a5fd0, "air", "meadow", "spin", 3, 1.0],
  cross: [0.3, 0xd05050, "air", "meadow", "float", 3, 1.0],
  sun: [0.16, 0xffe9a8, "sky", "hills", "idle", 1, 1],
  moon: [0.14, 0xf4efdc, "sky", "hills", "idle", 1, 1],
  stars: [0.1, 0xffffff, "sky", "hills", "idle", 1, 1],
  rainbow: [0.6, 0xffffff, "sky", "meadow", "idle", 1, 1],
  aurora: [0.5, 0x5af0b0, "sky", "arctic", "wave", 1, 1],
  comet: [0.2, 0xffffff, "sky", "hills", "fly", 3, 1],
  fireworks: [0.4, 0xffd070, "sky", "city", "glow", 4, 1],
  planet: [0.24, 0xd8a868, "sky", "space", "spin", 3, 1],
  earth: [0.26, 0x3f86d0, "sky", "space", "spin", 1, 1],
};

/** Every thing with its traits. */
export const THING_TRAITS: ReadonlyMap<string, Traits> = new Map(
  Object.entries(ROWS).map(([thing, row]) => {
    const [size, colour, station, home, motion, several, aspect] = row;
    return [thing, { size, colour, station, home, motion, several, aspect }];
  }),
);

/**
 * The usual properties of a thing.
 *
 * @throws {RangeError} when nothing of that name can be drawn
 */
export function traitsOf(thing: string): Traits {
  const traits = THING_TRAITS.get(thing);
  if (traits === undefined) throw new RangeError(`Cannot draw '${thing}': no such thing is listed`);
  return traits;
}
