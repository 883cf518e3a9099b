/**
 * Work on many things of a bucket that goes on with the others where one fails, unless it is the bucket
 * that fails.
 *
 * @module
 */

import { S3Error } from "../objects/s3_error.ts";
import { FirstTrouble } from "./first_trouble.ts";

/** So many things one after the other of which nothing is answered, and it is the bucket that fails. */
const MOST_FAILURES = 3;

/** What failed first; what is refused, such as for the rights of one key, says that the bucket is there. */
export class BucketTrouble extends FirstTrouble {
  #inARow = 0;

  override of<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    return super.of(async () => {
      try {
        const value = await work();
        this.#inARow = 0;
        return value;
      } catch (error) {
        const isRefused = error instanceof S3Error && !error.isPassing;
        this.#inARow = isRefused ? 0 : this.#inARow + 1;
        // Whoever is told of it is told why it ends.
        if (this.isOfBucket) this.met = { error };
        throw error;
      }
    });
  }

  /** Whether to look no further now. */
  get isOfBucket(): boolean {
    return this.#inARow >= MOST_FAILURES;
  }
}
