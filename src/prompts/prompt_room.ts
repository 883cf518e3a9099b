/**
 * Memory for what calls said until it is kept, and whose turn is next: however busy a project is,
 * there is room and a turn for the others.
 *
 * @module
 */

/** Characters held for all projects together. */
const MOST_CHARACTERS = 64 * 1024 ** 2;
const MOST_OF_PROJECT = MOST_CHARACTERS / 4;

export class PromptRoom {
  readonly #ofProjects = new Map<string, number>();
  #free = MOST_CHARACTERS;

  /**
   * Takes room, to be given back; `false` where there is none for this project: it has a quarter at
   * most, and never more than is left for others. One piece alone may take half of what is left.
   */
  take(projectId: string, characters: number): boolean {
    const held = this.#ofProjects.get(projectId) ?? 0;
    const most = held === 0 ? this.#free / 2 : Math.min(MOST_OF_PROJECT, this.#free);
    if (held + characters > most) return false;
    this.#set(projectId, held + characters, characters);
    return true;
  }

  give(projectId: string, characters: number): void {
    this.#set(projectId, (this.#ofProjects.get(projectId) ?? 0) - characters, -characters);
  }

  #set(projectId: string, held: number, more: number): void {
    this.#free -= more;
    if (held > 0) this.#ofProjects.set(projectId, held);
    else this.#ofProjects.delete(projectId);
  }
}

/** One of each project after the other. */
export class TakingTurns<Item> {
  readonly #ofProjects = new Map<string, Item[]>();

  add(projectId: string, item: Item): void {
    const items = this.#ofProjects.get(projectId);
    if (items === undefined) this.#ofProjects.set(projectId, [item]);
    else items.push(item);
  }

  next(): Item | undefined {
    for (const [projectId, items] of this.#ofProjects) {
      this.#ofProjects.delete(projectId);
      const item = items.shift();
      if (items.length > 0) this.#ofProjects.set(projectId, items);
      return item;
    }
    return undefined;
  }

  of(projectId: string): readonly Item[] {
    return this.#ofProjects.get(projectId) ?? [];
  }

  /** Takes all of a project out. */
  drop(projectId: string): readonly Item[] {
    const items = this.of(projectId);
    this.#ofProjects.delete(projectId);
    return items;
  }
}
