/**
 * The renderer as others see it: orders in, films out, made in Workers of their own.
 *
 * @module
 */

export { type FilmOrder, FRAMES_PER_SECOND, type RenderedFilm } from "./film_order.ts";
export { ImageError, type ImageErrorKind } from "./images/image_error.ts";
export { RenderError, type RenderErrorKind } from "./render_error.ts";
export { createRenderPool, type RenderPool, type RenderPoolOptions } from "./render_pool.ts";
