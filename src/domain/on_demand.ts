/**
 * Parts of the program that no start needs are loaded when they are first asked for: a start reads
 * and evaluates every module that is imported by an `import` statement on the way from `main.ts`.
 *
 * `await import("./x.ts")` within a function says so. Where something is made of what was loaded, and
 * made once, {@linkcode onDemand} keeps it.
 *
 * @module
 */

/** What `load` gives, loaded when it is first asked for; again where that has failed. */
export function onDemand<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () =>
    loaded ??= load().catch((error) => {
      loaded = undefined;
      throw error;
    });
}
