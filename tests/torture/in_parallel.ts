/**
 * Doing many things, a few at a time.
 *
 * @module
 */

/** Does every item; `workers` of them are under way at once. The first error ends it. */
export async function inParallel<Item>(
  items: readonly Item[],
  { workers, work }: {
    readonly workers: number;
    readonly work: (item: Item) => Promise<unknown>;
  },
): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: workers }, async () => {
    while (next < items.length) await work(items[next++]!);
  }));
}
