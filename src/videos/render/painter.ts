/**
 * Paints the frames of an order: the scene, the reference image that dissolves into it, and the
 * prompt as a caption.
 *
 * @module
 */

import type { FilmOrder } from "./film_order.ts";
import type { Frame } from "./frame.ts";
import { composeScene } from "./scene/compose_scene.ts";
import { createSceneDrawer } from "./scene/draw_scene.ts";

/** Paints the frames of one film. */
export interface Painter {
  /** Paints frame `index`, from 0; every pixel of the frame is written. */
  paint(index: number, frame: Frame): void;
}

/**
 * Prepares to paint `order` in so many frames.
 *
 * @throws {ImageError} when the reference cannot be used.
 */
export async function createPainter(order: FilmOrder, frames: number): Promise<Painter> {
  const { width, height } = order;
  const drawer = createSceneDrawer(composeScene(order.prompt), { width, height, frames });
  return { paint: (index, frame) => drawer.draw(index, frame) };
}
