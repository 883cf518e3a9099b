/**
 * The messages between the pool and a render Worker. A Worker does one job at a time.
 *
 * @module
 */

import type { SharedCaptionFont } from "./caption/caption_font.ts";
import type { FilmOrder, RenderedFilm } from "./film_order.ts";
import type { ImageErrorKind } from "./images/image_error.ts";

/** What a Worker is started with. */
export interface RenderWorkerStart {
  /** One `Int32`: the number of the job that is to stop at its next frame. */
  readonly stop: SharedArrayBuffer;
  /** Absent where the Worker finds the fonts itself. */
  readonly font?: SharedCaptionFont | undefined;
}

/** A job for the Worker. Numbers start at 1 and are never used twice for one Worker. */
export type RenderJob =
  | { readonly job: number; readonly render: FilmOrder }
  | { readonly job: number; readonly check: Uint8Array };

/** What the Worker answers; a bare number is the share of the film that is done, 0 to 1. */
export type RenderReply =
  | number
  | { readonly film: RenderedFilm }
  | { readonly usable: true }
  | { readonly stopped: true }
  /** The image, or the order's reference, cannot be used. */
  | { readonly badImage: ImageErrorKind }
  /** This film cannot be made. */
  | { readonly failed: string }
  /** Nothing expected this; the Worker ends. */
  | { readonly crash: string };
