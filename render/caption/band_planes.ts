/**
 * The band and its type as one multiplication and addition for every value of a frame, so that
 * drawing on each frame costs next to nothing.
 *
 * @module
 */

import type { Frame } from "../frame.ts";

/** For a value `v` of the frame's last rows: `(v * keep + add) >> 8`. */
export interface BandPlanes {
  readonly lumaKeep: Uint16Array;
  readonly lumaAdd: Uint16Array;
  readonly chromaKeep: Uint16Array;
  readonly chromaAdd: Uint16Array;
}

/** How much of the picture the band hides: white type keeps a contrast of 7:1 on a white picture. */
const DARKNESS = 0.66;
const BLACK = 16;
const WHITE = 235;
const GREY = 128;

/**
 * Planes for a band with white type on it.
 *
 * @param mask ink of each pixel of the band, 0 to 255
 * @param band even sides in pixels; over its first `fade` rows the picture darkens
 */
export function bandPlanes(
  mask: Uint8Array,
  band: { readonly width: number; readonly height: number; readonly fade: number },
): BandPlanes {
  const { width, height } = band;
  const lumaKeep = new Uint16Array(width * height);
  const lumaAdd = new Uint16Array(width * height);
  const chromaKeep = new Uint16Array(width * height / 4);
  const chromaAdd = new Uint16Array(width * height / 4);
  for (let row = 0; row < height; row++) {
    const dark = DARKNESS * smoothstep((row + 1) / (band.fade + 1));
    for (let i = row * width; i < (row + 1) * width; i++) {
      const ink = mask[i]! / 255;
      lumaKeep[i] = 256 * (1 - dark) * (1 - ink);
      lumaAdd[i] = 256 * (BLACK * dark * (1 - ink) + WHITE * ink) + 128;
    }
  }
  for (let i = 0; i < chromaKeep.length; i++) {
    const row = Math.floor(i / (width / 2));
    const at = 2 * row * width + 2 * (i % (width / 2));
    const keep = (lumaKeep[at]! + lumaKeep[at + 1]! + lumaKeep[at + width]! +
      lumaKeep[at + width + 1]!) / 4;
    chromaKeep[i] = keep;
    chromaAdd[i] = GREY * (256 - chromaKeep[i]!) + 128;
  }
  return { lumaKeep, lumaAdd, chromaKeep, chromaAdd };
}

/** Lays the band over the last rows of `frame`, which is as wide as the band. */
export function blend(planes: BandPlanes, frame: Frame): void {
  blendPlane(frame.y, planes.lumaKeep, planes.lumaAdd);
  blendPlane(frame.u, planes.chromaKeep, planes.chromaAdd);
  blendPlane(frame.v, planes.chromaKeep, planes.chromaAdd);
}

function blendPlane(plane: Uint8Array, keep: Uint16Array, add: Uint16Array): void {
  const start = plane.length - keep.length;
  for (let i = 0; i < keep.length; i++) {
    plane[start + i] = (plane[start + i]! * keep[i]! + add[i]!) >> 8;
  }
}

function smoothstep(share: number): number {
  const t = Math.min(1, share);
  return t * t * (3 - 2 * t);
}
