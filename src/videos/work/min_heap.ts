/**
 * A collection that gives its smallest item first.
 *
 * @module
 */

/** A binary heap; adding and taking cost the logarithm of the size. */
export class MinHeap<Item> {
  readonly #rank: (item: Item) => number;
  readonly #items: Item[] = [];

  /** @param rank What items are compared by; it must not change while an item is in. */
  constructor(rank: (item: Item) => number) {
    this.#rank = rank;
  }

  /** The smallest item. */
  get first(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#rank(items[parent]!) <= this.#rank(item)) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  /** Takes the smallest item. */
  pop(): Item | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      const other = items[child + 1];
      if (other !== undefined && this.#rank(other) < this.#rank(items[child]!)) child++;
      if (this.#rank(last) <= this.#rank(items[child]!)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = last;
    return first;
  }
}
