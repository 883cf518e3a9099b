/**
 * Makes one film from one order: scene, caption and, if there is one, the reference image, drawn
 * frame by frame into the encoder.
 *
 * @module
 */

import type { CaptionFont } from "./caption/caption_font.ts";
import { createFilmEncoder } from "./encode/film_encoder.ts";
import { befall } from "./befall.ts";
import { FRAMES_PER_SECOND } from "./film_order.ts";
import type { FilmOrder, RenderedFilm } from "./film_order.ts";
import { createFrame } from "./frame.ts";
import { createPainter } from "./painter.ts";
import { encodeThumbnail } from "./images/encode_thumbnail.ts";
import { RenderError } from "./render_error.ts";

/** How a rendering talks to whoever ordered it. */
export interface RenderHooks {
  /** Told after each frame: the share of the film that is done, above 0, at most 1. */
  onProgress(fraction: number): void;
  /** Asked before each frame. */
  stopped(): boolean;
  /** Awaited after each frame, to let others have the thread. */
  yield?(): Promise<void>;
  /** What captions are set in; by default it is read from its files. */
  readonly font?: CaptionFont | undefined;
}

/** Which share of the film has passed at the frame that stands for all of it. */
const THUMBNAIL_AT = 0.5;

/**
 * Renders `order`.
 *
 * @throws {ImageError} when the reference cannot be used.
 * @throws {RenderError} `stopped` when the hook said so, `failed` when this film cannot be made.
 */
export async function renderFilm(order: FilmOrder, hooks: RenderHooks): Promise<RenderedFilm> {
  const { width, height, seconds } = order;
  const frames = seconds * FRAMES_PER_SECOND;
  const painter = await createPainter(order, frames, hooks.font);
  const encoder = await createFilmEncoder({ width, height, framesPerSecond: FRAMES_PER_SECOND });
  try {
    const frame = createFrame(width, height);
    const thumbnailAt = Math.floor(frames * THUMBNAIL_AT);
    let thumbnail: Uint8Array<ArrayBuffer> | undefined;
    for (let index = 0; index < frames; index++) {
      await befall(order.faults, { isHalfWay: index === frames / 2, stopped: hooks.stopped });
      if (hooks.stopped()) throw new RenderError("stopped", "The film was stopped");
      painter.paint(index, frame);
      encoder.add(frame);
      if (index === thumbnailAt) thumbnail = await encodeThumbnail(frame);
      hooks.onProgress((index + 1) / frames);
      await hooks.yield?.();
    }
    return { film: encoder.finish(), thumbnail: thumbnail!, frames };
  } finally {
    encoder.close();
  }
}
