/**
 * Waiting that does not last for ever.
 *
 * @module
 */

/** What was waited for has taken too long; it goes on all the same. */
export class LateError extends Error {
  override readonly name = "LateError";
}

/**
 * What is answered, within so many milliseconds.
 *
 * @throws {LateError} When there is no answer until then.
 * @throws What it is rejected with.
 */
export async function answerWithin<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LateError(`No answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits for work, so many milliseconds at most; it goes on all the same.
 *
 * @throws What it is rejected with until then; after that nobody hears of it.
 */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  let patience: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => patience = setTimeout(resolve, ms));
  try {
    await Promise.race([work, over]);
  } finally {
    clearTimeout(patience);
    work.catch(() => {});
  }
}
