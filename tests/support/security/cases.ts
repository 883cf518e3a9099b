/**
 * What trying a corpus came to.
 *
 * @module
 */

const MOST_SENTENCES = 30;

/** Picks which of a corpus are tried; by default all are. */
export type Sample = <One>(corpus: readonly One[]) => readonly One[];

/** Counts what was tried and keeps sentences about what should hold and does not. */
export class Cases {
  #tried = 0;
  readonly #broken: string[] = [];

  /** How many were tried. */
  get tried(): number {
    return this.#tried;
  }

  /** The first sentences of what is wrong. */
  get broken(): readonly string[] {
    return this.#broken;
  }

  /** Notes a case; `sentence` says what is wrong if it does not hold. */
  that(holds: boolean, sentence: () => string): void {
    this.#tried++;
    if (!holds && this.#broken.length < MOST_SENTENCES) this.#broken.push(sentence());
  }

  /** Notes what was found elsewhere, such as in every answer of a world. */
  add(sentences: readonly string[]): void {
    for (const sentence of sentences) this.that(false, () => sentence);
  }
}
