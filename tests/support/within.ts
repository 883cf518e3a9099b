/**
 * Waiting that has an end: a test that waits for ever tells nothing.
 *
 * @module
 */

/**
 * What a promise becomes.
 *
 * @param told What is said when it takes too long: nothing is measured by the limit.
 * @throws {Error} When it takes longer than the limit, or what the promise is rejected with.
 */
export async function within<T>(
  limitMs: number,
  promise: Promise<T>,
  told: () => string,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(told())), limitMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
