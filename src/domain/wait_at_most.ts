/**
 * Waiting that does not last for ever.
 *
 * @module
 */

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
