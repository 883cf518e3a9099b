/**
 * A signal of several others, for one piece of work: when the work is over, none of them remembers
 * it. What `AbortSignal.any()` makes is remembered by each of its sources as long as that one lives.
 *
 * @module
 */

export class JoinedSignal implements Disposable {
  readonly #sources: readonly AbortSignal[];
  readonly #joined = new AbortController();
  readonly #follow = ({ target }: Event): void => this.#abort(target as AbortSignal);

  constructor(sources: readonly AbortSignal[]) {
    this.#sources = sources;
    for (const source of sources) {
      if (source.aborted) this.#abort(source);
      else source.addEventListener("abort", this.#follow);
    }
  }

  /** Fires with the first of them, with its reason; at once where one has fired. */
  get signal(): AbortSignal {
    return this.#joined.signal;
  }

  [Symbol.dispose](): void {
    for (const source of this.#sources) source.removeEventListener("abort", this.#follow);
  }

  #abort({ reason }: AbortSignal): void {
    this.#joined.abort(reason);
  }
}
