/**
 * Collections of what comes and goes with each call.
 *
 * The platform's `Map` and `Set` grow their tables anew every few additions, also where as much is
 * taken out as is put in. A table that another has replaced still has what it had then, and points to
 * the one in its place: where the collector has moved an old table to its old generation, all that
 * later ones have had looks alive to its quick passes, and whole calls are kept until it looks at
 * everything. These leave nothing behind.
 *
 * @module
 */

interface Box<Value> {
  value: Value | undefined;
}

/** A map whose entries are short-lived. */
export class BriefMap<Key, Value extends object> {
  /** Tables that were replaced have boxes; those of what was taken out are empty. */
  readonly #boxes = new Map<Key, Box<Value>>();

  get size(): number {
    return this.#boxes.size;
  }

  get(key: Key): Value | undefined {
    return this.#boxes.get(key)?.value;
  }

  set(key: Key, value: Value): void {
    const box = this.#boxes.get(key);
    if (box === undefined) this.#boxes.set(key, { value });
    else box.value = value;
  }

  /** Takes an entry out and gives it; `undefined` where there is none. */
  take(key: Key): Value | undefined {
    const box = this.#boxes.get(key);
    if (box === undefined) return undefined;
    this.#boxes.delete(key);
    const { value } = box;
    box.value = undefined;
    return value;
  }

  /** What there is, in the order in which it was put in. */
  *values(): IterableIterator<Value> {
    for (const { value } of this.#boxes.values()) yield value!;
  }

  clear(): void {
    for (const box of this.#boxes.values()) box.value = undefined;
    this.#boxes.clear();
  }
}

/** What may be in one roster at a time. */
export interface Rostered {
  /** Where it is in its roster, which alone sets it; -1 where it is in none. */
  place: number;
}

/** A set of short-lived objects, in no order. */
export class Roster<Item extends Rostered> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** @param item In no roster. */
  add(item: Item): void {
    item.place = this.#items.length;
    this.#items.push(item);
  }

  /** Takes it out, if it is in. */
  delete(item: Item): void {
    const { place } = item;
    if (place < 0) return;
    item.place = -1;
    const last = this.#items.pop()!;
    if (last === item) return;
    this.#items[place] = last;
    last.place = place;
  }

  /** Does something with each, which may take itself out then. What is put in meanwhile is not met. */
  forEach(act: (item: Item) => void): void {
    for (let at = this.#items.length - 1; at >= 0; at--) {
      const item = this.#items[at];
      if (item !== undefined) act(item);
    }
  }
}
