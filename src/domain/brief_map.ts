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

/**
 * A set of short-lived objects, in no order. Its list never gets shorter, as the platform's would be
 * grown anew then: the one before it would keep what it had, as an outgrown table does.
 */
export class Roster<Item extends Rostered> {
  /** `undefined` from {@linkcode size} on. */
  readonly #items: (Item | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param item In no roster. */
  add(item: Item): void {
    item.place = this.#size;
    this.#items[this.#size++] = item;
  }

  /** Takes it out, if it is in. */
  delete(item: Item): void {
    const { place } = item;
    if (place < 0) return;
    item.place = -1;
    const last = this.#items[--this.#size]!;
    this.#items[this.#size] = undefined;
    if (last === item) return;
    this.#items[place] = last;
    last.place = place;
  }

  /** Does something with each, which may take itself out then. What is put in meanwhile is not met. */
  forEach(act: (item: Item) => void): void {
    for (let at = this.#size - 1; at >= 0; at--) {
      const item = this.#items[at];
      if (item !== undefined) act(item);
    }
  }
}
