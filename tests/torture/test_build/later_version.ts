/**
 * A version that comes after this one, and adds to the tables.
 *
 * @module
 */

import type { SourcePatch } from "./source_patch.ts";

export const laterVersion: SourcePatch = {
  name: "later_version",
  says: "it has tables and columns of which this one knows nothing",
  edits: [{
    file: "src/storage/postgres/schema/versions.ts",
    find: "export const SCHEMA_VERSION = VERSIONS.length;",
    replace: `(VERSIONS as unknown as string[][]).push([
  "CREATE TABLE later_things (id bigint PRIMARY KEY)",
  "ALTER TABLE calls ADD COLUMN later bigint NOT NULL DEFAULT 0",
  "ALTER TABLE projects ADD COLUMN later text",
]);
export const SCHEMA_VERSION = VERSIONS.length;`,
  }],
};
