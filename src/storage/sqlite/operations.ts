/**
 * A port's operations by name, from its one list: as they are called, and as they are served.
 *
 * @module
 */

import type { OperationLists, ServedBy } from "../ports/operations.ts";
import {
  type OperationName,
  type Storage,
  type StorageReads,
  STORES,
  type SynchronousStorage,
  WHOLE,
} from "../ports/storage.ts";

/** Calls an operation, here or in another thread. */
export type CallOperation = (
  name: OperationName,
  args: readonly unknown[],
  servedBy: ServedBy,
) => Promise<unknown>;

/** Serves an operation in this thread. */
export type ServeOperation = (name: OperationName, args: readonly unknown[]) => unknown;

/** The port, each operation one call. */
export function storageOver(call: CallOperation): Storage {
  const whole = callEach(WHOLE, "", call);
  const stores = Object.entries(STORES).map(([store, list]) =>
    [store, callEach(list, `${store}.`, call)] as const
  );
  // Its names are those of the lists that the port's type is made from.
  return { ...Object.fromEntries(stores), ...whole } as unknown as Storage;
}

/** What of the port can be read, each operation one call. */
export function readsOver(call: CallOperation): StorageReads {
  const { beginSession: _, commitBatch: _commit, writeSums: _sums, close: _close, ...reads } =
    storageOver(call);
  return reads;
}

function callEach(list: OperationLists, prefix: string, call: CallOperation) {
  const methods = Object.entries(list).map(([method, { servedBy }]) => {
    const name = `${prefix}${method}` as OperationName;
    return [method, (...args: readonly unknown[]) => call(name, args, servedBy)] as const;
  });
  return Object.fromEntries(methods);
}

/** Serves the operations of a database that is open in this thread. */
export function serving(storage: SynchronousStorage): ServeOperation {
  const served = new Map<string, (args: readonly unknown[]) => unknown>();
  const add = (list: OperationLists, prefix: string, implemented: object) => {
    // What implements a list has a method for each of its names.
    const methods = implemented as { [name: string]: (...args: readonly unknown[]) => unknown };
    for (const [method, { servedBy }] of Object.entries(list)) {
      served.set(`${prefix}${method}`, (args) => {
        if (servedBy === "anyone_after_sums") storage.writeSums();
        return methods[method]!(...args);
      });
    }
  };
  for (const [store, list] of Object.entries(STORES)) {
    add(list, `${store}.`, storage[store as keyof typeof STORES]);
  }
  add(WHOLE, "", storage);
  return (name, args) => served.get(name)!(args);
}

/** Calls what this thread serves. */
export function callHere(serve: ServeOperation): CallOperation {
  return (name, args) => new Promise((resolve) => resolve(serve(name, args)));
}
