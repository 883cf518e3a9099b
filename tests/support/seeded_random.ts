/**
 * Random numbers that a seed decides, so that what they led to can be repeated.
 *
 * @module
 */

/** A stream of numbers; the same seed and name give the same ones. */
export class SeededRandom {
  #state: number;
  readonly #seed: number;

  /** @param name Whose numbers they are: streams of other names are independent. */
  constructor(seed: number, name = "") {
    this.#seed = seed;
    this.#state = mixed(seed, name);
  }

  /** From 0 up to 1, without 1. */
  next(): number {
    // Mulberry32 (public domain), which is plenty for choosing among scenarios.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)]!;
  }

  /** One of the keys, as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][];
    let rest = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      rest -= weight;
      if (rest < 0) return name;
    }
    return entries.at(-1)![0];
  }

  /** Another stream of the same seed, which does not depend on how far this one is. */
  of(name: string): SeededRandom {
    return new SeededRandom(this.#seed, name);
  }
}

/** FNV-1a over the name, from the seed on. */
function mixed(seed: number, name: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const character of name) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  return hash | 0;
}
