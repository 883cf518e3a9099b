/**
 * Draws a scene as the frames of a film.
 *
 * @module
 */
import type { Frame } from "../frame.ts";
import type { Scene } from "./scene.ts";

/** Draws the frames of one film, in any order; every pixel of the frame is written. */
export interface SceneDrawer {
  /** Draws frame `index`, 0 to `frames - 1`. */
  draw(index: number, frame: Frame): void;
}

/** Prepares to draw `scene` as a film of so many frames, each `width` by `height` pixels. */
export function createSceneDrawer(
  scene: Scene,
  film: { readonly width: number; readonly height: number; readonly frames: number },
): SceneDrawer {
  return {
    draw(index: number, frame: Frame): void {
      frame.y.fill(60 + ((scene.seed + index) % 120));
      frame.u.fill(128);
      frame.v.fill(128 + (film.frames > 0 ? 10 : 0));
    },
  };
}
