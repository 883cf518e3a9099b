/**
 * Measures of what is seen in the frames of a film.
 *
 * @module
 */
import { createFrame, type Frame } from "../../frame.ts";
import { composeScene } from "../../scene/compose_scene.ts";
import { createSceneDrawer } from "../../scene/draw_scene.ts";

/** Frames of the films that are measured. */
export const FRAMES = 48;

/** Draws single frames of the film of a prompt, each into a frame full of nonsense. */
export function framesOf(
  prompt: string,
  indexes: readonly number[],
  size: { width: number; height: number } = { width: 640, height: 360 },
): Frame[] {
  const drawer = createSceneDrawer(composeScene(prompt), { ...size, frames: FRAMES });
  return indexes.map((index) => {
    const frame = createFrame(size.width, size.height);
    frame.data.fill(1);
    drawer.draw(index, frame);
    return frame;
  });
}

/** The frame in the middle of a prompt's film. */
export function middleOf(prompt: string): Frame {
  return framesOf(prompt, [FRAMES / 2])[0]!;
}

/** The mean of a plane between two heights, given as shares of the picture. */
export function meanOf(frame: Frame, plane: "y" | "u" | "v", from = 0, to = 1): number {
  const scale = plane === "y" ? 1 : 2;
  const width = frame.width / scale;
  const height = frame.height / scale;
  const part = frame[plane].subarray(
    Math.floor(height * from) * width,
    Math.floor(height * to) * width,
  );
  return part.reduce((sum, value) => sum + value, 0) / part.length;
}

/** How far the luma strays from its mean. */
export function contrastOf(frame: Frame): number {
  const mean = meanOf(frame, "y");
  const squares = frame.y.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / frame.y.length);
}

/** What one colour covers. */
export interface Patch {
  /** Chroma pixels. */
  readonly area: number;
  /** Of its middle, as shares of the picture. */
  readonly x: number;
  readonly y: number;
  /** Of the box around it, as shares of the picture's height. */
  readonly width: number;
  readonly height: number;
  /** Separate pieces of at least 12 pixels. */
  readonly pieces: number;
}

/** Finds the strongly red or blue pixels. */
export function patchOf(frame: Frame, colour: "red" | "blue"): Patch {
  const width = frame.width / 2;
  const height = frame.height / 2;
  const mask = new Uint8Array(width * height);
  let [area, sumX, sumY] = [0, 0, 0];
  let [left, right, top, bottom] = [width, -1, height, -1];
  for (let at = 0; at < mask.length; at++) {
    const blue = frame.u[at]! - 128;
    const red = frame.v[at]! - 128;
    const hit = colour === "red" ? red > 50 && red > blue * 2 : blue > 50 && blue > red * 2;
    if (!hit) continue;
    const x = at % width;
    const y = Math.floor(at / width);
    mask[at] = 1;
    area++;
    sumX += x;
    sumY += y;
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return {
    area,
    x: sumX / area / width,
    y: sumY / area / height,
    width: (right - left + 1) / height,
    height: (bottom - top + 1) / height,
    pieces: countPieces(mask, width),
  };
}

/** How many bytes two frames do not share, as a share of all. */
export function changeBetween(one: Frame, other: Frame): number {
  let changed = 0;
  for (let at = 0; at < one.data.length; at++) if (one.data[at] !== other.data[at]) changed++;
  return changed / one.data.length;
}

function countPieces(mask: Uint8Array, width: number): number {
  let pieces = 0;
  for (let start = 0; start < mask.length; start++) {
    if (mask[start] !== 1) continue;
    const queue = [start];
    mask[start] = 2;
    let size = 0;
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      size++;
      for (const next of [at - 1, at + 1, at - width, at + width]) {
        if (mask[next] !== 1) continue;
        mask[next] = 2;
        queue.push(next);
      }
    }
    if (size >= 12) pieces++;
  }
  return pieces;
}
