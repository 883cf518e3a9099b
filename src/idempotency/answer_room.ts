/**
 * The memory that answers may take while they are remembered or repeated.
 *
 * @module
 */

/** A count of bytes that is shared with others. */
export interface AnswerRoom {
  /** Takes bytes if they are free; says whether. */
  tryReserve(bytes: number): boolean;
  /** Gives back what was taken. */
  release(bytes: number): void;
}
