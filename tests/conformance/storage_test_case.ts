/**
 * How a part of the storage suite registers a test.
 *
 * @module
 */

import type { Storage } from "../../src/storage/ports/storage.ts";

/** Runs with a new, empty storage; the books must balance afterwards. */
export type StorageTest = (name: string, run: (storage: Storage) => Promise<void>) => void;
