/**
 * Archives are files beside a data dir. Of calls in a server there are none: they stay.
 *
 * @module
 */

import type { Asynchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";

/** The port of a database from which nothing is archived. */
export const NO_CHECKPOINTS: Asynchronous<typeof STORES.checkpoints> = {
  list: () => Promise.resolve([]),
  document: () => Promise.resolve(undefined),
  references: () => Promise.resolve([]),
  keptCalls: () => Promise.resolve([]),
  hasLeftovers: () => Promise.resolve(false),
};
