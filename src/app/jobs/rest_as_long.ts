/**
 * Long work beside calls, which come first.
 *
 * @module
 */

/** Makes a pause that is as long as the work since the one before: it takes half a processor at most. */
export function restAsLong(): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, performance.now() - begun));
    begun = performance.now();
  };
}
