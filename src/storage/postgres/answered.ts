/**
 * What several nodes share, for whoever is to be told in a caller's words that the database does not answer.
 *
 * @module
 */

import { wordsForAsker } from "./postgres_error.ts";

/** @throws {GatewayError} As {@linkcode wordsForAsker} has it. */
export async function answered<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    throw wordsForAsker(error);
  }
}

/** What has nothing but methods that are waited for. */
type Asked<Store> = { readonly [Name in keyof Store]: (...args: never[]) => Promise<unknown> };

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** The same methods, of which each rejects as {@linkcode answered} does. @param store Of a class that extends none. */
export function answering<Store extends Asked<Store>>(store: Store): Store {
  const methods = store as unknown as Readonly<Record<string, Method>>;
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(store))
    .filter((name) => name !== "constructor");
  const serving = names.map((name): [string, Method] => [
    name,
    (...args) => answered(() => methods[name]!(...args)),
  ]);
  return Object.fromEntries(serving) as unknown as Store;
}
