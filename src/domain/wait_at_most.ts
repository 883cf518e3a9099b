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
  const found = await firstOf(ms, answer);
  if (found === LATE) throw new LateError(`No answer within ${ms} ms`);
  return found;
}

/**
 * Waits for work, so many milliseconds at most; it goes on all the same.
 *
 * @throws What it is rejected with until then; after that nobody hears of it.
 */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  work.catch(() => {});
  await firstOf(ms, work);
}

const LATE = Symbol("late");

async function firstOf<T>(ms: number, work: Promise<T>): Promise<T | typeof LATE> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<typeof LATE>((resolve) => timer = setTimeout(resolve, ms, LATE));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
