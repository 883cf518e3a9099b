/**
 * Text that is sent part by part.
 *
 * @module
 */

/** Where the parts come from. */
export interface TextParts {
  /** The next part when it is there, `undefined` after the last one. Asked for one at a time. */
  next(): Promise<string | undefined>;
  /** Whether the part that was given last is the last one; absent or false: `next` tells. */
  readonly isOver?: boolean;
  /** Nobody wants the rest; safe to call at any time, more than once. */
  cancel(reason?: unknown): Promise<void>;
}
