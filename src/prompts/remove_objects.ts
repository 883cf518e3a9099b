/**
 * Removes many objects of a bucket, a few at one time.
 *
 * @module
 */

import type { ObjectStore } from "../objects/object_store.ts";
import { BucketTrouble } from "./bucket_trouble.ts";

/** Requests at one time. */
const REMOVALS = 8;

/**
 * Resolves when all of them are gone.
 *
 * @throws What one of them cannot be removed for: all others are gone then, unless the bucket fails.
 */
export async function removeObjects(
  objects: AsyncIterable<{ readonly key: string }>,
  { store, signal }: { readonly store: ObjectStore; readonly signal: AbortSignal },
): Promise<void> {
  const trouble = new BucketTrouble();
  let lot: string[] = [];
  const removeLot = async () => {
    const removed = lot;
    lot = [];
    await Promise.all(removed.map((key) => trouble.of(() => store.delete(key, signal))));
    signal.throwIfAborted();
    return !trouble.isOfBucket;
  };
  for await (const { key } of objects) {
    lot.push(key);
    if (lot.length >= REMOVALS && !await removeLot()) break;
  }
  await removeLot();
  trouble.throwMet();
}
