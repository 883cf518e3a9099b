/**
 * Why a film was not made, as whoever asked for it must tell apart.
 *
 * @module
 */

/**
 * - `failed`: this film cannot be made; the Worker is well.
 * - `crashed`: the Worker ended in the middle of it.
 * - `abandoned`: the Worker stopped answering and was given up on.
 * - `stopped`: whoever asked for it, or the end of the pool, stopped it.
 */
export type RenderErrorKind = "failed" | "crashed" | "abandoned" | "stopped";

/** A film, or the check of an image, came to nothing. */
export class RenderError extends Error {
  override readonly name = "RenderError";
  /** What happened. */
  readonly kind: RenderErrorKind;

  constructor(kind: RenderErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
