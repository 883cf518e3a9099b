/**
 * Moves over a still picture as a camera does: slowly nearer, and to a side if the scene's camera
 * goes there.
 *
 * @module
 */

import type { Frame } from "../frame.ts";
import type { CameraMove } from "../scene/scene.ts";

/** How much nearer the camera is when `progress` is 1: enough to see it move, not to see it blur. */
const NEARER = 0.18;

/** Where the camera heads for; 0 is the middle, 1 the edge that the nearer picture still covers. */
const HEADINGS: Readonly<Partial<Record<CameraMove, readonly [x: number, y: number]>>> = {
  pan_left: [-1, 0],
  pan_right: [1, 0],
  track: [1, 0],
  tilt_up: [0, -1],
  tilt_down: [0, 1],
};

/**
 * Writes into `frame` how `still`, of the same size, looks at `progress` of 0 to 1; at 0 it is the
 * still itself, byte for byte.
 */
export function viewStill(
  still: Frame,
  frame: Frame,
  { progress, move }: { readonly progress: number; readonly move: CameraMove },
): void {
  if (progress <= 0 || move === "still") return frame.data.set(still.data);
  const zoom = 1 + NEARER * progress;
  const [x, y] = HEADINGS[move] ?? [0, 0];
  const { width, height } = still;
  const chroma = { width: width / 2, height: height / 2 };
  const view = { zoom, x, y };
  magnify(still.y, frame.y, { width, height, ...view });
  magnify(still.u, frame.u, { ...chroma, ...view });
  magnify(still.v, frame.v, { ...chroma, ...view });
}

interface Plane {
  readonly width: number;
  readonly height: number;
  readonly zoom: number;
  readonly x: number;
  readonly y: number;
}

/** Positions and weights are whole 256ths of a pixel: four times as fast as fractions. */
function magnify(source: Uint8Array, target: Uint8Array, plane: Plane): void {
  const { width, height, zoom } = plane;
  const columns = positions(width, zoom, plane.x);
  const rows = positions(height, zoom, plane.y);
  for (let row = 0, at = 0; row < height; row++) {
    const upper = (rows[row]! >> 8) * width;
    const lower = Math.min((rows[row]! >> 8) + 1, height - 1) * width;
    const down = rows[row]! & 255;
    for (let column = 0; column < width; column++, at++) {
      const left = columns[column]! >> 8;
      const right = left + 1 < width ? left + 1 : left;
      const across = columns[column]! & 255;
      const top = source[upper + left]! * (256 - across) + source[upper + right]! * across;
      const bottom = source[lower + left]! * (256 - across) + source[lower + right]! * across;
      target[at] = (top * (256 - down) + bottom * down + 32768) >> 16;
    }
  }
}

/** Where each pixel of an axis looks, in 256ths of a pixel. */
function positions(size: number, zoom: number, heading: number): Int32Array {
  const seen = (size - 1) / zoom;
  const start = (size - 1 - seen) / 2 * (1 + heading);
  return Int32Array.from(
    { length: size },
    (_, index) => Math.round((start + index / zoom) * 256),
  );
}
