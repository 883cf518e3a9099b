/**
 * Large kept answers are read in the reader's thread: while the writer reads one, nothing is
 * written, and every call waits.
 *
 * @module
 */

import type { Storage, StorageReads } from "../../ports/storage.ts";

/** Smaller ones are not worth a thread. */
const LARGE_BYTES = 256 * 1024;

/** The storage, with its large kept answers read by `reader`. */
export function readLargeAnswersBy(
  reader: Pick<StorageReads, "answers" | "responses">,
  storage: Storage,
): Storage {
  /** Whose answer of so many bytes it is to read. */
  const placeOf = (bytes: number) => bytes < LARGE_BYTES ? storage : reader;
  return {
    ...storage,
    responses: {
      ...storage.responses,
      async find(query) {
        const bytes = await storage.responses.size(query);
        return bytes === undefined ? undefined : await placeOf(bytes).responses.find(query);
      },
    },
    answers: {
      ...storage.answers,
      async find(scope) {
        const bytes = await storage.answers.size(scope);
        return bytes === undefined ? undefined : await placeOf(bytes).answers.find(scope);
      },
    },
  };
}
