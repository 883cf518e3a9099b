/**
 * Nodes that take a silent one for dead sooner, so that a row takes seconds and not minutes.
 *
 * @module
 */

import type { SourcePatch } from "./source_patch.ts";

/** For so long a node is silent before the others take it for dead, in these builds. */
export const QUICK_REAP_MS = 8_000;

export const quickReap: SourcePatch = {
  name: "quick_reap",
  says: "silent nodes are taken for dead sooner",
  edits: [{
    file: "src/storage/postgres/session_register.ts",
    find: "export const REAP_MS = 20_000;",
    replace: `export const REAP_MS = ${QUICK_REAP_MS};`,
  }],
};
