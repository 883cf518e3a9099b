/**
 * What an import leaves out: each by its name, those of many places in one line. Never a secret.
 *
 * @module
 */

/** Places that are told of one thing. */
const MOST_PLACES = 4;
/** Characters of a name that the file made up. */
const MOST_CHARACTERS = 120;

export class ImportNotes {
  readonly #lines = new Set<string>();
  /** By what it is: where it stands. */
  readonly #unequal = new Map<string, Set<string>>();

  note(words: string): void {
    this.#lines.add(words);
  }

  /** What has no equal here; `place` is empty where it stands alone. */
  noEqual(name: string, place = ""): void {
    const what = name.slice(0, MOST_CHARACTERS);
    const places = this.#unequal.get(what) ?? new Set();
    this.#unequal.set(what, places.add(place));
  }

  lines(): readonly string[] {
    const unequal = [...this.#unequal].map(([what, places]) => {
      const [first = "", ...more] = places;
      if (more.length === 0) return `${first === "" ? what : `${first}.${what}`} has no equal here`;
      const shown = [first, ...more].slice(0, MOST_PLACES).join(", ");
      const rest = more.length + 1 - MOST_PLACES;
      return `${what} has no equal here: ${shown}${rest > 0 ? ` and ${rest} more` : ""}`;
    });
    return [...this.#lines, ...unequal];
  }
}
