/**
 * The colours of a moment: what time, season and weather do to the sky, the light and the ground.
 *
 * @module
 */
import { brightnessOf, greyOf, mixColour, multiplyColour } from "../canvas/colour.ts";
import type { Scene, Season, TimeOfDay, Weather } from "../scene.ts";

/** The colours a scene is drawn with, 0xRRGGBB. */
export interface Palette {
  /** The sky from its top down to the horizon. */
  readonly sky: readonly [number, number, number];
  /** Multiplies the colours of the landscape. */
  readonly ambient: number;
  /** Multiplies the colours of the subjects, which stand out a little. */
  readonly subjectLight: number;
  /** What distance fades into. */
  readonly haze: number;
  /** How thick the air is, 0 to 1. */
  readonly hazeDepth: number;
  /** Lit side of a cloud. */
  readonly cloud: number;
  /** The sun or moon. */
  readonly orb: { readonly colour: number; readonly glow: number; readonly height: number };
  /** 0 by day, 1 in the night: stars, lit windows. */
  readonly darkness: number;
  /** Before the light falls on it. */
  readonly grass: number;
  readonly foliage: readonly number[];
  /** Snow lies on everything. */
  readonly snowy: boolean;
}

type Hour = readonly [
  top: number,
  middle: number,
  bottom: number,
  ambient: number,
  haze: number,
  cloud: number,
  orb: number,
  glow: number,
  orbHeight: number,
  darkness: number,
];

const HOURS: Readonly<Record<TimeOfDay, Hour>> = {
  dawn: [
    0x56689f,
    0xc996ae,
    0xffd8ac,
    0xd6b9c0,
    0xedc4b4,
    0xf6cfc4,
    0xfff0d0,
    0xffc890,
    0.08,
    0.1,
  ],
  morning: [
    0x4a97d8,
    0x93c7ec,
    0xf7ead0,
    0xfff3e0,
    0xd6e6ee,
    0xffffff,
    0xfffbe8,
    0xfff0c0,
    0.34,
    0,
  ],
  noon: [0x2778cf, 0x62adea, 0xcbe8f8, 0xffffff, 0xc6dff0, 0xffffff, 0xffffff, 0xfff8d8, 0.46, 0],
  afternoon: [
    0x3f83c8,
    0x8abce0,
    0xfbe2b0,
    0xfff0d2,
    0xe4dac2,
    0xfff4e0,
    0xfff6d0,
    0xffe49a,
    0.26,
    0,
  ],
  sunset: [
    0x3d3a78,
    0xc8586a,
    0xffb85c,
    0xe6a488,
    0xe88a62,
    0xf08868,
    0xfff0b8,
    0xff9a48,
    0.07,
    0.18,
  ],
  dusk: [
    0x1c2454,
    0x554886,
    0xd88890,
    0x877ca6,
    0x86699a,
    0x7a6898,
    0xf8e8d8,
    0xd88890,
    0.3,
    0.6,
  ],
  night: [0x060c22, 0x101f4a, 0x2a4478, 0x46588e, 0x1e3260, 0x2e4070, 0xf4f0e0, 0x8ea8e0, 0.36, 1],
};

const GRASS: Readonly<Record<Season, number>> = {
  spring: 0x84c44e,
  summer: 0x5fa83e,
  autumn: 0xb8953e,
  winter: 0xe9f0f6,
};

const FOLIAGE: Readonly<Record<Season, readonly number[]>> = {
  spring: [0x7cc653, 0x94d064, 0xf0b4cc, 0x68b84e],
  summer: [0x3f8a3a, 0x4f9a42, 0x357a38, 0x5fa646],
  autumn: [0xd8762a, 0xe4a030, 0xc04c28, 0xb8862e],
  winter: [0xdfe9f0, 0xcfdde8, 0xe8f0f4, 0xc4d4e0],
};

/** What a weather does: greys the sky, dims the light, thickens the air. */
const WEATHERS: Readonly<Record<Weather, { grey: number; dim: number; haze: number }>> = {
  clear: { grey: 0, dim: 0, haze: 0.34 },
  cloudy: { grey: 0.5, dim: 0.1, haze: 0.42 },
  rain: { grey: 0.78, dim: 0.26, haze: 0.56 },
  snow: { grey: 0.6, dim: 0.04, haze: 0.55 },
  fog: { grey: 0.66, dim: 0.04, haze: 0.9 },
  storm: { grey: 0.88, dim: 0.46, haze: 0.5 },
  wind: { grey: 0.12, dim: 0.02, haze: 0.36 },
};

/** The palette of a scene. */
export function paletteOf(scene: Scene): Palette {
  const hour = HOURS[scene.time];
  const effects = scene.weather.map((weather) => WEATHERS[weather]);
  const [top, middle, bottom, ambient, haze, cloud, orb, glow, orbHeight, darkness] = hour;
  const grey = Math.max(...effects.map((effect) => effect.grey));
  // A storm takes the day's light; the night has none to lose.
  const dim = Math.max(...effects.map((effect) => effect.dim)) * (1 - 0.75 * darkness);
  const dull = (colour: number): number => overcast(colour, { grey, dim, bright: scene.weather });
  const tinted = (colour: number): number =>
    scene.tint === undefined ? colour : mixColour(colour, scene.tint, 0.32);
  const skyed = (colour: number, share: number): number =>
    scene.skyColour === undefined ? colour : mixColour(
      colour,
      multiplyColour(scene.skyColour, mixColour(0xffffff, ambient, 0.7)),
      share,
    );
  // Under a closed cover even the top of the sky is cloud.
  const zenith = mixColour(top, cloud, Math.max(0, grey - 0.45) * 1.5);
  const light = tinted(dull(ambient));
  const snowy = scene.season === "winter";
  return {
    sky: [
      skyed(tinted(dull(zenith)), 0.85),
      skyed(tinted(dull(middle)), 0.75),
      skyed(
        tinted(dull(bottom)),
        0.5,
      ),
    ],
    ambient: light,
    subjectLight: mixColour(light, 0xffffff, 0.2 + 0.22 * darkness),
    haze: skyed(tinted(dull(haze)), 0.45),
    hazeDepth: Math.max(...effects.map((effect) => effect.haze)),
    cloud: tinted(dull(cloud)),
    orb: { colour: orb, glow, height: orbHeight },
    darkness: Math.max(darkness, scene.weather.includes("storm") ? 0.3 : 0),
    grass: GRASS[scene.season],
    foliage: FOLIAGE[scene.season],
    snowy,
  };
}

function overcast(
  colour: number,
  air: { grey: number; dim: number; bright: readonly Weather[] },
): number {
  const veil = greyOf(colour);
  // Cloud light is a little blue, and pale where fog or snow scatters it.
  const pale = air.bright.includes("snow") || air.bright.includes("fog") ? 0.22 : 0.04;
  const veiled = mixColour(veil, 0xb4c0cc, brightnessOf(colour) * (0.3 + pale));
  return mixColour(mixColour(colour, veiled, air.grey), 0x000000, air.dim);
}
