/**
 * Paints the frames of an order: the scene, the reference image that dissolves into it, and the
 * prompt as a caption.
 *
 * @module
 */

import { createCaption } from "./caption/caption.ts";
import { type CaptionFont, loadCaptionFont } from "./caption/caption_font.ts";
import type { FilmOrder } from "./film_order.ts";
import { createFrame, type Frame } from "./frame.ts";
import { decodeImage } from "./images/decode_image.ts";
import { fitImage } from "./images/fit_image.ts";
import { viewStill } from "./images/still_camera.ts";
import { mixFrames } from "./mix_frames.ts";
import { composeScene } from "./scene/compose_scene.ts";
import { createSceneDrawer } from "./scene/draw_scene.ts";

/** Paints the frames of one film. */
export interface Painter {
  /** Paints frame `index`, from 0; every pixel of the frame is written. */
  paint(index: number, frame: Frame): void;
}

/**
 * With a reference image, between which shares of the film it gives way to the scene. Before, it is
 * seen alone; afterwards the scene is, so that both are given their time.
 */
const DISSOLVE = [0.3, 0.7] as const;

/** With a reference image, between which shares of the film the caption appears: not at once. */
const CAPTION_APPEARS = [0, 0.15] as const;

/**
 * Prepares to paint `order` in so many frames. Without a reference image the caption is there from
 * the first frame; with one, the first frame is the image and nothing else.
 *
 * @throws {ImageError} when the reference cannot be used.
 */
export async function createPainter(
  order: FilmOrder,
  frames: number,
  font?: CaptionFont,
): Promise<Painter> {
  const { prompt, width, height, reference } = order;
  const scene = composeScene(prompt);
  const drawer = createSceneDrawer(scene, { width, height, frames });
  const caption = createCaption(prompt, { width, height }, font ?? await loadCaptionFont());
  if (reference === undefined) {
    return {
      paint(index, frame) {
        drawer.draw(index, frame);
        caption.draw(frame);
      },
    };
  }

  const still = fitImage(await decodeImage(reference), { width, height });
  const above = createFrame(width, height);
  return {
    paint(index, frame) {
      const passed = index / frames;
      const sceneShare = between(passed, DISSOLVE);
      if (sceneShare < 1) {
        viewStill(still, frame, { progress: passed / DISSOLVE[1], move: scene.camera.move });
      }
      if (sceneShare > 0) {
        drawer.draw(index, above);
        mixFrames(frame, above, sceneShare);
      }
      const captionShare = between(passed, CAPTION_APPEARS);
      if (captionShare > 0) {
        above.data.set(frame.data);
        caption.draw(above);
        mixFrames(frame, above, captionShare);
      }
    },
  };
}

/** How far `at` is from the first to the second of two, 0 to 1, slow at both ends. */
function between(at: number, [from, to]: readonly [from: number, to: number]): number {
  const share = Math.min(Math.max((at - from) / (to - from), 0), 1);
  return share * share * (3 - 2 * share);
}
